import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Histogram, Registry, Gauge, Counter } from 'prom-client';
import type { ConnectionUse } from '../../postgres/pool.js';

const MAX_TEXTS_PER_SECOND = 5;

/** Prometheus metrics. Labels are route patterns and statuses, never ids. */
@Injectable()
export class HttpMetrics {
  readonly registry = new Registry();
  private readonly duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its response.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [this.registry],
  });

  private latest: Promise<string> | undefined;
  private countedSince = 0;
  private texts = 0;

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** The text of all metrics. A text takes 4 ms, so that a scrape beyond a few in a second gets the previous one. */
  text(): Promise<string> {
    const now = performance.now();
    if (now - this.countedSince > 1_000) [this.countedSince, this.texts] = [now, 0];
    if (++this.texts <= MAX_TEXTS_PER_SECOND || !this.latest) this.latest = this.registry.metrics();
    return this.latest;
  }

  observe(method: string, route: string, status: number, seconds: number): void {
    this.duration.observe({ method, route, status }, seconds);
  }
}

interface GaugeText {
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  /** The values of the label that have a sample from the start, so that an alert sees the first change. */
  readonly values?: readonly string[];
}

/**
 * Registers a gauge that is read when it is scraped: one number, or one for each value of its label. If it is unknown (null) or cannot
 * be read, the gauge has no sample, and the scrape still returns the other metrics.
 */
export function scrapedGauge(
  registry: Registry,
  { name, help, label, values = [] }: GaugeText,
  read: () => Promise<number | null | Readonly<Record<string, number>>>,
): void {
  const gauge = new Gauge({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [],
    async collect() {
      const numbers = await read().catch(() => null);
      this.reset();
      // A gauge without a label is zero after `reset`, which an alert would take for a value.
      if (numbers === null) {
        if (label === undefined) this.remove();
      } else if (typeof numbers === 'number') this.set(numbers);
      else {
        for (const value of values) this.set({ [label!]: value }, 0);
        for (const [value, number] of Object.entries(numbers)) this.set({ [label!]: value }, number);
      }
    },
  });
  registry.registerMetric(gauge);
}

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
