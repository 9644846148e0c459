import { signIn } from '../support/sign-in.js';
import { type Answer, startApp, type TestApp } from '../support/app.js';
import type { GivenApp } from '../support/given.js';

/** One item more than the smallest page of a search. */
const ITEMS = 11;

let service: TestApp;
let app: GivenApp;
let user: { user_id: string };

beforeAll(async () => {
  service = await startApp({ env: { ROLE: 'api' } });
  app = await service.given.app();
  const manage = async (path: string, body: object): Promise<void> => {
    const { status, text } = await service.call('POST', `/management/v1/${path}`, { key: service.managementKey, body });
    if (status !== 200) throw new Error(text);
  };
  for (let i = 0; i < ITEMS; i++) {
    await manage('apps', { name: `App ${i}`, mode: 'test' });
    await manage(`apps/${app.id}/keys`, { kind: 'secret', name: `Key ${i}` });
    await manage(`apps/${app.id}/redirect_urls`, { kind: 'login', url: `https://shop.example/${i}` });
    await manage(`apps/${app.id}/oauth_connections`, {
      provider: `provider-${i}`,
      issuer: 'http://127.0.0.1:9/',
      client_id: 'id',
      client_secret: 'secret',
    });
    user = await service.given.user(app);
  }
  for (let i = 0; i < ITEMS; i++) await signIn(service, app, user);
});
afterAll(() => service.stop());

type List = (page: { limit: number; starting_after?: string }) => Promise<Answer>;

const get =
  (key: () => string, path: () => string, query: () => Record<string, string> = () => ({})): List =>
  ({ limit, ...cursor }) =>
    service.call('GET', path(), { key: key(), query: { ...query(), limit: String(limit), ...cursor } });
const managed = (path: string): List =>
  get(
    () => service.managementKey,
    () => `/management/v1/apps${path.replace(':app', app.id)}`,
  );
const ofApp = (path: string, query?: () => Record<string, string>): List =>
  get(
    () => app.secretKey,
    () => path,
    query,
  );

describe.each<[string, string, string, List]>([
  ['sessions', 'sessions', 'id', ofApp('/v1/auth/sessions/list', () => ({ user_id: user.user_id }))],
  ['wallets', 'wallets', 'id', ofApp('/v1/wallets/list')],
  [
    'found users',
    'users',
    'user_id',
    (body) => service.call('POST', '/v1/auth/users/search', { key: app.secretKey, body }),
  ],
  [
    'users found by a filter',
    'users',
    'user_id',
    (page) =>
      service.call('POST', '/v1/auth/users/search', {
        key: app.secretKey,
        body: { ...page, filters: { fields: [{ field: 'email_match', operator: 'eq', value: '@example.com' }] } },
      }),
  ],
  ['apps', 'apps', 'id', managed('')],
  ['keys', 'keys', 'id', managed('/:app/keys')],
  ['redirect URLs', 'redirect_urls', 'id', managed('/:app/redirect_urls')],
  ['OAuth connections', 'oauth_connections', 'id', managed('/:app/oauth_connections')],
  ['OAuth connections of the secret key', 'oauth_connections', 'id', ofApp('/v1/auth/oauth_connections/list')],
  ['entries of the audit log', 'entries', 'id', managed('/:app/audit_log')],
])('a page of %s', (_, field, id, list) => {
  it('reports has_more exactly when an item follows its last one', async () => {
    const { body: whole } = await list({ limit: 100 });
    const ids = (body: Answer['body']): string[] => body[field].map((item: Record<string, string>) => item[id]);
    const all = ids(whole);
    expect([whole.has_more, all.length >= ITEMS]).toEqual([false, true]);

    const { body: exact } = await list({ limit: all.length });
    expect([ids(exact), exact.has_more]).toEqual([all, false]);

    const { body: first } = await list({ limit: all.length - 1 });
    expect([ids(first), first.has_more]).toEqual([all.slice(0, -1), true]);

    const { body: rest } = await list({ limit: 10, starting_after: all.at(-11) ?? all[0]! });
    expect([ids(rest), rest.has_more]).toEqual([all.slice(-10), false]);
  });
});
