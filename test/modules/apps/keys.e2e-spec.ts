import { connect, createServer, type Server, type Socket } from 'node:net';
import { Client } from 'pg';
import { newId } from '../../../src/kernel/ids.js';
import { Database } from '../../../src/postgres/database.js';
import { type Answer, type Call, MANAGEMENT_KEY, startApp, type TestApp } from '../../support/app.js';
import { writeKeyUses } from '../../support/background.js';
import { createDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import type { GivenApp } from '../../support/given.js';
import type { SentStatement } from '../../support/statements.js';
import { signRows } from '../../support/row-macs.js';

let service: TestApp;
let replica: TestApp;
let app: GivenApp;
beforeAll(async () => {
  service = await startApp();
  replica = await startApp({ databaseUrl: service.databaseUrl });
});
afterAll(async () => {
  await replica.stop();
  await service.stop();
});
beforeEach(async () => {
  app = await service.given.app();
});

const manage = (method: string, path: string, call: Call = {}) =>
  service.call(method, `/management/v1${path}`, { key: MANAGEMENT_KEY, ...call });
const issue = async (body: object): Promise<{ id: string; key: string; expires_at: number }> =>
  (await manage('POST', `/apps/${app.id}/keys`, { body })).body;
const use = (key: string, at: TestApp = service): Promise<Answer> =>
  at.call('GET', '/v1/auth/oauth_connections/list', { key });

/** Stops the monotonic clock, by which caches measure the age of answers, and returns what moves it on. */
function stopClock(): { passMs: (milliseconds: number) => void } {
  let now = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  return { passMs: (milliseconds) => void (now += milliseconds) };
}
afterEach(() => jest.restoreAllMocks());

describe('a key', () => {
  it('is shown once, works at once and is listed without its text', async () => {
    const made = await manage('POST', `/apps/${app.id}/keys`, { body: { kind: 'secret', name: 'CI' } });
    expect(made.body).toEqual({
      id: expect.stringMatching(/^key_/),
      kind: 'secret',
      name: 'CI',
      key: expect.stringMatching(/^sk_test_[0-9A-Za-z]{48}$/),
      created_at: expect.any(Number),
      expires_at: 0,
      last_used_at: 0,
    });
    expect((await use(made.body.key)).status).toBe(200);
    const list = await manage('GET', `/apps/${app.id}/keys`);
    expect(list.text).not.toContain(made.body.key);
    expect(list.body.keys).toHaveLength(3);
    expect(list.body.keys[0]).toMatchObject({ id: made.body.id, name: 'CI' });
  });

  it('is nowhere in the database', async () => {
    const { key } = await issue({ kind: 'secret' });
    const tables = await service.nest
      .get(Database)
      .write<{ table_name: string }>(`select table_name from information_schema.tables where table_schema = 'public'`);
    const client = new Client({ connectionString: service.databaseUrl });
    await client.connect();
    for (const { table_name } of tables) {
      const { rows } = await client.query(`select t::text as row from "${table_name}" t`);
      const dump = JSON.stringify(rows);
      expect(dump).not.toContain(key);
      expect(dump).not.toContain(Buffer.from(key).toString('hex'));
    }
    await client.end();
  });

  it('is independent: revoking one key does not affect the rest', async () => {
    const one = await issue({ kind: 'secret', name: 'old' });
    const other = await issue({ kind: 'secret', name: 'new' });
    expect((await manage('DELETE', `/apps/${app.id}/keys/${one.id}`)).body.id).toBe(one.id);
    expect((await use(one.key)).status).toBe(401);
    expect((await use(other.key)).status).toBe(200);
    expect((await manage('DELETE', `/apps/${app.id}/keys/${one.id}`)).body.error_type).toBe('key_not_found');
    const { keys } = (await manage('GET', `/apps/${app.id}/keys`)).body;
    expect(keys.map(({ id }: { id: string }) => id)).not.toContain(one.id);
  });

  it.each([
    [{ kind: 'management' }, 'kind'],
    [{}, 'kind'],
    [{ kind: 'secret', expires_at: 'tomorrow' }, 'expires_at'],
    [{ kind: 'secret', expires_at: 1 }, 'expires_at'],
    [{ kind: 'secret', name: 'x'.repeat(257) }, 'name'],
  ])('is refused with %j, naming the field', async (body, field) => {
    const answer = await manage('POST', `/apps/${app.id}/keys`, { body });
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].field).toBe(field);
  });

  it('given the same Idempotency-Key again, is the same key', async () => {
    const call = { body: { kind: 'secret' }, headers: { 'idempotency-key': newId('key') } };
    const first = await manage('POST', `/apps/${app.id}/keys`, call);
    const again = await manage('POST', `/apps/${app.id}/keys`, call);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    expect((await manage('GET', `/apps/${app.id}/keys`)).body.keys).toHaveLength(3);
  });
});

