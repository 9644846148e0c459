import { api, call } from '../../../console/api.js';
import type { ConsolePage, PageProps } from '../../../console/page.js';
import { EVENT_COLUMNS, type EventsQuery, TYPES, withTypes } from '../../../console/ui/events.js';
import { ListPage } from '../../../console/ui/list.js';
import { Copyable } from '../../../console/ui/states.js';
import texts from './texts.json';

const t = texts.events;

export const page: ConsolePage = {
  path: 'events',
  title: t.title,
  group: 'operate',
  icon: 'events',
  after: 'transfers',
  view: EventsPage,
};

function EventsPage({ appId }: PageProps) {
  const path = { app_id: appId };
  return (
    <ListPage
      text={t}
      filters={[TYPES]}
      load={(query: EventsQuery) =>
        call(api.GET('/management/v1/apps/{app_id}/events', { params: { path, query: withTypes(query) } }))
      }
      rows={({ events }) => events}
      columns={[
        { head: t.position, value: ({ position }) => position },
        ...EVENT_COLUMNS,
        { head: t.id, cell: ({ id }) => <Copyable value={id} /> },
      ]}
    />
  );
}
