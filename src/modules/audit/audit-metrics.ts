import { Gauge, type Registry } from 'prom-client';
import type { AuditState } from './infrastructure/postgres-audit-state.js';

/** Gauges that read the tables when they are scraped. */
export function registerAuditMetrics(registry: Registry, state: () => Promise<AuditState>): void {
  const gauge = (name: string, help: string, valueIn: (state: AuditState) => number | null): Gauge =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        // When the database is unavailable, the scrape must still return the other metrics.
        const value = await state().then(valueIn, () => null);
        if (value === null) this.reset();
        else this.set(value);
      },
    });
  gauge(
    'audit_entries_unchained',
    'Audit entries that wait for their place in the chain.',
    ({ unchained }) => unchained,
  );
  gauge(
    'audit_checkpoint_age_seconds',
    'Seconds since the last signed checkpoint of the audit log.',
    ({ checkpointAgeSeconds }) => checkpointAgeSeconds,
  );
}