describe('a key that replaces another one', () => {
  const expiresAt = async (id: string): Promise<number> => {
    const { keys } = (await manage('GET', `/apps/${app.id}/keys`)).body as {
      keys: { id: string; expires_at: number }[];
    };
    return keys.find((key) => key.id === id)!.expires_at;
  };
  const soon = (seconds: number): number => Math.floor(Date.now() / 1_000) + seconds;

  it('ends it after the overlap, and both are accepted meanwhile', async () => {
    const old = await issue({ kind: 'secret', name: 'CI' });
    expect((await use(old.key)).status).toBe(200);
    const made = await issue({ kind: 'secret', name: 'CI', replaces: old.id, overlap_minutes: 60 });
    expect(Math.abs((await expiresAt(old.id)) - soon(3_600))).toBeLessThan(600);
    for (const { key } of [old, made]) expect((await use(key)).status).toBe(200);
    const { body } = await manage('GET', `/apps/${app.id}/audit_log`);
    const entries = body.entries.map((entry: { action: string; target: string }) => [entry.action, entry.target]);
    expect(entries.slice(0, 2)).toEqual([
      ['key.created', made.id],
      ['key.replaced', old.id],
    ]);
  });

  it('ends it at once without an overlap, and one that ends earlier stays as it is', async () => {
    const old = await issue({ kind: 'secret' });
    await issue({ kind: 'secret', replaces: old.id, overlap_minutes: 0 });
    expect((await use(old.key)).status).toBe(401);
    const ending = await issue({ kind: 'secret', expires_at: soon(3_600) });
    await issue({ kind: 'secret', replaces: ending.id, overlap_minutes: 1_440 });
    expect(await expiresAt(ending.id)).toBe(ending.expires_at);
  });

  it('must name a key of the app and of its kind, else no key is made', async () => {
    const other = await service.given.app();
    const { body } = await manage('GET', `/apps/${other.id}/keys`);
    const publicKey = await issue({ kind: 'public' });
    for (const replaces of [body.keys[0].id, newId('key'), publicKey.id]) {
      const refused = await manage('POST', `/apps/${app.id}/keys`, { body: { kind: 'secret', replaces } });
      expect([refused.status, refused.body.errors]).toEqual([
        400,
        [{ field: 'replaces', rule: 'exists', message: 'must be a key of this kind that is not revoked' }],
      ]);
    }
    expect((await manage('GET', `/apps/${app.id}/keys`)).body.keys).toHaveLength(3);
  });

  it('must be named with an overlap', async () => {
    const refused = await manage('POST', `/apps/${app.id}/keys`, { body: { kind: 'secret', overlap_minutes: 60 } });
    expect([refused.status, refused.body.errors]).toEqual([
      400,
      [{ field: 'overlap_minutes', rule: 'replaces', message: 'must be absent unless replaces names a key' }],
    ]);
    const unset = { kind: 'secret', replaces: null, overlap_minutes: null };
    expect((await manage('POST', `/apps/${app.id}/keys`, { body: unset })).status).toBe(200);
  });

  it('does not make an altered key right by its new end', async () => {
    const old = await issue({ kind: 'restricted', scopes: ['users:read'] });
    await service.nest
      .get(Database)
      .write(`update api_keys set restriction = null, kind = 'secret' where app_id = $1 and id = $2`, [app.id, old.id]);
    const refused = await manage('POST', `/apps/${app.id}/keys`, { body: { kind: 'secret', replaces: old.id } });
    expect([refused.status, refused.body.error_type]).toEqual([500, 'seal_broken']);
  });
});

