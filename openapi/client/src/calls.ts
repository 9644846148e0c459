import type { DataOf, Operation, paths } from './document.js';
import type { ItemOf, ListPath } from './lists.js';
import type { OPERATIONS } from './operations.js';

export type Operations = typeof OPERATIONS;
export type Name = keyof Operations;
/** The operation with this name in the document. */
type Of<N extends Name> = Operation<Operations[N][0], Operations[N][1] & keyof paths>;

type BodyOf<O> = O extends { requestBody?: infer B }
  ? NonNullable<B> extends { content: { 'application/json': infer J } }
    ? J
    : undefined
  : undefined;
type QueryOf<O> = O extends { parameters: { query?: infer Q } } ? NonNullable<Q> : undefined;

/** The response of a call. */
export type Data<N extends Name> = DataOf<Of<N>>;
/** The fields of a call: its body, or its query if it has none. */
export type Fields<N extends Name> = [BodyOf<Of<N>>] extends [undefined] ? QueryOf<Of<N>> : BodyOf<Of<N>>;
/** One element of a list. */
export type Item<N extends Name> = Operations[N][1] extends ListPath ? ItemOf<Operations[N][1]> : never;

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** A key of your own makes a call repeatable after a restart of your process. */
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces `totalSeconds` of the client; in an iteration, for each page. */
  readonly timeoutSeconds?: number;
}
