import type { IncomingHttpHeaders } from 'node:http';

/** What a span is about. Its attributes never have a value of a call, a key, an address of a user or a token. */
export interface SpanText {
  readonly name: string;
  /** `consumer`: work that no request waits for, which begins a trace of its own. */
  readonly kind?: 'client' | 'consumer';
  readonly attributes?: Readonly<Record<string, string | number>>;
}

export interface RequestSpan {
  readonly traceId: string | undefined;
  end(name: string, status: number, attributes: Readonly<Record<string, string | undefined>>): void;
}

export interface Tracing {
  /** Runs `work` within the span of a request, whose caller may have begun the trace. */
  receive(headers: IncomingHttpHeaders, method: string, work: () => void): RequestSpan;
  /** Runs `work` within a span, which ends with its result; without one where the caller has none or an unsampled one. */
  run<T>(text: SpanText, work: () => T): T;
  /** Begins a span for each text, and returns what ends them: from the index of a failure on, with the failure. */
  begin(texts: () => readonly SpanText[]): (failure?: { readonly error: unknown; readonly index: number }) => void;
  headers(): Readonly<Record<string, string>>;
}

let current: Tracing | undefined;

export function traceBy(tracing: Tracing | undefined): void {
  current = tracing;
}

export function currentTracing(): Tracing | undefined {
  return current;
}

export function traced<T>(text: () => SpanText, work: () => T): T {
  return current === undefined ? work() : current.run(text(), work);
}

const NONE = {};

export function traceHeaders(): Readonly<Record<string, string>> {
  return current?.headers() ?? NONE;
}
