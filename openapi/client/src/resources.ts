import type { CallOptions, Name } from './calls.js';
import { ok } from './errors.js';
import { type AnyCall, iterate } from './lists.js';
import type { Resources } from './methods.js';
import { OPERATIONS } from './operations.js';

export type { Resources };

/** A call of any path. */
export type Request = (
  method: string,
  path: string,
  init: object,
) => Promise<{ data?: unknown; error?: unknown; response: Response }>;

type Node = Record<string, unknown>;

/** Makes the methods of `OPERATIONS` from a function that calls any path, and from fetches with a time limit of their own. */
export function resourcesOf(request: Request, fetchWithin: (seconds: number) => unknown): Resources {
  const root: Node = {};
  // A name that is a call and a resource comes first as the call: `wallets.import` and `wallets.import.begin`.
  for (const name of (Object.keys(OPERATIONS) as Name[]).sort()) {
    const [method, path] = OPERATIONS[name];
    const parts = name.split('.');
    const last = parts.pop()!;
    const parent = parts.reduce((node, part) => (node[part] ??= {}) as Node, root);
    const init = (sent: unknown[]): object => initOf(name, sent, fetchWithin);
    parent[last] = async (...sent: unknown[]) => ok(request(method, path, init(sent)));
    if (last !== 'list' && last !== 'search') continue;
    const all = last === 'search' && 'list' in parent ? 'searchAll' : 'all';
    parent[all] = (...sent: unknown[]) => iterate(request as AnyCall, path, init(sent));
  }
  return root as unknown as Resources;
}

function initOf(name: Name, sent: unknown[], fetchWithin: (seconds: number) => unknown): object {
  const [method, path] = OPERATIONS[name];
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, id]) => id!);
  const ids = Object.fromEntries(names.map((id, index) => [id, idIn(sent[index], id)]));
  const fields = sent[names.length];
  const { idempotencyKey, signal, headers, timeoutSeconds } = (sent[names.length + 1] ?? {}) as CallOptions;
  return {
    ...(signal && { signal }),
    ...(timeoutSeconds !== undefined && { fetch: fetchWithin(timeoutSeconds) }),
    ...(headers && { headers }),
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
  // `fetch` removes dots: `keys.revoke(app, '..')` would delete the app.
  if (typeof value !== 'string' || /^(?:\.|%2e){0,2}$/i.test(value)) throw new TypeError(`${name} must be an id.`);
  return value;
}
