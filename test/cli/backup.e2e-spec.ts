import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { runCommand } from '../../src/cli/run-command.js';
import { freePort } from '../../src/dev/free-port.js';
import { startApp, type TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';

const run = promisify(execFile);
/** A server of the release of the programs on this machine: `pg_dump` refuses a newer one. */
const PROGRAMS = existsSync('/usr/lib/postgresql')
  ? readdirSync('/usr/lib/postgresql')
      .map((major) => `/usr/lib/postgresql/${major}/bin`)
      .find((programs) => existsSync(join(programs, 'initdb')) && existsSync(join(programs, 'pg_dump')))
  : undefined;
const MASTER_KEYS = `k1:${createHash('sha256').update('a backup').digest('base64')}`;

interface Server {
  readonly url: string;
  readonly data: string;
  /** Ends it as a power failure does. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

async function startServer(programs: string): Promise<Server> {
  const home = mkdtempSync(join(tmpdir(), 'backup-test-'));
  const data = join(home, 'data');
  // PostgreSQL refuses to run as root.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  chmodSync(home, 0o755);
  if (user.uid !== undefined) chownSync(home, user.uid, user.gid);
  await run(join(programs, 'initdb'), ['-D', data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C'], user);
  const port = await freePort();
  const flags = ['-D', data, '-p', String(port), '-k', '', '-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off'];
  const server = spawn(join(programs, 'postgres'), flags, { ...user, stdio: 'ignore' });
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await eventually(() => query(url, 'select 1'));
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'close');
    server.kill(signal);
    await ended;
  };
  return {
    url,
    data,
    crash: () => end('SIGQUIT'),
    stop: async () => {
      await end('SIGINT');
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as unknown[];
  } finally {
    await client.end();
  }
}

(PROGRAMS ? describe : describe.skip)('a backup (skipped where Debian has no PostgreSQL)', () => {
  let server: Server;
  let app: TestApp;
  let files: string;

  beforeAll(async () => {
    files = mkdtempSync(join(tmpdir(), 'backup-files-'));
    server = await startServer(PROGRAMS!);
    app = await startApp({ databaseUrl: server.url, env: { MASTER_KEYS, ROLE: 'api' } });
    const given = await app.given.app();
    const { user_id } = await app.given.user(given);
    await app.ok('POST', '/v1/wallets/create', { key: given.secretKey, body: { user_id, wallet_type: 'ethereum' } });
    await app.stop();
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(files, { recursive: true, force: true });
  });

  async function verify(backup: string, more: Record<string, string> = {}, options: readonly string[] = []) {
    let [out, err] = ['', ''];
    const terminal = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
    const env = { NODE_ENV: 'test', DATABASE_URL: server.url, MASTER_KEYS, ...more };
    const status = await runCommand(['backup', 'verify', backup, ...options, '--json'], { env, terminal });
    return { status, err, result: JSON.parse(out) as Record<string, string | number | { message: string }> };
  }
  const dump = async (name: string, ...flags: string[]): Promise<string> => {
    const file = join(files, name);
    await run(join(PROGRAMS!, 'pg_dump'), [...flags, '-f', file, server.url]);
    return file;
  };
  const databases = () => query(server.url, `select datname from pg_database where datname like 'backup_verify%'`);

  it('opens, agrees and leaves no database, whatever the format of the dump', async () => {
    for (const [name, flags] of [
      ['custom', ['-Fc']],
      ['directory', ['-Fd']],
      ['plain.sql', ['-Fp']],
    ] as const) {
      const { status, result, err } = await verify(await dump(name, ...flags));
      expect([name, status, result]).toEqual([
        name,
        0,
        expect.objectContaining({
          backup: 'dump',
          counts: 'agree',
          users: 1,
          wallets: 1,
          values_not_opened: 0,
          rows_wrong: 0,
          audit_broken: 0,
        }),
      ]);
      expect(result['values_opened']).toBeGreaterThan(0);
      expect(result['rows_compared']).toBeGreaterThan(0);
      expect(err).toContain('verifying the audit chains');
    }
    expect(await databases()).toEqual([]);
  });

  it('lists a payment that had not ended, and names a row that SQL has altered', async () => {
    await query(
      server.url,
      `insert into transfers (app_id, id, user_id, status, stage, source, source_address, dest, chain, network, currency, symbol, decimals, amount, fee_cap, notes, expires_at)
       select app_id, 'transfer_1', user_id, 'pending', 'submitted', id, public_address, public_address, 'ethereum', 'ethereum', 'eth', 'ETH', 18, 1, 1, '', now() from wallets`,
    );
    const { status, result } = await verify(await dump('altered', '-Fc'));
    expect(status).toBe(1);
    expect(result['transfer_1']).toMatch(/^app_\S+ ethereum: signed in the backup; the chain decides/);
    expect(result['rows_wrong']).toBeGreaterThan(0);
    expect(result['transfers']).toContain('transfer_1');
    await query(server.url, `delete from transfers where id = 'transfer_1'`);
  });

  it('is refused without the master keys by which it was sealed', async () => {
    const other = `k1:${createHash('sha256').update('another').digest('base64')}`;
    const { status, result } = await verify(await dump('sealed', '-Fc'), { MASTER_KEYS: other });
    expect([status, result['error']]).toEqual([1, expect.objectContaining({ message: expect.stringMatching(/key/i) })]);
    expect(await databases()).toEqual([]);
  });

  it('leaves nothing of runs that were killed, and disturbs none that goes on', async () => {
    const names = ['backup_verify_00000000000a', 'backup_verify_00000000000b'] as const;
    for (const name of names) await query(server.url, `create database ${name}`);
    const running = new URL(server.url);
    running.pathname = `/${names[1]}`;
    const client = new Client({ connectionString: running.href });
    await client.connect();
    expect((await verify(await dump('after-a-kill', '-Fc'))).status).toBe(0);
    expect(await databases()).toEqual([{ datname: names[1] }]);
    await client.end();
    await eventually(async () => {
      await verify(join(files, 'after-a-kill'));
      expect(await databases()).toEqual([]);
    });
  });

  it('is refused with a hint where the programs to restore it are missing', async () => {
    const file = await dump('whole', '-Fc');
    const path = process.env['PATH'];
    process.env['PATH'] = '/nowhere';
    try {
      const { status, result } = await verify(file);
      expect([status, JSON.stringify(result)]).toEqual([
        1,
        expect.stringMatching(/pg_restore is missing.*postgresql-client/),
      ]);
    } finally {
      process.env['PATH'] = path;
    }
    expect(await databases()).toEqual([]);
  });

  it('is refused when it is cut off', async () => {
    const file = join(files, 'cut');
    writeFileSync(file, 'PGDMP');
    const { status, result } = await verify(file);
    expect([status, JSON.stringify(result)]).toEqual([1, expect.stringContaining('could not restore')]);
  });

  it('is refused when it holds nothing, or commands for other databases than the scratch one', async () => {
    const empty = join(files, 'empty.sql');
    writeFileSync(empty, '');
    const created = await dump('created.sql', '-Fp', '--clean', '--create');
    for (const [file, why] of [
      [empty, 'holds no database of this service'],
      [created, 'more than one database'],
    ] as const) {
      const { status, result } = await verify(file);
      expect([status, JSON.stringify(result)]).toEqual([1, expect.stringContaining(why)]);
    }
    expect(await databases()).toEqual([]);
  });

  it('may be a data directory of a server that crashed, which stays as it is, and leaves no copy of a run that was killed', async () => {
    await server.crash();
    const pid = existsSync(join(server.data, 'postmaster.pid'));
    const homes = [0, 1, 2].map(() => mkdtempSync(join(tmpdir(), 'backup-verify-')));
    const [killed, goesOn, foreign] = homes as [string, string, string];
    const runs = [goesOn, killed, foreign].map((home) => {
      const listen = `require('net').createServer().listen(process.argv[1], () => console.log('listens'))`;
      return spawn(process.execPath, ['-e', listen, join(home, 'running')], { stdio: ['ignore', 'pipe', 'inherit'] });
    });
    await Promise.all(runs.map(({ stdout }) => once(stdout!, 'data')));
    for (const ended of runs.slice(1)) {
      ended.kill('SIGKILL');
      await once(ended, 'close');
    }
    // Another user of the machine may have made it to let this one delete what it should not. Only root can test it.
    const canTest = process.getuid?.() === 0;
    if (canTest) chownSync(foreign, 65_534, 65_534);
    const { status, result } = await verify(server.data, {}, ['--programs', PROGRAMS!]);
    expect([status, result]).toMatchObject([
      0,
      { backup: 'snapshot', users: 1, values_not_opened: 0, counts: 'agree' },
    ]);
    expect(existsSync(join(server.data, 'postmaster.pid'))).toBe(pid);
    expect([killed, goesOn, foreign].map((home) => existsSync(home))).toEqual([false, true, canTest]);
    runs[0]!.kill('SIGKILL');
    await once(runs[0]!, 'close');
    for (const home of homes) rmSync(home, { recursive: true, force: true });
  });
});
