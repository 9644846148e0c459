import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { collectDefaultMetrics, Histogram, Registry, Gauge, Counter } from 'prom-client';
import { causeOf, isDatabaseUnavailable } from '../../postgres/database-unavailable.js';
import type { ConnectionUse } from '../../postgres/pool.js';

const MAX_TEXTS_PER_SECOND = 5;
const TABLES_READ_EVERY_MS = 10_000;
const FIRST_READ_MS = 2_000;

/** Labels are route patterns and statuses, never ids. */
@Injectable()
export class HttpMetrics implements BeforeApplicationShutdown {
  readonly registry = new Registry();
  private readonly duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its response.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [this.registry],
  });

  private readonly refusals = new Counter({
    name: 'http_refusals_total',
    help: 'Calls that were refused, by the type of the error.',
    labelNames: ['error_type'] as const,
    registers: [this.registry],
  });
  private latest: Promise<string> | undefined;
  private countedSince = 0;
  private texts = 0;
  private readonly tableReads: (() => Promise<boolean>)[] = [];
  private reads: Promise<void> = Promise.resolve();
  private isReading = false;
  private lastReadAt = performance.now();
  private timer: NodeJS.Timeout | undefined;
  private isStopping = false;

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    scrapedGauge(
      this.registry,
      { name: 'metrics_read_age_seconds', help: 'Seconds since all gauges over tables were read.' },
      () => (performance.now() - this.lastReadAt) / 1_000,
    );
  }

  /** Resolves after the first read, or soon if the database does not respond. */
  async begin(): Promise<void> {
    this.timer = setInterval(() => {
      if (!this.isReading) void this.readTables();
    }, TABLES_READ_EVERY_MS).unref();
    await Promise.race([this.readTables(), pause(FIRST_READ_MS, undefined, { ref: false })]);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.timer);
    await this.reads;
  }

  /** One after another, so that the gauges take one connection. */
  readTables(): Promise<void> {
    return (this.reads = this.reads.then(() => this.readAll()));
  }

  /** `read` resolves to whether the database responded. */
  addTableRead(read: () => Promise<boolean>): void {
    this.tableReads.push(read);
  }

  private async readAll(): Promise<void> {
    const begunAt = performance.now();
    let isComplete = true;
    this.isReading = true;
    for (const read of this.tableReads) if (!this.isStopping) isComplete = (await read()) && isComplete;
    this.isReading = false;
    if (isComplete) this.lastReadAt = begunAt;
  }

  /** A text takes 4 ms, so further scrapes within a second get the previous one. */
  text(): Promise<string> {
    const now = performance.now();
    if (now - this.countedSince > 1_000) [this.countedSince, this.texts] = [now, 0];
    if (++this.texts <= MAX_TEXTS_PER_SECOND || !this.latest) this.latest = this.registry.metrics();
    return this.latest;
  }

  observe(method: string, route: string, status: number, seconds: number, errorType?: string): void {
    this.duration.observe({ method, route, status }, seconds);
    if (errorType !== undefined) this.refusals.inc({ error_type: errorType });
  }
}

interface GaugeText {
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  /** Samples from the start, so that an alert sees the first change. */
  readonly values?: readonly string[];
}

/** Query cancelled, as by the statement timeout. */
const TOO_SLOW = '57014';

type Reading = number | null | Readonly<Record<string, number>>;

/** An unknown value (null) has no sample. */
export function scrapedGauge(
  registry: Registry,
  { name, help, label, values = [] }: GaugeText,
  read: () => Reading,
): void {
  const gauge = new Gauge({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [],
    collect() {
      const numbers = read();
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

/** A timer reads tables, so no scrape waits. Without the database the gauge keeps its number; after another failure it has no sample. */
export function tableGauge(metrics: HttpMetrics, text: GaugeText, read: () => Promise<Reading>): void {
  let latest: Reading = null;
  scrapedGauge(metrics.registry, text, () => latest);
  metrics.addTableRead(async () => {
    try {
      latest = await read();
      return true;
    } catch (error) {
      if (!isDatabaseUnavailable(error) || causeOf(error).code === TOO_SLOW) latest = null;
      return false;
    }
  });
}

export function registerDatabaseMetrics(registry: Registry, use: () => ConnectionUse): void {
  scrapedGauge(
    registry,
    { name: 'database_connections', help: 'Connections of the pool, by state.', label: 'state' },
    () => ({ in_use: use().inUse, idle: use().idle }),
  );
  scrapedGauge(
    registry,
    { name: 'database_connections_waiting', help: 'Calls that wait for a connection of the pool.' },
    () => use().waiting,
  );
  const counter = (name: string, help: string, read: () => number): void => {
    const counted = new Counter({
      name,
      help,
      registers: [],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
    registry.registerMetric(counted);
  };
  counter(
    'database_connection_wait_seconds_total',
    'Time that calls have waited for a connection of the pool, or for a new one to open.',
    () => use().waitedSeconds,
  );
  counter(
    'database_calls_refused_total',
    'Calls that were refused (503 overloaded) because too many waited.',
    () => use().refused,
  );
}
