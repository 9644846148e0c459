import { setTimeout } from 'node:timers/promises';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node';
import { DomainError } from '../../kernel/domain-error.js';
import { type RequestSpan, type SpanText, traceBy, type Tracing } from '../../kernel/tracing.js';
import type { Log } from '../../kernel/log.js';
import type { OpenTelemetrySettings } from '../config/open-telemetry.js';
import { OtlpExporter } from './otlp-exporter.js';

const KINDS = { client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER } as const;
const FIRST_ERROR_STATUS = 500;
const SHUTDOWN_MS = 2_000;

/** The returned function exports waiting spans and makes no more. */
export function startTracing(settings: OpenTelemetrySettings, version: string, log: Log): () => Promise<void> {
  const resource = { 'service.version': version, ...settings.resource };
  const provider = new NodeTracerProvider({
    sampler: samplerOf(settings),
    spanProcessors: [new BatchSpanProcessor(new OtlpExporter(settings, resource, log))],
  });
  // Without the usual second propagator, baggage: callers would send their data to chain nodes and providers.
  provider.register({ propagator: new W3CTraceContextPropagator() });
  traceBy(new OpenTelemetryTracing());
  return async () => {
    traceBy(undefined);
    // An unavailable collector does not delay the end of the process.
    await Promise.race([
      provider.shutdown().catch(() => undefined),
      setTimeout(SHUTDOWN_MS, undefined, { ref: false }),
    ]);
    trace.disable();
    context.disable();
    propagation.disable();
  };
}

function samplerOf({ sampler, ratio }: OpenTelemetrySettings): Sampler {
  const [, isByParent, own] = /^(parentbased_)?(.*)$/.exec(sampler)!;
  const root = { always_on: new AlwaysOnSampler(), always_off: new AlwaysOffSampler() }[own!];
  const chosen = root ?? new TraceIdRatioBasedSampler(ratio);
  return isByParent ? new ParentBasedSampler({ root: chosen }) : chosen;
}

class OpenTelemetryTracing implements Tracing {
  private readonly tracer = trace.getTracer('identity-and-wallets');

  receive(headers: Parameters<Tracing['receive']>[0], method: string, work: () => void): RequestSpan {
    const parent = propagation.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    const span = this.tracer.startSpan(method, { kind: SpanKind.SERVER }, parent);
    context.with(trace.setSpan(parent, span), work);
    return {
      traceId: span.isRecording() ? span.spanContext().traceId : undefined,
      end: (name, status, attributes) => {
        if (!span.isRecording()) return;
        span.updateName(name).setAttributes({ ...attributes, 'http.response.status_code': status });
        if (status >= FIRST_ERROR_STATUS) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  run<T>(text: SpanText, work: () => T): T {
    if (!this.isSampled(text.kind)) return work();
    const span = this.start(text);
    try {
      const result = context.with(trace.setSpan(context.active(), span), work);
      if (result instanceof Promise)
        result.then(
          () => span.end(),
          (error: unknown) => fail(span, error),
        );
      else span.end();
      return result;
    } catch (error) {
      fail(span, error);
      throw error;
    }
  }

  begin(texts: Parameters<Tracing['begin']>[0]): ReturnType<Tracing['begin']> {
    if (!this.isSampled('client')) return () => undefined;
    const spans = texts().map((text) => this.start(text));
    return (failure) => {
      for (const [index, span] of spans.entries())
        if (failure && index >= failure.index) fail(span, failure.error);
        else span.end();
    };
  }

  headers(): Readonly<Record<string, string>> {
    const headers: Record<string, string> = {};
    propagation.inject(context.active(), headers, defaultTextMapSetter);
    return headers;
  }

  /** Polls of workers, for instance, have no span above them and make none. */
  private isSampled(kind: SpanText['kind']): boolean {
    return kind === 'consumer' || trace.getActiveSpan()?.isRecording() === true;
  }

  private start({ name, kind, attributes = {} }: SpanText): Span {
    const root = kind === 'consumer';
    return this.tracer.startSpan(name, { kind: kind ? KINDS[kind] : SpanKind.INTERNAL, attributes, root });
  }
}

/** The messages of the database driver and of chain nodes contain values and keys. */
function fail(span: Span, error: unknown): void {
  const type = error instanceof DomainError ? error.code : error instanceof Error ? error.name : typeof error;
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
