import type { Registry } from 'prom-client';
import { scrapedGauge } from '../observability/metrics.js';
import type { JobCounts } from './job-queue.js';

export function registerJobMetrics(registry: Registry, counts: () => Promise<JobCounts>): void {
  scrapedGauge(registry, { name: 'jobs', help: 'Jobs by state.', label: 'state' }, async () => {
    const { waiting, dead } = await counts();
    return { waiting, dead };
  });
  scrapedGauge(
    registry,
    { name: 'jobs_oldest_due_seconds', help: 'Seconds since the oldest waiting job became due.' },
    async () => (await counts()).oldestDueSeconds,
  );
}
