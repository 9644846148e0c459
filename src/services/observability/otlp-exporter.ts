import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-node';
import type { Log } from '../../kernel/log.js';
import type { OpenTelemetrySettings } from '../config/open-telemetry.js';
import { failureText } from '../jobs/failure-text.js';
import { encoded, requestOf } from './otlp.js';

const LOGGED_EVERY_MS = 60_000;

type Callback = Parameters<SpanExporter['export']>[1];

/** Spans that the collector refuses are dropped; the log reports it once a minute. */
export class OtlpExporter implements SpanExporter {
  private loggedAt = -Infinity;
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    private readonly settings: OpenTelemetrySettings,
    private readonly resource: Readonly<Record<string, string>>,
    private readonly log: Log,
  ) {}

  export(spans: ReadableSpan[], done: Callback): void {
    const sent = this.send(spans).then(
      () => done({ code: 0 }),
      (error: unknown) => {
        if (performance.now() - this.loggedAt > LOGGED_EVERY_MS) {
          this.loggedAt = performance.now();
          this.log.warn({ spans: spans.length, err: failureText(error) }, 'spans could not be exported');
        }
        done({ code: 1 });
      },
    );
    this.underWay.add(sent);
    void sent.finally(() => this.underWay.delete(sent));
  }

  async forceFlush(): Promise<void> {
    await Promise.all(this.underWay);
  }

  shutdown(): Promise<void> {
    return this.forceFlush();
  }

  private async send(spans: readonly ReadableSpan[]): Promise<void> {
    const { url, protocol, headers, timeoutMs } = this.settings;
    const request = requestOf(spans, this.resource);
    const isJson = protocol === 'http/json';
    const response = await fetch(url, {
      method: 'POST',
      // A redirect would reveal the headers, which may hold a key.
      redirect: 'error',
      headers: { ...headers, 'Content-Type': isJson ? 'application/json' : 'application/x-protobuf' },
      body: isJson ? JSON.stringify(request) : encoded(request),
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`The collector answered ${response.status}.`);
  }
}
