import { api, call } from '../api.js';
import { nameOf, text } from '../text.js';
import { Filter, stateFilter, useFilters } from '../ui/filter.js';
import { Badge, Page, Time } from '../ui/states.js';
import { List } from '../ui/table.js';
import type { AppPageProps } from './app-page.js';

const t = text.messages;
const STATES = ['pending', 'sent', 'failed'] as const;
const TONES = { pending: 'wait', sent: 'good', failed: 'bad' } as const;

export function MessagesPage({ appId }: AppPageProps) {
  const [filters, apply] = useFilters('status');
  const status = filters.status as (typeof STATES)[number] | undefined;
  return (
    <Page title={t.title} intro={t.intro}>
      <Filter fields={[stateFilter(STATES, status)]} apply={apply} />
      <List
        caption={t.title}
        empty={t.empty}
        inputs={[appId, status]}
        load={async (slice) => {
          const params = { path: { app_id: appId }, query: { ...slice, status } };
          const page = await call(api.GET('/management/v1/apps/{app_id}/messages', { params }));
          return { rows: page.messages, hasMore: page.has_more };
        }}
        cursorOf={({ id }) => id}
        columns={[
          {
            head: t.recipient,
            isName: true,
            // Only addresses may be too long for a line.
            cell: ({ recipient }) => <span class={recipient.includes('@') ? 'wrap' : undefined}>{recipient}</span>,
          },
          { head: t.channel, cell: ({ channel }) => nameOf(channel) },
          { head: t.kind, cell: ({ kind }) => nameOf(kind) },
          { head: text.state, cell: (row) => <Badge tone={TONES[row.status]}>{nameOf(row.status)}</Badge> },
          { head: t.attempts, cell: ({ attempts }) => attempts },
          { head: t.lastError, cell: (row) => <span class="wrap">{row.last_error || text.none}</span> },
          { head: text.apps.created, cell: (row) => <Time at={row.created_at} /> },
          { head: t.sent, cell: (row) => <Time at={row.sent_at} /> },
        ]}
      />
    </Page>
  );
}
