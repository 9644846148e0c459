import type { DataOf, Operation, paths } from './document.js';
import { ok } from './errors.js';
import { OPERATIONS } from './operations.js';

type Operations = typeof OPERATIONS;
type Name = keyof Operations;
/** The operation with this name in the document. */
type Of<N extends Name> = Operation<Operations[N][0], Operations[N][1] & keyof paths>;

/** One argument for each parameter in a path. */
type Ids<P> = P extends `${string}{${string}}${infer Rest}` ? [id: string, ...Ids<Rest>] : [];
type BodyOf<O> = O extends { requestBody?: infer B }
  ? NonNullable<B> extends { content: { 'application/json': infer J } }
    ? J
    : undefined
  : undefined;
type QueryOf<O> = O extends { parameters: { query?: infer Q } } ? NonNullable<Q> : undefined;
/** The fields of a call: its body, or the query of a GET or DELETE. */
type Fields<O, M> = M extends 'get' ? QueryOf<O> : [BodyOf<O>] extends [undefined] ? QueryOf<O> : BodyOf<O>;
type Rest<F> = [F] extends [undefined]
  ? [fields?: undefined, options?: CallOptions]
  : object extends F
    ? [fields?: F, options?: CallOptions]
    : [fields: F, options?: CallOptions];

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** A key of your own makes a call repeatable after a restart of your process. */
  readonly idempotencyKey?: string;
}

/** A call of an operation: the ids of its path, then its fields. Returns the data and throws `ApiError`. */
type Call<N extends Name> = (
  ...sent: [...Ids<Operations[N][1]>, ...Rest<Fields<Of<N>, Operations[N][0]>>]
) => Promise<DataOf<Of<N>>>;

type Child<Prefix extends string> = Name extends infer N
  ? N extends `${Prefix}${infer Tail}`
    ? First<Tail>
    : never
  : never;
type First<Tail> = Tail extends `${infer Head}.${string}` ? Head : Tail;

/** The calls of each resource, as `users.emails.delete`. */
export type Resources<Prefix extends string = ''> = {
  readonly [C in Child<Prefix> & string]: (`${Prefix}${C}` extends Name ? Call<`${Prefix}${C}`> : unknown) &
    ([Child<`${Prefix}${C}.`>] extends [never] ? unknown : Resources<`${Prefix}${C}.`>);
};

/** A call of any path. */
export type Request = (
  method: string,
  path: string,
  init: object,
) => Promise<{ data?: unknown; error?: unknown; response: Response }>;

type Node = Record<string, unknown>;

/** Makes the methods of `OPERATIONS` from a function that calls any path. */
export function resourcesOf(request: Request): Resources {
  const root: Node = {};
  // A name that is a call and a resource comes first as the call: `wallets.import` and `wallets.import.begin`.
  for (const name of (Object.keys(OPERATIONS) as Name[]).sort()) {
    const [method, path] = OPERATIONS[name];
    const parts = name.split('.');
    const last = parts.pop()!;
    const parent = parts.reduce((node, part) => (node[part] ??= {}) as Node, root);
    parent[last] = async (...sent: unknown[]) => ok(request(method, path, initOf(method, path, sent)));
  }
  return root as Resources;
}

function initOf(method: string, path: string, sent: unknown[]): object {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const ids = Object.fromEntries(names.map((name, index) => [name, idIn(sent[index], name)]));
  const [fields, { idempotencyKey, signal }] = [sent[names.length], (sent[names.length + 1] ?? {}) as CallOptions];
  return {
    ...(signal && { signal }),
    params: {
      path: ids,
      ...(method === 'get' && { query: fields }),
      ...(idempotencyKey !== undefined && { header: { 'Idempotency-Key': idempotencyKey } }),
    },
    ...(method !== 'get' && fields !== undefined && { body: fields }),
  };
}

/** An id that is undefined by mistake would be the word in the path. */
function idIn(value: unknown, name: string): string {
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be a non-empty string.`);
  return value;
}
