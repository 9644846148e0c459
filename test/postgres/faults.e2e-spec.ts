import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { Database } from '../../src/postgres/database.js';
import { EmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { MANAGEMENT_KEY, startApp } from '../support/app.js';
import { ensureBuilt } from '../support/built.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../../src/dev/free-port.js';

describe('when PostgreSQL becomes unavailable', () => {
  it('answers 503 with Retry-After, and everything again within 5 s of its return', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'faults-'));
    const settings = { fsync: 'off' };
    let postgres = await EmbeddedPostgres.start({ dataDir, settings });
    const app = await startApp({ databaseUrl: postgres.url });
    try {
      const acme = await app.given.app();
      const { user_id } = await app.given.user(acme);
      const read = () => app.call('GET', `/v1/auth/users/${user_id}`, { key: acme.secretKey });
      const write = () =>
        app.call('POST', '/v1/auth/users/create', {
          key: acme.secretKey,
          body: { first_name: 'Ann', email: `${randomBytes(6).toString('hex')}@example.com` },
        });
      expect((await read()).status).toBe(200);

      // Load goes on all the time; nothing of it may hang or be a 500.
      const seen = new Map<number, number>();
      let loading = true;
      const load = Array.from({ length: 12 }, async (_, i) => {
        while (loading) {
          const { status } = await (i % 2 ? read() : write());
          seen.set(status, (seen.get(status) ?? 0) + 1);
          await pause(10);
        }
      });
      /** Resolves when this many more calls of the load have this status. */
      const answered = (status: number, count: number) => {
        const target = (seen.get(status) ?? 0) + count;
        return eventually(() => expect(seen.get(status) ?? 0).toBeGreaterThanOrEqual(target));
      };
      await answered(200, 50);
      await postgres.stop();
      await answered(503, 50);
      const away = await read();
      expect([away.status, away.body.error_type]).toEqual([503, 'service_unavailable']);
      expect(Number(away.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await app.call('GET', '/readyz')).status).toBe(503);
      expect((await app.call('GET', '/livez')).status).toBe(200);

      postgres = await EmbeddedPostgres.start({ dataDir, settings });
      // 5 s on a machine that has nothing else to do.
      for (let attempts = 1; (await read()).status !== 200; attempts++) {
        expect(attempts).toBeLessThan(100);
        await pause(50);
      }
      await answered(200, 50);
      loading = false;
      await Promise.all(load);
      expect(new Set(seen.keys())).toEqual(new Set([200, 503]));
      // No connection is stuck: as many at once as the pool is deep, and more. Few of them wait for a connection, which they
      // do for 3 s at most.
      const burst = await Promise.all(Array.from({ length: 12 }, () => write()));
      expect(burst.map(({ status }) => status)).toEqual(Array(12).fill(200));
    } finally {
      await app.stop();
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

it('returns 503 if the holder of a lock does not continue', async () => {
  const app = await startApp();
  const stuck = new pg.Client(app.databaseUrl);
  try {
    const acme = await app.given.app();
    const { user_id } = await app.given.user(acme);
    await stuck.connect();
    await stuck.query('begin');
    await stuck.query('select from users where id = $1 for update', [user_id]);
    const { status, headers } = await app.call('PUT', `/v1/auth/users/${user_id}/update`, {
      key: acme.secretKey,
      body: { first_name: 'Ann' },
    });
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('2');
  } finally {
    await stuck.end();
    await app.stop();
  }
});

describe('when PostgreSQL falls silent without closing a connection', () => {
  it('returns 503, and full responses again after the server responds', async () => {
    // A server of its own: one of the stopped backends may hold what the backends of other tests wait for.
    const dataDir = mkdtempSync(join(tmpdir(), 'faults-'));
    const postgres = await EmbeddedPostgres.start({ dataDir, settings: { fsync: 'off' } });
    const app = await startApp({ databaseUrl: postgres.url });
    const acme = await app.given.app();
    const { user_id } = await app.given.user(acme);
    const read = () => app.call('GET', `/v1/auth/users/${user_id}`, { key: acme.secretKey });
    await Promise.all(Array.from({ length: 20 }, read));
    expect(await app.metrics()).toMatch(/^database_up 1$/m);
    const backends = await app.nest
      .get(Database)
      .write<{ pid: number }>(`select pid from pg_stat_activity where datname = current_database()`);
    const signal = (name: NodeJS.Signals): void => backends.forEach(({ pid }) => process.kill(pid, name));
    signal('SIGSTOP');
    try {
      const reads = Array.from({ length: 4 }, read);
      const scrape = app.call('GET', '/metrics').then(({ text }) => text);
      // The scrape waits for no statement. It has the last numbers of the tables.
      expect(await Promise.race([scrape, ...reads])).toMatch(/^jobs\{state="waiting"\} \d/m);
      const answers = await Promise.all(reads);
      expect(answers.map(({ status }) => status)).toEqual(Array(4).fill(503));
      await eventually(async () => {
        const { text } = await app.call('GET', '/metrics');
        expect(text).toMatch(/^service_ready 0$/m);
        expect(text).toMatch(/^database_up 0$/m);
        expect(text).toMatch(/^jobs\{state="waiting"\} \d/m);
      });
    } finally {
      signal('SIGCONT');
    }
    await eventually(async () => expect((await read()).status).toBe(200));
    await app.stop();
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
});

describe('the process', () => {
  let service: ChildProcess | undefined;
  beforeAll(ensureBuilt);
  afterEach(() => service?.kill('SIGKILL'));

  async function run(
    env: Record<string, string>,
  ): Promise<{ url: string; output: () => string; exit: Promise<number | null> }> {
    const port = await freePort();
    const child = spawn(process.execPath, ['dist/src/main.js'], {
      env: { PATH: process.env['PATH'], PORT: String(port), DRAIN_SECONDS: '0', ...env },
    });
    service = child;
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
    return { url: `http://127.0.0.1:${port}`, output: () => output, exit };
  }
  async function ready(url: string): Promise<void> {
    while (service?.exitCode === null) {
      if (
        await fetch(`${url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        )
      )
        return;
      await pause(50);
    }
    throw new Error(`The service ended with ${service?.exitCode} before it was ready.`);
  }

  it('drains on SIGTERM: it is not ready but takes requests for DRAIN_SECONDS, then finishes those under way and exits with 0', async () => {
    const database = await createDatabase();
    const { url, exit } = await run({
      DATABASE_URL: database.url,
      DATA_DIR: mkdtempSync(join(tmpdir(), 'faults-')),
      MASTER_KEYS: `a:${randomBytes(32).toString('base64')}`,
      MANAGEMENT_KEY,
      LOG_LEVEL: 'silent',
      DRAIN_SECONDS: '8',
    });
    await ready(url);
    // Two requests whose bodies are still on their way when the signal comes: the service has their heads and asks for the bodies.
    const { hostname, port } = new URL(url);
    const begin = async () => {
      const socket = connect(Number(port), hostname);
      const seen = { socket, answer: '', closed: new Promise((resolve) => socket.once('close', resolve)) };
      socket.setEncoding('utf8').on('data', (chunk: string) => (seen.answer += chunk));
      socket.write(
        `POST /management/v1/apps HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${MANAGEMENT_KEY}\r\n` +
          'Content-Type: application/json\r\nContent-Length: 15\r\nExpect: 100-continue\r\n\r\n',
      );
      await eventually(() => expect(seen.answer).toBe('HTTP/1.1 100 Continue\r\n\r\n'));
      return seen;
    };
    const [early, late] = [await begin(), await begin()];
    service?.kill('SIGTERM');
    await eventually(async () => expect((await fetch(`${url}/readyz`)).status).toBe(503));
    const drained = await fetch(`${url}/livez`);
    expect([drained.status, drained.headers.get('connection')]).toEqual([200, 'keep-alive']);
    early.socket.write('{"name":"Acme"}');
    await eventually(() => expect(early.answer).toMatch(/\r\n\r\nHTTP\/1\.1 200 [^]*connection: keep-alive/i));
    await eventually(() => expect(fetch(`${url}/livez`)).rejects.toThrow());
    // It is idle, so it does not hold the exit up.
    await early.closed;
    late.socket.write('{"name":"Acme"}');
    await late.closed;
    const answered = performance.now();
    expect(late.answer).toMatch(/\r\n\r\nHTTP\/1\.1 200 [^]*connection: close/i);
    expect(await exit).toBe(0);
    expect(performance.now() - answered).toBeLessThan(10_000);
    await database.drop();
  });

  it('refuses to start on a faulty configuration, naming every fault and no value', async () => {
    const { output, exit } = await run({
      NODE_ENV: 'production',
      PUBLIC_RATE: 'canary-1',
      BASE_URL: 'canary-2',
      MANAGEMENT_KEY: 'canary-3',
    });
    expect(await exit).toBe(78);
    for (const name of ['PUBLIC_RATE', 'BASE_URL', 'MANAGEMENT_KEY', 'MASTER_KEYS', 'DATABASE_URL'])
      expect(output()).toContain(name);
    expect(output()).not.toContain('canary');
  });

  it('refuses to start with another master key under a known id, naming the id', async () => {
    const database = await createDatabase();
    const env = { DATABASE_URL: database.url, DATA_DIR: mkdtempSync(join(tmpdir(), 'faults-')), LOG_LEVEL: 'fatal' };
    const first = await run({ ...env, MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}` });
    await ready(first.url);
    service?.kill('SIGTERM');
    await first.exit;
    const other = randomBytes(32).toString('base64');
    const second = await run({ ...env, MASTER_KEYS: `k1:${other}` });
    expect(await second.exit).toBe(1);
    expect(second.output()).toContain('"k1"');
    expect(second.output()).not.toContain(other);
    await database.drop();
  });
});
