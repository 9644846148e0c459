import type { components } from '../../../../openapi/client/src/index.js';
import { api, call } from '../../../console/api.js';
import type { ConsolePage, PageProps } from '../../../console/page.js';
import { nameOf, text } from '../../../console/text.js';
import { stateFilter } from '../../../console/ui/filter.js';
import { fieldsOf } from '../../../console/ui/form.js';
import { ListPage } from '../../../console/ui/list.js';
import { Copyable, State } from '../../../console/ui/states.js';
import { type Column, CREATED } from '../../../console/ui/table.js';
import texts from './texts.json';
import { home } from '../../../console/root.js';

const t = texts.transfers;
export const STATES = [
  'unconfirmed',
  'awaiting_approval',
  'pending',
  'completed',
  'failed',
  'rejected',
  'expired',
  'cancelled',
];
type Transfer = components['schemas']['ManagedTransferResponse'];
const STUCK = [
  ['', text.all],
  ['true', t.stuck],
] as const;

export const page: ConsolePage = {
  path: 'transfers',
  title: t.title,
  group: 'money',
  icon: 'transfers',
  after: 'wallets',
  view: TransfersPage,
};

export function TransferState({ status, stuck_since: since }: { status: string; stuck_since: number }) {
  return (
    <>
      <State of={status} /> {since !== 0 && <State of="stuck" tone="bad" />}
    </>
  );
}

export const columns = (appId: string): readonly Column<Transfer>[] => [
  {
    head: t.amount,
    isName: true,
    value: (row) => `${row.source_amount} ${row.source_currency}`,
    cell: (row) => (
      <a href={`${home}/apps/${appId}/transfers/${row.id}`}>
        {row.source_amount} {row.source_currency}
      </a>
    ),
  },
  { head: text.state, value: ({ status }) => status, cell: (row) => <TransferState {...row} /> },
  { head: t.nextStep, value: ({ next_step: step }) => (step === 'none' ? '' : nameOf(step)) },
  { head: t.dest, value: ({ dest }) => dest, cell: (row) => <Copyable value={row.dest} /> },
  CREATED,
];

function TransfersPage({ appId }: PageProps) {
  const path = { app_id: appId };
  return (
    <ListPage
      text={t}
      filters={[
        stateFilter(STATES),
        { name: 'stuck', label: t.progress, options: STUCK },
        { name: 'user_id', label: nameOf('user_id') },
        fieldsOf(t)('source'),
      ]}
      load={(query) => call(api.GET('/management/v1/apps/{app_id}/transfers', { params: { path, query } }))}
      rows={({ transfers }) => transfers}
      isPending={({ status }) => status === 'pending'}
      columns={columns(appId)}
    />
  );
}
