import { request as httpRequest } from 'node:http';
import { Client } from 'pg';
import { Clock } from '../../../src/kernel/clock.js';
import type { ManagementRole } from '../../../src/kernel/management-role.js';
import { SecretTokens } from '../../../src/kernel/secret-tokens.js';
import { ManagementKeys } from '../../../src/modules/apps/index.js';
import { MANAGEMENT_KEY, startApp, type TestApp } from '../../support/app.js';
import { forgetSettings } from '../../support/background.js';
import { signRows } from '../../support/row-macs.js';

const OWN = 'https://auth.example.com';
const HOST = 'auth.example.com';

let service: TestApp;
let database: Client;
beforeAll(async () => {
  service = await startApp({ env: { BASE_URL: OWN } });
  database = new Client({ connectionString: service.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database?.end();
  await service?.stop();
});

interface Answer {
  readonly status: number;
  readonly cookie: string;
  readonly replayed: string | undefined;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests reach into answers as clients do
  readonly body: any;
}

/** A call with exactly these headers, as no `fetch` sends it. */
function send(
  method: string,
  path: string,
  headers: Record<string, string | string[]>,
  body?: unknown,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const json = body === undefined ? undefined : JSON.stringify(body);
    const sent = httpRequest(
      new URL(`/management/v1${path}`, service.url),
      { method, headers: { host: HOST, ...(json && { 'content-type': 'application/json' }), ...headers } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () =>
          resolve({
            status: response.statusCode!,
            cookie: response.headers['set-cookie']?.[0] ?? '',
            replayed: response.headers['idempotent-replayed'] as string | undefined,
            body: text === '' ? null : JSON.parse(text),
          }),
        );
      },
    );
    sent.on('error', reject).end(json);
  });
}

const bearer = (key = MANAGEMENT_KEY) => ({ authorization: `Bearer ${key}` });
const pairIn = ({ cookie }: Answer): string => cookie.split(';')[0]!;
async function signedIn(key?: string): Promise<string> {
  const answer = await send('POST', '/session', bearer(key));
  expect(answer.status).toBe(200);
  return pairIn(answer);
}
const keyWith = (role: ManagementRole) =>
  service.nest
    .get(ManagementKeys)
    .create({ actor: 'cli', requestId: null, ip: null }, { name: role, role, expiresAt: null });
const fromOwnPage = (cookie: string) => ({ cookie, origin: OWN, 'sec-fetch-site': 'same-origin' });

describe('the sign-in of a browser', () => {
  it('gives a cookie that scripts and other sites do not get', async () => {
    const answer = await send('POST', '/session', bearer());
    const [pair, ...attributes] = answer.cookie.split('; ');
    expect(pair).toMatch(/^__Host-management_session=[0-9A-Za-z]{48}$/);
    expect(attributes.toSorted()).toEqual(['HttpOnly', 'Max-Age=28800', 'Path=/', 'SameSite=Strict', 'Secure']);
    expect(answer.body).toEqual({
      key_id: expect.stringMatching(/^key_/),
      operator: '',
      role: 'owner',
      expires_at: expect.any(Number),
      proved_at: expect.any(Number),
    });
    const token = pair!.split('=')[1]!;
    expect(JSON.stringify(answer.body)).not.toContain(token);
    const { rows } = await database.query<{ row: string; hours: number }>(
      `select row_to_json(s)::text as row, extract(epoch from expires_at - created_at)::float8 / 3600 as hours
         from management_sessions s`,
    );
    expect(rows.every(({ row }) => !row.includes(token))).toBe(true);
    expect(rows.at(-1)!.hours).toBeCloseTo(8, 5);
  });

  it('is in the audit log with its key, like the sign-out', async () => {
    const { id, key } = await keyWith('operator');
    const cookie = await signedIn(key);
    expect((await send('DELETE', '/session', fromOwnPage(cookie))).status).toBe(200);
    const { rows } = await database.query<object>(
      `select action, actor, target_id from audit_log where app_id = '' and actor = $1 order by id`,
      [id],
    );
    expect(rows).toEqual([
      { action: 'management_session.created', actor: id, target_id: id },
      { action: 'management_session.deleted', actor: id, target_id: id },
    ]);
  });

  it('sets no Secure attribute without https', async () => {
    const plain = await startApp({ databaseUrl: service.databaseUrl });
    try {
      const answer = await plain.call('POST', '/management/v1/session', { key: MANAGEMENT_KEY });
      const cookie = answer.headers.get('set-cookie')!;
      expect(cookie).toMatch(/^management_session=/);
      expect(cookie).not.toContain('Secure');
    } finally {
      await plain.stop();
    }
  });

  it('needs the key itself: a session does not renew itself', async () => {
    const cookie = await signedIn();
    expect((await send('POST', '/session', fromOwnPage(cookie))).status).toBe(401);
    expect((await send('POST', '/session', bearer('mk_wrongwrongwrongwrongwrongwrongwrongwrong'))).status).toBe(401);
    const { secretKey } = await service.given.app();
    expect((await send('POST', '/session', bearer(secretKey))).body.error_type).toBe('wrong_key_kind');
  });

  it('ignores Idempotency-Key: each sign-in is a session of its own', async () => {
    const headers = { ...bearer(), 'idempotency-key': 'sign-in-1' };
    const [first, second] = [await send('POST', '/session', headers), await send('POST', '/session', headers)];
    expect([first.status, second.status, second.replayed]).toEqual([200, 200, undefined]);
    expect(pairIn(second)).toMatch(/=[0-9A-Za-z]{48}$/);
    expect(pairIn(second)).not.toBe(pairIn(first));
  });
});

