import createOpenapiClient, { type Client as OpenapiClient } from 'openapi-fetch';
import type { paths } from './document.js';
import { type AnyCall, iterate, type ItemOf, type ListInit, type ListPath } from './lists.js';
import { type Request as AnyRequest, type Resources, resourcesOf } from './resources.js';
import { type Hooks, type RetryOptions, retrying } from './retries.js';

export interface ClientOptions {
  /** The service, for instance `https://auth.example.com`. */
  readonly baseUrl: string;
  /** Secret key of an app (`sk_…`): all calls under `/v1`. Only for a backend. */
  readonly secretKey?: string;
  /** Public token of an app (`pk_…`): starts an OAuth login. */
  readonly publicToken?: string;
  /** Management key (`mk_…`). In a browser, leave it out: the session cookie of the console authenticates the calls. */
  readonly managementKey?: string;
  readonly retries?: RetryOptions;
  readonly hooks?: Hooks;
  /** Replaces the global fetch. */
  readonly fetch?: (request: Request, init?: RequestInit) => Promise<Response>;
}

/** `openapi-fetch` takes an id apart, which is a text and more, so its calls have plain texts. */
type Plain<T> = unknown extends T
  ? T
  : T extends string
    ? string extends T
      ? string
      : T
    : T extends object
      ? { [K in keyof T]: Plain<T[K]> }
      : T;
type PlainPaths = { [P in keyof paths]: Plain<paths[P]> };

/** Calls by resource, as `client.users.create(…)`, or by path, as `client.POST('/v1/auth/users/create', …)`. */
export interface Client extends OpenapiClient<PlainPaths>, Resources {
  /** All elements of a list, page by page. */
  list<P extends ListPath>(
    path: P,
    ...init: object extends ListInit<P> ? [ListInit<P>?] : [ListInit<P>]
  ): AsyncGenerator<ItemOf<P>, void, undefined>;
}

const BEGIN_OAUTH = '/v1/auth/oauth/{provider}/begin';
/** Calls that need no key, so none is sent. */
const WITHOUT_KEY = /^\/(?!v1\/|management\/)|^\/v1\/auth\/(jwks\/\{|oauth\/callback\/)/;

/**
 * A client of one service. A call of a resource returns its data and throws `ApiError`; a call by path returns `{ data }` or `{ error }`.
 * Both are typed by the document.
 */
export function createClient({ baseUrl, fetch, retries, hooks, ...keys }: ClientOptions): Client {
  const once = fetch ?? ((request: Request, init: RequestInit) => globalThis.fetch(request, init));
  const fetchWithin = (totalSeconds: number) => retrying(once, { ...retries, totalSeconds }, hooks);
  const client = createOpenapiClient<PlainPaths>({
    baseUrl,
    // A redirect is a response like any other: following it would send the body, and with it codes, to another address.
    redirect: 'manual',
    fetch: retrying(once, retries, hooks),
  });
  client.use({
    onRequest({ request, schemaPath }) {
      const key = schemaPath.startsWith('/management/') ? keys.managementKey : keys.secretKey;
      const { headers } = request;
      if (schemaPath === BEGIN_OAUTH && keys.publicToken) {
        const url = new URL(request.url);
        url.searchParams.set('public_token', keys.publicToken);
        return new Request(url, request);
      }
      if (key && !WITHOUT_KEY.test(schemaPath) && !headers.has('authorization')) {
        headers.set('authorization', `Bearer ${key}`);
      }
      if (request.method === 'POST' && !headers.has('idempotency-key')) headers.set('idempotency-key', randomKey());
    },
  });
  const list = (path: string, init?: object): AsyncGenerator<unknown, void, undefined> =>
    iterate(client.request as AnyCall, path, init);
  return Object.assign(client, resourcesOf(client.request as AnyRequest, fetchWithin), { list }) as Client;
}

/** `randomUUID` exists only on secure origins; a console may be served by plain HTTP on a private network. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
