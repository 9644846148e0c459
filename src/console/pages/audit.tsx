import type { components } from '../../../openapi/client/src/index.js';
import { api, call } from '../api.js';
import { epochOf, nameOf, text } from '../text.js';
import { Filter, stateFilter, useFilters } from '../ui/filter.js';
import { Badge, Page, Time } from '../ui/states.js';
import { List, type PageOf, type Slice } from '../ui/table.js';
import type { AppPageProps } from './app-page.js';

const t = text.audit;

type Entry = components['schemas']['AuditEntryResponse'];
interface Query {
  readonly actor?: string;
  readonly action?: string;
  readonly outcome?: 'ok' | 'refused';
  readonly since?: number;
  readonly until?: number;
}

export function AuditPage({ appId }: AppPageProps) {
  return (
    <AuditLog
      title={t.title}
      intro={t.intro}
      load={async (query) => {
        const page = await call(
          api.GET('/management/v1/apps/{app_id}/audit_log', { params: { path: { app_id: appId }, query } }),
        );
        return { rows: page.entries, hasMore: page.has_more };
      }}
    />
  );
}

/** What names no app: management keys, sign-ins, refused calls. */
export function ServiceAuditPage() {
  return (
    <AuditLog
      title={text.nav.serviceAudit}
      intro={t.serviceIntro}
      load={async (query) => {
        const page = await call(api.GET('/management/v1/audit_log', { params: { query } }));
        return { rows: page.entries, hasMore: page.has_more };
      }}
    />
  );
}

function AuditLog({
  title,
  intro,
  load,
}: {
  title: string;
  intro: string;
  load: (query: Slice & Query) => Promise<PageOf<Entry>>;
}) {
  const [filters, apply] = useFilters('actor', 'action', 'outcome', 'since', 'until');
  const filter: Query = {
    ...filters,
    outcome: filters.outcome as Query['outcome'],
    since: filters.since ? epochOf(filters.since) : undefined,
    until: filters.until ? epochOf(filters.until) : undefined,
  };
  return (
    <Page title={title} intro={intro}>
      <Filter
        fields={[
          { name: 'actor', label: t.actor, value: filters.actor },
          { name: 'action', label: t.action, value: filters.action },
          { ...stateFilter(['ok', 'refused'], filters.outcome, 'outcome'), label: t.outcome },
          { name: 'since', label: text.since, type: 'datetime-local', value: filters.since },
          { name: 'until', label: text.until, type: 'datetime-local', value: filters.until },
        ]}
        apply={apply}
      />
      <List
        caption={title}
        empty={t.empty}
        inputs={[JSON.stringify(filter)]}
        load={(slice) => load({ ...slice, ...filter })}
        cursorOf={({ id }) => id}
        columns={[
          { head: t.at, cell: ({ at }) => <Time at={at} /> },
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
            cell: ({ outcome, error_type: errorType }) => (
              <Badge tone={outcome === 'ok' ? 'good' : 'bad'}>
                {nameOf(outcome)}
                {errorType && `: ${errorType}`}
              </Badge>
            ),
          },
          { head: t.ip, cell: ({ ip, ip_erased: erased }) => (erased ? t.erased : ip || text.none) },
        ]}
      />
    </Page>
  );
}
