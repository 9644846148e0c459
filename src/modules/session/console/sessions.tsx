import { api, call } from '../../../console/api.js';
import type { ConsolePage, PageProps } from '../../../console/page.js';
import { nameOf, text } from '../../../console/text.js';
import { ListPage } from '../../../console/ui/list.js';
import { sessionColumns } from '../../../console/ui/sessions.js';
import texts from './texts.json';
import { home } from '../../../console/root.js';

const t = texts.sessions;

export const page: ConsolePage = {
  path: 'sessions',
  title: t.title,
  group: 'people',
  icon: 'sessions',
  after: 'users',
  view: SessionsPage,
};

function SessionsPage({ appId }: PageProps) {
  const path = { app_id: appId };
  return (
    <ListPage
      text={t}
      filters={[{ name: 'user_id', label: nameOf('user_id') }]}
      load={(query) => call(api.GET('/management/v1/apps/{app_id}/sessions', { params: { path, query } }))}
      rows={({ sessions }) => sessions}
      columns={[
        { head: t.user, value: (row) => row.user_id, href: (row) => `${home}/apps/${appId}/users/${row.user_id}` },
        { head: text.state, as: 'state', value: ({ status }) => status },
        ...sessionColumns(appId),
      ]}
    />
  );
}
