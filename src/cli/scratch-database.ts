import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { moduleEnvironment } from '../services/config/module-environment.js';

type Say = (line: string) => void;

/** A database for one check, which `drop` removes. */
export interface ScratchDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

const CUSTOM_FORMAT = 'PGDMP';
const PROGRESS_MS = 10_000;
const HOME_OF_COPY = 'backup-verify-';
/** A socket in the home of a copy, on which the run listens while it goes on. */
const RUNNING = 'running';

/** Whether the path is a data directory of PostgreSQL. A dump may be a directory too. */
export async function isDataDirectory(path: string): Promise<boolean> {
  return fs.access(join(path, 'PG_VERSION')).then(
    () => true,
    () => false,
  );
}

/** Restores a dump of `pg_dump`, in any of its formats, into a new database of the server. */
export async function restoreDump(path: string, serverUrl: string, say: Say): Promise<ScratchDatabase> {
  await dropLeftovers(serverUrl);
  const name = `backup_verify_${randomBytes(6).toString('hex')}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const occupant = new Client({ connectionString: url.href }).on('error', () => undefined);
  const drop = async (): Promise<void> => {
    await occupant.end();
    await onServer(serverUrl, `drop database if exists ${name} with (force)`);
  };
  await onServer(serverUrl, `create database ${name} template template0 encoding 'UTF8'`);
  try {
    await occupant.connect();
    await restore(path, url, say);
    return { url: url.href, drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

/** Removes the databases of runs that were killed. The server refuses for one that goes on, because it holds a connection. */
async function dropLeftovers(serverUrl: string): Promise<void> {
  const leftovers = await onServer(
    serverUrl,
    `select datname as name from pg_database where datname ~ '^backup_verify_[0-9a-f]{12}$'`,
  );
  for (const { name } of leftovers)
    await onServer(serverUrl, `drop database if exists ${String(name)}`).catch(() => undefined);
}

async function restore(path: string, url: URL, say: Say): Promise<void> {
  const target = new URL(url);
  target.password = '';
  const isSql = await isPlain(path);
  if (isSql) await requireOneDatabase(path);
  // The first error ends a restore of plain SQL too. Owners and rights are those of another server.
  const [program, ...args] = isSql
    ? ['psql', '--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', `--file=${path}`, `--dbname=${target.href}`]
    : ['pg_restore', '--verbose', '--no-owner', '--no-privileges', '--exit-on-error', `--dbname=${target.href}`, path];
  // The password is not an argument, which every user of the machine can read.
  const env = { ...moduleEnvironment(), PGPASSWORD: decodeURIComponent(url.password) };
  const child = spawn(program!, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-2_000);
    for (const [, table] of text.matchAll(/processing data for table "([^"]+)"/g)) say(`restoring ${table}`);
  });
  const [code] = (await once(child, 'close').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new Error(
      `${program} is missing on this machine. Install the client programs of PostgreSQL, of the release that made the dump or later (Debian: postgresql-client).`,
    );
  })) as [number | null];
  if (code !== 0) throw new Error(`${program} could not restore the dump: ${lastLines(words)}`);
}

/** A dump of `pg_dump --create` would replace a database of the server, or fill another one than the scratch database. */
async function requireOneDatabase(path: string): Promise<void> {
  const file = await fs.open(path);
  try {
    let isCopy = false;
    for await (const line of file.readLines()) {
      if (isCopy ? line === '\\.' : /^COPY .* FROM stdin;$/i.test(line)) isCopy = !isCopy;
      else if (
        !isCopy &&
        /^\s*(?:\\(?!\.|restrict |unrestrict )|(?:create|drop|alter)\s+(?:database|role)\b)/i.test(line)
      )
        throw new Error(
          `The dump has a command for more than one database: ${line.slice(0, 80)}. Make it without --create.`,
        );
    }
  } finally {
    await file.close();
  }
}

async function isPlain(path: string): Promise<boolean> {
  if ((await fs.stat(path)).isDirectory()) return false;
  const file = await fs.open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(512), 0, 512, 0);
    // The other formats are a directory, a magic word, and tar.
    return !buffer.toString('latin1').startsWith(CUSTOM_FORMAT) && buffer.toString('latin1', 257, 262) !== 'ustar';
  } finally {
    await file.close();
  }
}

export async function isOfService(url: string): Promise<boolean> {
  const [row] = await onServer(
    url,
    `select to_regclass('migrations') is not null and to_regclass('apps') is not null as "isOurs"`,
  );
  return row!['isOurs'] === true;
}

async function onServer(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

export interface Snapshot {
  /** A data directory, which stays as it is. */
  readonly path: string;
  readonly user: string;
  readonly database: string;
  /** The directory of PostgreSQL's programs; by default where packages install them. */
  readonly programs: string | undefined;
}

/** Starts PostgreSQL on a copy of a data directory, such as that of a volume snapshot. It listens on a socket of this process alone. */
export async function startSnapshot({ path, ...snapshot }: Snapshot, say: Say): Promise<ScratchDatabase> {
  const major = (await fs.readFile(join(path, 'PG_VERSION'), 'utf8')).trim();
  const programs = await programsOf(major, snapshot.programs);
  // They are links to other volumes, on which a copy would write.
  if ((await fs.readdir(join(path, 'pg_tblspc'))).length > 0)
    throw new Error('The snapshot has tablespaces in other directories. Take a dump of it instead.');
  const { uid, gid } = await fs.stat(path);
  const isRoot = process.getuid?.() === 0;
  if (isRoot && uid === 0) throw new Error('PostgreSQL does not run as root: give the snapshot the owner that it had.');
  await removeLeftovers();
  const home = await fs.mkdtemp(join(tmpdir(), HOME_OF_COPY));
  const running = createServer().listen(join(home, RUNNING)).unref();
  await once(running, 'listening');
  let server: ChildProcess | undefined;
  const drop = async (): Promise<void> => {
    if (server && server.exitCode === null && server.signalCode === null) {
      server.kill('SIGQUIT');
      await once(server, 'close');
    }
    running.close();
    await remove(home);
  };
  try {
    const data = join(home, 'data');
    say(`copying ${path}`);
    // A link to the snapshot would stay a link, and PostgreSQL would write to the original.
    await promisify(execFile)('cp', ['-a', await fs.realpath(path), data]);
    for (const name of ['postmaster.pid', 'standby.signal', 'recovery.signal'])
      await fs.rm(join(data, name), { force: true });
    const own = join(home, 'server');
    await fs.mkdir(own, { mode: 0o700 });
    await fs.writeFile(join(own, 'hba.conf'), 'local all all trust\n');
    await fs.writeFile(join(own, 'empty.conf'), '');
    if (isRoot) {
      // The home stays that of this user, by which the next run knows it.
      await fs.chmod(home, 0o711);
      for (const name of ['.', 'hba.conf', 'empty.conf']) await fs.chown(join(own, name), uid, gid);
    }
    const settings = {
      config_file: join(own, 'empty.conf'),
      hba_file: join(own, 'hba.conf'),
      ident_file: join(own, 'empty.conf'),
      listen_addresses: '',
      unix_socket_directories: own,
      port: 5432,
      ssl: 'off',
      archive_mode: 'off',
      primary_conninfo: '',
      shared_preload_libraries: '',
      fsync: 'off',
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    server = spawn(join(programs, 'postgres'), ['-D', data, ...flags], {
      ...(isRoot && { uid, gid }),
      env: moduleEnvironment(),
      cwd: own,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const { user, database } = snapshot;
    const url = `postgres://${encodeURIComponent(user)}@localhost/${encodeURIComponent(database)}?host=${encodeURIComponent(own)}`;
    await answers(server, url, say);
    return { url, drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

/**
 * Removes the copies of this user's runs that were killed. PostgreSQL ends within a minute when its directory is gone. Other users of the
 * machine may make directories and links of this name, which are left alone.
 */
async function removeLeftovers(): Promise<void> {
  for (const name of await fs.readdir(tmpdir())) {
    if (!name.startsWith(HOME_OF_COPY)) continue;
    const home = join(tmpdir(), name);
    const { uid } = await fs.lstat(home).catch(() => ({ uid: -1 }));
    if (uid !== process.getuid?.()) continue;
    const socket = connect(join(home, RUNNING));
    const fault = await once(socket, 'connect').then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code,
    );
    socket.destroy();
    // PostgreSQL of the killed run may still write; then the next run removes it.
    if (fault === 'ECONNREFUSED') await remove(home).catch(() => undefined);
  }
}

/** The program follows no link that replaces a directory while it works. */
async function remove(home: string): Promise<void> {
  await promisify(execFile)('rm', ['-rf', '--', home]);
}

/** Resolves when the server has recovered and takes connections. */
async function answers(server: ChildProcess, url: string, say: Say): Promise<void> {
  let words = '';
  server.stderr?.setEncoding('utf8').on('data', (text: string) => (words = (words + text).slice(-2_000)));
  let said = performance.now();
  for (;;) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL does not start on the snapshot: ${lastLines(words)}`);
    const fault = await onServer(url, 'select 1').then(
      () => null,
      (error: Error & { code?: string }) => error,
    );
    if (fault === null) return;
    // The role or the database is not in the snapshot.
    if (fault.code === '28000' || fault.code === '3D000') throw fault;
    if (performance.now() - said > PROGRESS_MS) {
      said = performance.now();
      say('PostgreSQL recovers the snapshot');
    }
    await pause(100);
  }
}

/** Programs of another major release do not read the data. */
async function programsOf(major: string, given: string | undefined): Promise<string> {
  const packaged = [`/usr/lib/postgresql/${major}/bin`, `/usr/pgsql-${major}/bin`, `/usr/local/pgsql/bin`];
  for (const directory of given === undefined ? packaged : [given]) {
    const { stdout } = await promisify(execFile)(join(directory, 'postgres'), ['--version']).catch(() => ({
      stdout: '',
    }));
    if (stdout.includes(` ${major}.`)) return directory;
  }
  throw new Error(
    `The programs of PostgreSQL ${major} were not found. Name their directory: --programs /usr/lib/postgresql/${major}/bin`,
  );
}

function lastLines(words: string): string {
  return words.trim().split('\n').slice(-3).join(' ');
}
