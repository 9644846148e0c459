import { api, call } from '../../../console/api.js';
import type { ConsolePage, PageProps } from '../../../console/page.js';
import { home } from '../../../console/root.js';
import { nameOf, text } from '../../../console/text.js';
import { Action } from '../../../console/ui/dialog.js';
import { ListPage } from '../../../console/ui/list.js';
import { CREATED } from '../../../console/ui/table.js';
import texts from './texts.json';

const t = texts.grants;

export const page: ConsolePage = {
  path: 'grants',
  title: t.title,
  group: 'people',
  icon: 'grants',
  after: 'sessions',
  view: GrantsPage,
};

function GrantsPage({ appId }: PageProps) {
  const path = { app_id: appId };
  return (
    <ListPage
      text={t}
      filters={[{ name: 'user_id', label: nameOf('user_id') }]}
      load={(query) => call(api.GET('/management/v1/apps/{app_id}/oauth2/grants', { params: { path, query } }))}
      rows={({ grants }) => grants}
      columns={[
        { head: t.client, isName: true, value: ({ client }) => client.name },
        { head: t.user, value: (row) => row.user_id, href: (row) => `${home}/apps/${appId}/users/${row.user_id}` },
        { head: t.scopes, value: ({ scopes }) => scopes.join(' ') },
        CREATED,
        { head: t.expires, time: (row) => row.expires_at },
        {
          head: text.actions,
          cell: ({ id, client }) => {
            const params = { path: { ...path, grant_id: id } };
            return (
              <Action
                text={t}
                name="revoke"
                values={{ client: client.name }}
                need="support"
                isDangerous
                run={() => call(api.DELETE('/management/v1/apps/{app_id}/oauth2/grants/{grant_id}', { params }))}
              />
            );
          },
        },
      ]}
    />
  );
}
