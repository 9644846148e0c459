import { Gauge, type Registry } from 'prom-client';
import type { JobCounts } from './job-queue.js';

/** Gauges that count the table of jobs when they are scraped. */
export function registerJobMetrics(registry: Registry, counts: () => Promise<JobCounts>): void {
  const gauge = (name: string, help: string, fill: (gauge: Gauge, counts: JobCounts) => void): Gauge =>
    new Gauge({
      name,
      help,
      labelNames: ['state'],
      registers: [registry],
      async collect() {
        this.reset();
        // When the database is unavailable, the scrape must still return the other metrics.
        const counted = await counts().catch(() => null);
        if (counted) fill(this, counted);
      },
    });
  gauge('jobs', 'Jobs by state.', (jobs, { waiting, dead }) => {
    jobs.set({ state: 'waiting' }, waiting);
    jobs.set({ state: 'dead' }, dead);
  });
  gauge(
    'jobs_oldest_due_seconds',
    'Seconds since the oldest waiting job became due.',
    (oldest, { oldestDueSeconds }) => {
      oldest.set(oldestDueSeconds);
    },
  );
}
