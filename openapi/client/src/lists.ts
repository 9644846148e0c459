import type { DataOf, Operation, paths } from './document.js';
import { ok } from './errors.js';

/** A search lists by POST; all other lists are GET. */
type ListMethod<P> = P extends `${string}/search` ? 'post' : 'get';
type PageOf<P extends keyof paths> = DataOf<Operation<ListMethod<P>, P>>;
type IsPaged<D> = [D] extends [never] ? false : D extends { has_more: boolean } | { offset: number } ? true : false;

/** The paths that return a list in pages. */
export type ListPath = { [P in keyof paths]: IsPaged<PageOf<P>> extends true ? P : never }[keyof paths];

/** One element of a list. */
export type ItemOf<P extends ListPath> = {
  [K in keyof PageOf<P>]-?: NonNullable<PageOf<P>[K]> extends readonly (infer I)[] ? I : never;
}[keyof PageOf<P>];

type Parts<O> = O extends { parameters: infer Q; requestBody?: infer B }
  ? { params?: Pick<Q, keyof Q & ('path' | 'query')> } & (NonNullable<B> extends {
      content: { 'application/json': infer J };
    }
      ? { body?: J }
      : unknown)
  : unknown;
type PathParameters<O> = O extends { parameters: { path: infer V } } ? { params: { path: V } } : unknown;

/** Parameters of a list: path, filters and the size of a page. */
export type ListInit<P extends ListPath> = Parts<Operation<ListMethod<P>, P>> &
  PathParameters<Operation<ListMethod<P>, P>> & { readonly signal?: AbortSignal };

/** A call of any path, as the iteration needs it. */
export type AnyCall = (
  method: 'get' | 'post',
  path: string,
  init: object,
) => Promise<{ data?: unknown; error?: unknown; response: Response }>;

interface Page {
  readonly has_more?: boolean;
  readonly offset?: number;
  readonly limit?: number;
  readonly [items: string]: unknown;
}

interface Init {
  readonly params?: { readonly query?: object };
  readonly body?: object;
}

/** The feed continues after an event; all other lists continue after the last id of a page. */
const CURSORS: Readonly<Record<string, string>> = { '/v1/events': 'after' };

/** All elements of a list. The next page is fetched when the caller reaches the end of one. */
export async function* iterate(call: AnyCall, path: string, init: Init = {}): AsyncGenerator<unknown, void, undefined> {
  const isSearch = path.endsWith('/search');
  let position: object = {};
  for (;;) {
    const page = (await ok(
      isSearch
        ? call('post', path, { ...init, body: { ...init.body, ...position } })
        : call('get', path, { ...init, params: { ...init.params, query: { ...init.params?.query, ...position } } }),
    )) as Page;
    const items = Object.values(page).find((value): value is unknown[] => Array.isArray(value)) ?? [];
    yield* items;
    const hasMore = page.has_more ?? items.length === page.limit;
    if (!hasMore || items.length === 0) return;
    position =
      page.offset === undefined
        ? { [CURSORS[path] ?? 'starting_after']: idOf(items.at(-1)) }
        : { offset: page.offset + items.length };
  }
}

function idOf(item: unknown): string | undefined {
  const { id, user_id: userId } = item as { id?: string; user_id?: string };
  return id ?? userId;
}
