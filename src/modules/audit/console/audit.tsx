import type { components } from '../../../../openapi/client/src/index.js';
import { api, call } from '../../../console/api.js';
import type { ConsolePage, PageProps } from '../../../console/page.js';
import { nameOf, phraseOf, text } from '../../../console/text.js';
import { stateFilter } from '../../../console/ui/filter.js';
import { fieldsOf } from '../../../console/ui/form.js';
import { ListPage } from '../../../console/ui/list.js';
import { Copyable, State } from '../../../console/ui/states.js';
import type { Column } from '../../../console/ui/table.js';
import texts from './texts.json';

const t = texts.audit;
const field = fieldsOf(t);

export const page: ConsolePage = {
  path: 'audit-log',
  title: t.title,
  group: 'operate',
  icon: 'audit',
  after: 'jobs',
  view: AuditPage,
};

export const FILTERS = [
  field('actor'),
  field('action'),
  stateFilter(['ok', 'refused'], 'outcome', t.outcome),
  field('since', { type: 'datetime-local' }),
  field('until', { type: 'datetime-local' }),
];

type Entry = components['schemas']['AuditEntryResponse'];

const outcomeOf = ({ outcome, error_type: type }: Entry): string =>
  [nameOf(outcome), type && nameOf(type)].filter(Boolean).join(': ');

export const COLUMNS: readonly Column<Entry>[] = [
  { head: text.time, time: (row) => row.at },
  {
    head: t.action,
    isName: true,
    value: ({ action, calls }) => (calls > 1 ? `${action} × ${calls}` : action),
    cell: ({ action, calls, fields }) => (
      <>
        <span>{phraseOf(action)}</span> {calls > 1 && <span class="faint">× {calls}</span>}
        <span class="hint">
          <code>{action}</code> {fields.map((name) => nameOf(name)).join(', ')}
        </span>
      </>
    ),
  },
  {
    head: t.outcome,
    value: outcomeOf,
    cell: (entry) => <State of={entry.outcome}>{outcomeOf(entry)}</State>,
  },
  {
    head: t.actor,
    value: ({ actor }) => actor,
    cell: ({ actor, actor_name: name }) => <Copyable value={actor}>{name || actor}</Copyable>,
  },
  { head: t.fields, value: ({ fields }) => fields.join(', '), isOnlyInFile: true },
  { head: t.target, value: ({ target }) => target },
  { head: text.address, value: ({ ip, ip_erased: erased }) => (erased ? t.erased : ip) },
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
