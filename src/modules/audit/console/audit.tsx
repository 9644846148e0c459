import type { components } from '../../../../openapi/client/src/index.js';
import { api, call } from '../../../console/api.js';
import type { ConsolePage, PageProps } from '../../../console/page.js';
import { nameOf, text } from '../../../console/text.js';
import { stateFilter } from '../../../console/ui/filter.js';
import { fieldsOf } from '../../../console/ui/form.js';
import { ListPage } from '../../../console/ui/list.js';
import { State, Time } from '../../../console/ui/states.js';
import type { Column } from '../../../console/ui/table.js';
import texts from './texts.json';

const t = texts.audit;
const field = fieldsOf(t);

export const page: ConsolePage = { path: 'audit-log', title: t.title, after: 'jobs', view: AuditPage };

export const FILTERS = [
  field('actor'),
  field('action'),
  stateFilter(['ok', 'refused'], 'outcome', t.outcome),
  field('since', { type: 'datetime-local' }),
  field('until', { type: 'datetime-local' }),
];

export const COLUMNS: readonly Column<components['schemas']['AuditEntryResponse']>[] = [
  { head: text.time, cell: ({ at }) => <Time at={at} /> },
  {
    head: t.action,
    isName: true,
    cell: ({ action, calls }) => (
      <>
        <code class="name">{action}</code> {calls > 1 && <span class="faint">× {calls}</span>}
      </>
    ),
  },
  { head: t.target, cell: ({ target }) => <code>{target || text.none}</code> },
  { head: t.fields, cell: ({ fields }) => fields.join(', ') || text.none },
  { head: t.actor, cell: ({ actor }) => <code>{actor}</code> },
  {
    head: t.outcome,
    cell: ({ outcome, error_type: type }) => (
      <State of={outcome}>{[nameOf(outcome), type].filter(Boolean).join(': ')}</State>
    ),
  },
  { head: text.address, cell: ({ ip, ip_erased: erased }) => (erased ? t.erased : ip || text.none) },
];

function AuditPage({ appId }: PageProps) {
  const path = { app_id: appId };
  return (
    <ListPage
      text={t}
      filters={FILTERS}
      load={(query) => call(api.GET('/management/v1/apps/{app_id}/audit_log', { params: { path, query } }))}
      rows={({ entries }) => entries}
      columns={COLUMNS}
    />
  );
}