describe('what ends a key is felt on every replica within a second', () => {
  it('when it is revoked', async () => {
    const { id, key } = await issue({ kind: 'secret' });
    const clock = stopClock();
    expect((await use(key, replica)).status).toBe(200);
    await manage('DELETE', `/apps/${app.id}/keys/${id}`);
    expect((await use(key)).status).toBe(401);
    // No time has passed, so the other replica answers from memory: what follows is about the age of that.
    expect((await use(key, replica)).status).toBe(200);
    clock.passMs(999);
    expect((await use(key, replica)).status).toBe(401);
  });

  it('when its app is deleted, the public token too', async () => {
    const begin = () => replica.call('GET', '/v1/auth/oauth_connections/list', { key: app.publicToken });
    const clock = stopClock();
    expect((await use(app.secretKey, replica)).status).toBe(200);
    expect((await begin()).status).toBe(403);
    await manage('DELETE', `/apps/${app.id}`);
    expect([(await use(app.secretKey, replica)).status, (await begin()).status]).toEqual([200, 403]);
    clock.passMs(999);
    expect([(await use(app.secretKey, replica)).status, (await begin()).status]).toEqual([401, 401]);
  });

  it('when it expires, however often it was used until then', async () => {
    const { id, key } = await issue({ kind: 'secret', expires_at: Math.floor(Date.now() / 1000) + 600 });
    const database = service.nest.get(Database);
    const clock = stopClock();
    // The replica must read the key while it is valid, so this is tried again where 250 ms were too short for that.
    await eventually(async () => {
      clock.passMs(1_000);
      await database.write(`update api_keys set expires_at = now() + interval '250 ms' where app_id = $1 and id = $2`, [
        app.id,
        id,
      ]);
      await signRows(service, 'api_keys');
      expect((await use(key, replica)).status).toBe(200);
    });
    await database.write(
      `select pg_sleep(greatest(0, extract(epoch from expires_at - clock_timestamp()))) from api_keys where app_id = $1 and id = $2`,
      [app.id, id],
    );
    expect((await use(key, replica)).status).toBe(200);
    // The cache knows when the key ends, so it does not outlive that by the cache's own half second.
    clock.passMs(251);
    expect((await use(key, replica)).status).toBe(401);
  });

  it('and settings change as fast, at once on the replica that made the change', async () => {
    const policy = async (at: TestApp) => (await use(app.secretKey, at)).headers.get('ratelimit-policy');
    const clock = stopClock();
    const before = await policy(replica);
    expect(before).not.toContain('77');
    await manage('PATCH', `/apps/${app.id}`, { body: { limits: { secret_key_calls_per_second: 77 } } });
    expect(await policy(service)).toContain('77');
    expect(await policy(replica)).toBe(before);
    clock.passMs(999);
    expect(await policy(replica)).toContain('77');
  });
});

describe('the kinds of keys', () => {
  it('are each accepted by their own endpoints and distinguished from invalid keys elsewhere', async () => {
    const doors = {
      secret: (key: string) => use(key),
      management: (key: string) => service.call('GET', '/management/v1/apps', { key }),
    };
    const keys = { secret: app.secretKey, management: MANAGEMENT_KEY, public: app.publicToken };
    for (const [door, knock] of Object.entries(doors)) {
      for (const [kind, key] of Object.entries(keys)) {
        const { status, body } = await knock(key);
        if (kind === door) expect([door, kind, status]).toEqual([door, kind, 200]);
        else expect([door, kind, status, body.error_type]).toEqual([door, kind, 403, 'wrong_key_kind']);
      }
    }
  });

  it('a revoked key of the wrong kind is reported as invalid, not as of the wrong kind', async () => {
    const { id, key } = await issue({ kind: 'secret' });
    await manage('DELETE', `/apps/${app.id}/keys/${id}`);
    const { status, body } = await service.call('GET', '/management/v1/apps', { key });
    expect([status, body.error_type]).toEqual([401, 'unauthorized_credentials']);
  });
});