describe('a call with the cookie', () => {
  it.each([
    ['Origin', { origin: OWN }],
    ['Sec-Fetch-Site', { 'sec-fetch-site': 'same-origin' }],
    ['both', { origin: OWN, 'sec-fetch-site': 'same-origin' }],
    ['the port of https', { origin: OWN, host: `${HOST}:443` }],
  ])('is accepted from a page of the service, shown by %s', async (_, headers) => {
    expect((await send('GET', '/apps', { cookie: await signedIn(), ...headers })).status).toBe(200);
  });

  it.each<[string, Record<string, string | string[]>]>([
    ['neither Origin nor Sec-Fetch-Site', {}],
    ['another origin', { origin: 'https://mallory.example' }],
    ['another origin that claims same-origin', { origin: 'https://mallory.example', 'sec-fetch-site': 'same-origin' }],
    ['the origin null', { origin: 'null' }],
    ['the origin null that claims same-origin', { origin: 'null', 'sec-fetch-site': 'same-origin' }],
    ['an empty origin', { origin: '', 'sec-fetch-site': 'same-origin' }],
    ['a sub-domain', { origin: `https://blog.${HOST}` }],
    ['a parent domain', { origin: 'https://example.com' }],
    ['a domain that begins alike', { origin: `${OWN}.mallory.example` }],
    ['another port', { origin: `${OWN}:8443` }],
    ['plain http', { origin: `http://${HOST}` }],
    ['two origins', { origin: [OWN, 'https://mallory.example'] }],
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a page of the same site', { 'sec-fetch-site': 'same-site' }],
    ['the address bar', { 'sec-fetch-site': 'none' }],
    ['our origin from another site', { origin: OWN, 'sec-fetch-site': 'cross-site' }],
    ['our origin from the same site', { origin: OWN, 'sec-fetch-site': 'same-site' }],
    ['another host', { host: 'mallory.example', 'sec-fetch-site': 'same-origin' }],
    ['another host with its own origin', { host: 'mallory.example', origin: 'https://mallory.example' }],
    ['another host with our origin', { host: 'mallory.example', origin: OWN }],
    ['a forwarded host', { host: 'mallory.example', 'x-forwarded-host': HOST, 'sec-fetch-site': 'same-origin' }],
    ['no host name', { host: ':::', 'sec-fetch-site': 'same-origin' }],
  ])('is refused with %s', async (_, headers) => {
    const cookie = await signedIn();
    const before = await database.query('select count(*) from apps');
    for (const [method, path, body] of [
      ['GET', '/apps'],
      ['POST', '/apps', { name: 'Mallory', mode: 'test' }],
      ['DELETE', '/session'],
    ] as const) {
      const answer = await send(method, path, { cookie, ...headers }, body);
      expect([method, answer.status, answer.body.error_type]).toEqual([method, 401, 'unauthorized_credentials']);
    }
    expect((await database.query('select count(*) from apps')).rows).toEqual(before.rows);
    expect((await send('GET', '/apps', fromOwnPage(cookie))).status).toBe(200);
  });

  it.each([
    ['planted beside it', (pair: string) => `${pair}; __Host-management_session=${'a'.repeat(48)}`],
    ['planted before it', (pair: string) => `__Host-management_session=${'a'.repeat(48)}; ${pair}`],
    ['without its prefix', (pair: string) => pair.replace('__Host-', '')],
    ['with a longer token', (pair: string) => `${pair}a`],
    ['with a token of nonsense', () => `__Host-management_session=%00'"<>`],
    ['empty', () => '__Host-management_session='],
    ['that is no pair', () => ';;=;__Host-management_session'],
  ])('is refused when the cookie is %s', async (_, planted) => {
    const pair = await signedIn();
    expect((await send('GET', '/apps', fromOwnPage(planted(pair)))).status).toBe(401);
  });

  it('that also carries a key is made with the key', async () => {
    const cookie = await signedIn();
    const { key } = await keyWith('auditor');
    const body = { name: 'X', mode: 'test' };
    const answer = await send('POST', '/apps', { ...fromOwnPage(cookie), ...bearer(key) }, body);
    expect(answer.body.error_type).toBe('missing_role');
    expect((await send('GET', '/apps', { ...fromOwnPage(cookie), ...bearer('mk_wrong') })).status).toBe(401);
    expect((await send('GET', '/apps', { ...fromOwnPage(cookie), authorization: '' })).status).toBe(401);
  });

  it('has the role of its key and shows it', async () => {
    const { id, key } = await keyWith('auditor');
    const cookie = await signedIn(key);
    const { body } = await send('GET', '/session', fromOwnPage(cookie));
    expect(body).toEqual({
      key_id: id,
      operator: '',
      role: 'auditor',
      expires_at: expect.any(Number),
      proved_at: expect.any(Number),
    });
    const refused = await send('POST', '/apps', fromOwnPage(cookie), { name: 'X', mode: 'test' });
    expect(refused.body.error_type).toBe('missing_role');
  });

  it('opens nothing below /v1', async () => {
    const cookie = await signedIn();
    const answer = await send('GET', '/../../v1/auth/oauth_connections/list', fromOwnPage(cookie));
    expect(answer.status).toBe(401);
  });
});

