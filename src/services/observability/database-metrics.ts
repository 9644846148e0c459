import { Counter, type Registry } from 'prom-client';
import type { ConnectionUse } from '../../postgres/pool.js';
import { scrapedGauge } from './scraped-gauge.js';

export function registerDatabaseMetrics(registry: Registry, use: () => ConnectionUse): void {
  scrapedGauge(
    registry,
    { name: 'database_connections', help: 'Connections of the pool, by state.', label: 'state' },
    async () => ({ in_use: use().inUse, idle: use().idle }),
  );
  scrapedGauge(
    registry,
    { name: 'database_connections_waiting', help: 'Calls that wait for a connection of the pool.' },
    async () => use().waiting,
  );
  const waited = new Counter({
    name: 'database_connection_wait_seconds_total',
    help: 'Time that calls have waited for a connection of the pool, or for a new one to open.',
    registers: [],
    collect() {
      this.reset();
      this.inc(use().waitedSeconds);
    },
  });
  registry.registerMetric(waited);
}