describe('without a valid key', () => {
  const good = () => app.secretKey;
  it.each([
    ['nothing', () => undefined],
    ['an empty header', () => ''],
    ['the scheme alone', () => 'Bearer'],
    ['the scheme and blanks', () => 'Bearer   '],
    ['another scheme', () => `Basic ${Buffer.from(`${good()}:`).toString('base64')}`],
    ['the bare key', () => good()],
    ['two keys in one header', () => `Bearer ${good()} ${good()}`],
    ['a list of credentials', () => `Bearer ${good()}, Bearer ${good()}`],
    ['a key that is too short', () => `Bearer ${good().slice(0, -1)}`],
    ['a key that is too long', () => `Bearer ${good()}A`],
    ['a key with one character changed', () => `Bearer ${good().slice(0, -1)}${good().endsWith('A') ? 'B' : 'A'}`],
    ['a key in other case', () => `Bearer ${good().toUpperCase()}`],
    ['the right secret under live mode', () => `Bearer ${good().replace('_test_', '_live_')}`],
    ['the right secret as a public token', () => `Bearer ${good().replace('sk_', 'pk_')}`],
    ['an id', () => `Bearer ${app.id}`],
    ['a wildcard', () => 'Bearer %'],
    ['an injection', () => `Bearer ' or 1=1 --`],
    ['ten kilobytes', () => `Bearer sk_test_${'A'.repeat(10_000)}`],
  ])('%s is a 401 problem', async (_, header) => {
    const authorization = header();
    const answer = await service.call('GET', '/v1/auth/oauth_connections/list', {
      headers: authorization === undefined ? {} : { authorization },
    });
    expect(answer.status).toBe(401);
    expect(answer.body.error_type).toBe('unauthorized_credentials');
  });

  it('two Authorization headers are a 401, even when both hold the same good key', async () => {
    const { hostname, port } = new URL(service.url);
    const line = `Authorization: Bearer ${app.secretKey}\r\n`;
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          `GET /v1/auth/oauth_connections/list HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${line}${line}\r\n`,
        ),
      );
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      socket.on('end', () => resolve(text)).on('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toContain('unauthorized_credentials');
  });

  it('a key in the URL opens nothing', async () => {
    const answer = await service.call('GET', '/v1/auth/oauth_connections/list', {
      query: { api_key: app.secretKey, public_token: app.publicToken },
    });
    expect(answer.status).toBe(401);
  });
});

describe('the last use of a key', () => {
  it('is written behind the request, once a minute', async () => {
    const { id, key } = await issue({ kind: 'secret' });
    const lastUsed = async (): Promise<number> =>
      (await manage('GET', `/apps/${app.id}/keys`)).body.keys.find((listed: { id: string }) => listed.id === id)
        .last_used_at;
    expect(await lastUsed()).toBe(0);
    // A timer of the process writes it, so it is not in the context of a call.
    const notesOf = async (work: () => Promise<unknown>) => {
      const query = jest.spyOn(Client.prototype, 'query');
      await work();
      const sent = query.mock.calls.flatMap(([first]) => {
        const { statements } = first as { readonly statements?: readonly SentStatement[] };
        return statements ?? [first as unknown as SentStatement];
      });
      query.mockRestore();
      return sent.filter(
        ({ text, values }) =>
          text?.includes('update api_keys set last_used_at') && (values[1] as string[]).includes(id),
      );
    };
    const started = Math.floor(Date.now() / 1000);
    const notes = await notesOf(async () => {
      await Promise.all(Array.from({ length: 20 }, () => use(key)));
      await eventually(async () => expect(await lastUsed()).toBeGreaterThan(0));
      await writeKeyUses(service);
    });
    expect(notes).toHaveLength(1);
    expect(await lastUsed()).toBeGreaterThanOrEqual(started);
    expect(await lastUsed()).toBeLessThanOrEqual(Date.now() / 1000);
    const version = () =>
      service.nest
        .get(Database)
        .write(`select xmin::text from api_keys where app_id = $1 and id = $2`, [app.id, id])
        .then((rows) => rows[0] ?? null);
    const before = await version();
    const again = (at: TestApp) =>
      notesOf(async () => {
        await use(key, at);
        await writeKeyUses(at);
      });
    // The replica that wrote it caches that; the statement of the other replica finds it written.
    expect(await again(service)).toEqual([]);
    expect(await again(replica)).toHaveLength(1);
    expect(await version()).toEqual(before);
  });
});

describe('when the database is unavailable', () => {
  let proxy: Server;
  let behindProxy: TestApp;
  const open = new Set<Socket>();

  beforeAll(async () => {
    const database = await createDatabase();
    const target = new URL(database.url);
    proxy = createServer((socket) => {
      const upstream = connect(Number(target.port), target.hostname);
      for (const end of [socket, upstream]) open.add(end.on('error', () => end.destroy()));
      socket.pipe(upstream).pipe(socket);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const url = new URL(database.url);
    url.hostname = '127.0.0.1';
    url.port = String((proxy.address() as { port: number }).port);
    behindProxy = await startApp({ databaseUrl: url.href });
  });
  afterAll(async () => {
    for (const socket of open) socket.destroy();
    await behindProxy.stop();
  });

  it('no key is accepted, neither known nor unknown: 503', async () => {
    const known = await behindProxy.given.app();
    const clock = stopClock();
    expect((await use(known.secretKey, behindProxy)).status).toBe(200);
    proxy.close();
    for (const socket of open) socket.destroy();
    clock.passMs(999);
    for (const key of [known.secretKey, `sk_test_${'A'.repeat(48)}`]) {
      const answer = await use(key, behindProxy);
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).not.toBeNull();
    }
  });
});