describe('a session', () => {
  it('ends when the browser signs out', async () => {
    const cookie = await signedIn();
    const ended = await send('DELETE', '/session', fromOwnPage(cookie));
    expect(ended.status).toBe(200);
    expect(ended.cookie).toMatch(/^__Host-management_session=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
    expect((await send('GET', '/apps', fromOwnPage(cookie))).status).toBe(401);
  });

  it('ends with its key, and does not come back with it', async () => {
    const { id, key } = await keyWith('owner');
    const cookie = await signedIn(key);
    expect((await send('GET', '/apps', fromOwnPage(cookie))).status).toBe(200);
    await service.nest.get(ManagementKeys).revoke({ actor: 'cli', requestId: null, ip: null }, id);
    expect((await send('GET', '/apps', fromOwnPage(cookie))).status).toBe(401);
    await database.query('update management_keys set revoked_at = null where id = $1', [id]);
    await signRows(service, 'management_keys');
    forgetSettings(service);
    expect((await send('GET', '/apps', bearer(key))).status).toBe(200);
    expect((await send('GET', '/apps', fromOwnPage(cookie))).status).toBe(401);
  });

  it('is refused when SQL has moved it to another key', async () => {
    const [auditor, owner] = [await keyWith('auditor'), await keyWith('owner')];
    const cookie = await signedIn(auditor.key);
    expect((await send('GET', '/apps', fromOwnPage(cookie))).status).toBe(200);
    await database.query('update management_sessions set key_id = $2 where key_id = $1', [auditor.id, owner.id]);
    forgetSettings(service);
    expect((await send('GET', '/apps', fromOwnPage(cookie))).body.error_type).toBe('seal_broken');
  });

  it.each(['proved_at', 'expires_at'])('is refused when SQL has moved its %s', async (column) => {
    const { id, key } = await keyWith('owner');
    const cookie = await signedIn(key);
    await database.query(
      `update management_sessions set ${column} = ${column} + interval '1 minute' where key_id = $1`,
      [id],
    );
    forgetSettings(service);
    expect((await send('GET', '/apps', fromOwnPage(cookie))).body.error_type).toBe('seal_broken');
  });

  it('ends when its key expires', async () => {
    const { id, key } = await keyWith('owner');
    const cookie = await signedIn(key);
    await database.query(`update management_keys set expires_at = now() - interval '1 second' where id = $1`, [id]);
    forgetSettings(service);
    expect((await send('GET', '/apps', fromOwnPage(cookie))).status).toBe(401);
  });

  it('ends after 8 hours', async () => {
    const cookie = await signedIn();
    await database.query(`update management_sessions set expires_at = now() - interval '1 second'`);
    forgetSettings(service);
    expect((await send('GET', '/apps', fromOwnPage(cookie))).status).toBe(401);
  });
});

describe('a session that grows old', () => {
  const age = async (what: string, cookie: string, time: string): Promise<void> => {
    await database.query(
      `update management_sessions set ${what} = ((now() at time zone 'UTC') - $1::interval) at time zone 'UTC'
        where token_hash = $2`,
      [time, service.nest.get(SecretTokens).hash('management_session', cookie.split('=')[1]!)],
    );
    await signRows(service, 'management_sessions');
  };
  const get = async (cookie: string) => (await send('GET', '/session', fromOwnPage(cookie))).status;

  it('ends an hour after the last call, and lives on with each call', async () => {
    const cookie = await signedIn();
    await age('last_used_at', cookie, '59 minutes');
    forgetSettings(service);
    expect(await get(cookie)).toBe(200);
    await age('created_at', cookie, '3 hours');
    forgetSettings(service);
    expect(await get(cookie)).toBe(200);
    await age('last_used_at', cookie, '61 minutes');
    forgetSettings(service);
    expect(await get(cookie)).toBe(401);
    expect(await get(cookie)).toBe(401);
  });

  it('is listed with its key while it lives, and without anything that would be accepted', async () => {
    const { id, key } = await keyWith('support');
    const cookie = await signedIn(key);
    const list = async () => (await send('GET', '/sessions', bearer())).body;
    const found = (await list()).sessions.find((each: { key_id: string }) => each.key_id === id);
    expect(found).toEqual({
      key_id: id,
      operator: '',
      role: 'support',
      created_at: expect.any(Number),
      last_used_at: expect.any(Number),
      proved_at: expect.any(Number),
      expires_at: expect.any(Number),
    });
    expect(JSON.stringify(await list())).not.toContain(cookie.split('=')[1]!);
    await send('DELETE', '/session', fromOwnPage(cookie));
    expect((await list()).sessions.map((each: { key_id: string }) => each.key_id)).not.toContain(id);
  });

  it('creates keys, thaws and erases within ten minutes after the key was sent, and again once it is sent anew', async () => {
    const cookie = await signedIn();
    const app = await service.given.app();
    const { user_id } = await service.given.user(app, { wallet_type: 'ethereum' });
    const { user_id: leaving } = await service.given.user(app);
    const { body } = await service.call('GET', '/v1/wallets/list', { key: app.secretKey, query: { user_id } });
    const calls = [
      [`/apps/${app.id}/keys`, { kind: 'secret' }],
      [`/apps/${app.id}/thaw`, {}],
      [`/apps/${app.id}/users/${user_id}/thaw`, {}],
      [`/apps/${app.id}/wallets/${body.wallets[0].id}/thaw`, {}],
      [`/apps/${app.id}/users/${leaving}/erase`, {}],
    ] as const;
    const statuses = async (headers: Record<string, string>) => {
      const answers = [];
      for (const [path, sent] of calls) answers.push(await send('POST', path, headers, sent));
      return answers.map(({ status, body: { error_type } }) => [status, error_type]);
    };
    const [granted, refused] = [Array(5).fill([200, undefined]), Array(5).fill([401, 'step_up_required'])];
    expect(await statuses(fromOwnPage(cookie))).toEqual(granted);
    await age('proved_at', cookie, '601 seconds');
    forgetSettings(service);
    expect(await statuses(fromOwnPage(cookie))).toEqual(refused);
    expect((await send('POST', `/apps/${app.id}/freeze`, fromOwnPage(cookie), {})).status).toBe(200);
    expect(await statuses(bearer())).toEqual(granted);
    const again = pairIn(await send('POST', '/session', { ...bearer(), ...fromOwnPage(cookie) }));
    expect(await statuses(fromOwnPage(again))).toEqual(granted);
    // The former session of the browser has ended.
    expect(await get(cookie)).toBe(401);
  });

  it.each([
    ['slow', -3_600_000],
    ['fast', 3_600_000],
  ])('is asked for a proof as early on a replica whose clock is %s', async (_, ms) => {
    const cookie = await signedIn();
    const app = await service.given.app();
    const clock = jest.spyOn(service.nest.get(Clock), 'now').mockImplementation(() => new Date(Date.now() + ms));
    const create = async () =>
      (await send('POST', `/apps/${app.id}/keys`, fromOwnPage(cookie), { kind: 'secret' })).status;
    try {
      expect(await create()).toBe(200);
      await age('proved_at', cookie, '601 seconds');
      forgetSettings(service);
      expect(await create()).toBe(401);
    } finally {
      clock.mockRestore();
    }
  });

  it('from before the rule, or of an older replica, is asked for a proof', async () => {
    const cookie = await signedIn();
    const app = await service.given.app();
    await database.query('update management_sessions set proved_at = null where token_hash = $1', [
      service.nest.get(SecretTokens).hash('management_session', cookie.split('=')[1]!),
    ]);
    await signRows(service, 'management_sessions');
    forgetSettings(service);
    const answer = await send('POST', `/apps/${app.id}/keys`, fromOwnPage(cookie), { kind: 'secret' });
    expect([answer.status, answer.body.error_type]).toEqual([401, 'step_up_required']);
    expect(await get(cookie)).toBe(200);
  });
});
