import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

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
