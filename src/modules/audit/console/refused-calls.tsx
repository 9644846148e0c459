import { api, call } from '../../../console/api.js';
import type { ConsolePage, PageProps } from '../../../console/page.js';
import { nameOf } from '../../../console/text.js';
import { ListPage } from '../../../console/ui/list.js';
import { Copyable } from '../../../console/ui/states.js';
import texts from './texts.json';
import { home, root } from '../../../console/root.js';

const t = texts.refused;

export const page: ConsolePage = {
  path: 'refused-calls',
  title: t.title,
  group: 'operate',
  icon: 'refused',
  after: 'events',
  view: RefusedCallsPage,
};

function RefusedCallsPage({ appId }: PageProps) {
  const path = { app_id: appId };
  return (
    <ListPage
      text={t}
      filters={[{ name: 'key_id', label: t.key }]}
      load={(query) => call(api.GET('/management/v1/apps/{app_id}/refused_calls', { params: { path, query } }))}
      rows={({ refused_calls: rows }) => rows}
      columns={[
        { head: t.last, time: (row) => row.last_at },
        { head: t.operation, isName: true, as: 'code', value: ({ operation }) => operation },
        {
          head: t.reason,
          value: (row) => row.error_type,
          cell: ({ error_type: type }) => <a href={`${root}/errors/${type}`}>{nameOf(type)}</a>,
        },
        { head: t.calls, value: ({ calls }) => calls },
        {
          head: t.key,
          value: (row) => row.key_id,
          cell: ({ key_id: id }) => <Copyable value={id} href={`${home}/apps/${appId}/refused-calls?key_id=${id}`} />,
        },
        {
          head: t.request,
          value: (row) => row.last_request_id,
          cell: (row) => <Copyable value={row.last_request_id} />,
        },
      ]}
    />
  );
}
