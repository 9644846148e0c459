import { api, call } from '../api.js';
import { nameOf, text } from '../text.js';
import { Filter, stateFilter, useFilters } from '../ui/filter.js';
import { Badge, Page, Time } from '../ui/states.js';
import { List } from '../ui/table.js';
import type { AppPageProps } from './app-page.js';

const t = text.jobs;
const TONES = { waiting: 'plain', running: 'good', retrying: 'wait', dead: 'bad' } as const;

export function JobsPage({ appId }: AppPageProps) {
  const [filters, apply] = useFilters('state', 'kind');
  const state = filters.state as keyof typeof TONES | undefined;
  const { kind } = filters;
  return (
    <Page title={t.title} intro={t.intro}>
      <Filter
        fields={[stateFilter(Object.keys(TONES), state, 'state'), { name: 'kind', label: t.kind, value: kind }]}
        apply={apply}
      />
      <List
        caption={t.title}
        empty={state || kind ? t.noneFound : t.empty}
        inputs={[appId, state, kind]}
        load={async (slice) => {
          const params = { path: { app_id: appId }, query: { ...slice, state, kind } };
          const page = await call(api.GET('/management/v1/apps/{app_id}/jobs', { params }));
          return { rows: page.jobs, hasMore: page.has_more };
        }}
        cursorOf={({ id }) => id}
        columns={[
          { head: t.kind, isName: true, cell: ({ kind }) => <code>{kind}</code> },
          { head: text.state, cell: (row) => <Badge tone={TONES[row.state]}>{nameOf(row.state)}</Badge> },
          { head: text.messages.attempts, cell: ({ attempts }) => attempts },
          { head: text.messages.lastError, cell: (row) => <span class="wrap">{row.last_error || text.none}</span> },
          { head: t.due, cell: (row) => <Time at={row.due_at} /> },
          { head: text.apps.created, cell: (row) => <Time at={row.created_at} /> },
        ]}
      />
    </Page>
  );
}
