import { api, call } from '../api.js';
import { nameOf, text } from '../text.js';
import { Filter, stateFilter, useFilters } from '../ui/filter.js';
import { Badge, Page, Time, type Tone } from '../ui/states.js';
import { List } from '../ui/table.js';
import type { AppPageProps } from './app-page.js';

const t = text.transfers;
const STATES = ['unconfirmed', 'pending', 'completed', 'failed', 'expired', 'cancelled'] as const;
const TONES: Readonly<Record<string, Tone>> = { pending: 'wait', completed: 'good', failed: 'bad' };

export function TransferState({ status, stuck }: { status: string; stuck: boolean }) {
  return (
    <>
      <Badge tone={TONES[status] ?? 'plain'}>{nameOf(status)}</Badge> {stuck && <Badge tone="bad">{t.stuck}</Badge>}
    </>
  );
}

export function TransfersPage({ appId }: AppPageProps) {
  const [filters, apply] = useFilters('status', 'stuck', 'user_id', 'source');
  const status = filters.status as (typeof STATES)[number] | undefined;
  const stuck = filters.stuck === 'true' ? true : undefined;
  const { user_id: userId, source } = filters;
  return (
    <Page title={t.title} intro={t.intro}>
      <Filter
        fields={[
          stateFilter(STATES, status),
          {
            name: 'stuck',
            label: t.progress,
            type: 'select',
            value: filters.stuck,
            options: [
              ['', text.all],
              ['true', t.stuck],
            ],
          },
          { name: 'user_id', label: nameOf('user_id'), value: userId },
          { name: 'source', label: t.source, value: source },
        ]}
        apply={apply}
      />
      <List
        caption={t.title}
        empty={status || stuck || userId || source ? t.noneFound : t.empty}
        inputs={[appId, status, stuck, userId, source]}
        load={async (slice) => {
          const query = { ...slice, status, stuck, user_id: userId, source };
          const params = { path: { app_id: appId }, query };
          const page = await call(api.GET('/management/v1/apps/{app_id}/transfers', { params }));
          return { rows: page.transfers, hasMore: page.has_more };
        }}
        cursorOf={({ id }) => id}
        columns={[
          {
            head: t.amount,
            isName: true,
            cell: (row) => (
              <a href={`/console/apps/${appId}/transfers/${row.id}`}>
                {row.source_amount} {row.source_currency}
              </a>
            ),
          },
          { head: text.state, cell: (row) => <TransferState status={row.status} stuck={row.stuck_since !== 0} /> },
          { head: t.nextStep, cell: (row) => nameOf(row.next_step) },
          { head: t.dest, cell: (row) => <code>{row.dest}</code> },
          { head: text.apps.created, cell: (row) => <Time at={row.created_at} /> },
        ]}
      />
    </Page>
  );
}
