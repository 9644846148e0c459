import type { IncomingHttpHeaders } from 'node:http';

/** What a span is about. Its attributes never have a value of a call, a key, an address of a user or a token. */
export interface SpanText {
  readonly name: string;
  /** `consumer`: work that no request waits for, which begins a trace of its own. */
  readonly kind?: 'client' | 'consumer';
  readonly attributes?: Readonly<Record<string, string | number>>;
}

/** The span of a request that is worked on. */
export interface RequestSpan {
  /** Undefined if the trace is not sampled. */
  readonly traceId: string | undefined;
  end(name: string, status: number, attributes: Readonly<Record<string, string | undefined>>): void;
}

/** Where spans go. */
export interface Tracing {
  /** Runs `work` within the span of a request, whose caller may have begun the trace. */
  receive(headers: IncomingHttpHeaders, method: string, work: () => void): RequestSpan;
  /** Runs `work` within a span, which ends with its result; without one where the caller has none or an unsampled one. */
  run<T>(text: SpanText, work: () => T): T;
  /** Begins a span for each text, and returns what ends them: from the index of a failure on, with the failure. */
  begin(texts: () => readonly SpanText[]): (failure?: { readonly error: unknown; readonly index: number }) => void;
  /** The headers by which a called service goes on with the trace. */
  headers(): Readonly<Record<string, string>>;
}

let current: Tracing | undefined;

/** Sets where spans go from now on; undefined: nowhere. */
export function traceBy(tracing: Tracing | undefined): void {
  current = tracing;
}

/** Undefined unless the configuration asks for spans. */
export function currentTracing(): Tracing | undefined {
  return current;
}

/** Runs `work` within a span, if spans are made. */
export function traced<T>(text: () => SpanText, work: () => T): T {
  return current === undefined ? work() : current.run(text(), work);
}

const NONE = {};

/** The headers of an outbound call that carry the trace. */
export function traceHeaders(): Readonly<Record<string, string>> {
  return current?.headers() ?? NONE;
}
