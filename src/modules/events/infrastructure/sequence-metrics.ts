import type { Database } from '../../../postgres/database.js';
import { type HttpMetrics, tableGauge } from '../../../services/observability/metrics.js';

/** The count has a bound, because a read of the metrics must not take a long backlog. */
const UNSEQUENCED = `select count(*)::int as events from (select 1 from unsequenced_events limit 100000) few`;
const LAG = `
  select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as lag
    from (select created_at from unsequenced_events limit 10000) few`;

export function registerSequenceMetrics(metrics: HttpMetrics, database: Database): void {
  tableGauge(
    metrics,
    { name: 'events_unsequenced', help: 'Committed events that have no position yet, 100,000 at most.' },
    async () => (await database.list<{ events: number }>(UNSEQUENCED))[0]!.events,
  );
  tableGauge(
    metrics,
    { name: 'events_sequencer_lag_seconds', help: 'Age of the oldest event without a position.' },
    async () => (await database.list<{ lag: number }>(LAG))[0]!.lag,
  );
}
