import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import {
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';

interface EmbeddedPostgresOptions {
  /** A directory of the database's own; made when absent. */
  readonly dataDir: string;
  /** Server settings over the standard ones, e.g. `{ fsync: 'off' }`. They hold for the server this call starts. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** Receives one line about slow or unusual events. */
  readonly log?: (line: string) => void;
}

/**
 * A real PostgreSQL for development and tests: on 127.0.0.1 only, behind a random password. Processes that start one on
 * the same directory share the server. It stops with its last user process, even after SIGKILL: each use is an open
 * write end of a named pipe, which the kernel closes, and a shell beside the server reads the pipe until its end. As
 * root, the server runs as an unprivileged user, because PostgreSQL refuses root.
 */
export class EmbeddedPostgres {
  private port = 0;
  /** Our write end of the pipe; while it is open, we use the server. */
  private hold: number | undefined;
  /** The server, when it is our child. */
  private server: ChildProcess | undefined;

  private constructor(
    private readonly binaries: string,
    private readonly cluster: string,
    private readonly password: string,
    private readonly user: ServerUser,
    private readonly settings: Readonly<Record<string, string | number>>,
    private readonly log: (line: string) => void,
  ) {}

  /** Resolves when the server answers. Makes the database when there is none, and joins a server that already runs on it. */
  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const { settings = {}, log = () => {} } = options;
    const packaged = packagedPostgres();
    const dataDir = resolve(options.dataDir);
    await mkdir(dataDir, { recursive: true });
    const user = await serverUser(dataDir);
    const home = await reachableHome(dataDir, user, log);
    const binaries = join(await runnable(packaged, home, user, log), 'bin');
    const cluster = join(home, CLUSTER);
    if (!existsSync(cluster)) {
      log(`Creating a database in ${cluster}.`);
      await createCluster(binaries, home, user, settings.fsync !== 'off');
    }
    const password = await readFile(join(cluster, PASSWORD), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EACCES') throw error;
      throw new Error(`The database in ${cluster} belongs to another user. Start as that user.${WAY_OUT}`, {
        cause: error,
      });
    });
    const postgres = new EmbeddedPostgres(binaries, cluster, password, user, settings, log);
    await postgres.acquire();
    return postgres;
  }

  get url(): string {
    return `postgres://${SUPERUSER}:${this.password}@127.0.0.1:${this.port}/postgres`;
  }

  /**
   * Ends this use of the server. The server stops after its last use; if this process started it, resolves after the
   * stop.
   */
  async stop(): Promise<void> {
    if (this.hold === undefined) return;
    closeSync(this.hold);
    this.hold = undefined;
    const server = this.server;
    // Other processes may use it for days, so only the close of this end is awaited.
    const deadline = Date.now() + 5_000;
    while (server && isRunning(server) && Date.now() < deadline) await sleep(10);
  }

  private async acquire(): Promise<void> {
    const deadline = Date.now() + 30_000;
    while (Date.now() < deadline) {
      const running = this.runningServer();
      if (running) {
        if (await this.join(running)) return;
      } else {
        const launched = await this.launch();
        if (launched) return this.keep(launched);
      }
      await sleep(50);
    }
    throw new Error(
      `The PostgreSQL on ${this.cluster} neither answers nor ends. ${lastLines(this.readLog())}${WAY_OUT}`,
    );
  }

  /** What postmaster.pid says of the server, if that process is a PostgreSQL on our directory. */
  private runningServer(): LockFile | null {
    const path = join(this.cluster, 'postmaster.pid');
    const lock = readLockFile(path);
    if (!lock || isPostgresOn(this.cluster, lock.pid)) return lock;
    // PostgreSQL removes the file of a dead server, but mistakes any process with that id for the server, also a
    // zombie. The file must stay, because PostgreSQL detects orphaned backends by it; only its process id becomes an
    // impossible one.
    if (isAlive(lock.pid)) writeFileSync(path, readFileSync(path, 'latin1').replace(/^-?\d+/, '2147483647'), 'latin1');
    return null;
  }

  /** Uses a server that another process started; false while it starts or stops. */
  private async join({ pid, port, ready }: LockFile): Promise<boolean> {
    const pipe = ready ? await this.pipeOfServerAt(port) : null;
    if (pipe === null) return false;
    try {
      // Opens only if the pipe has a reader. The reader unlinks the pipe before its last check for writers, so a pipe
      // that was opened here keeps the server running.
      this.hold = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return false;
      if (code !== 'ENXIO') throw error;
      // The reader was killed, and the server would never stop: it gets a new one.
      this.hold = (await this.watched(pipe, `pid=${pid}; (${STOP_WHEN_UNUSED}) <&3`)).hold;
    }
    this.port = port;
    return true;
  }

  /** Starts the server; null when another one was faster or its port is taken, which is no reason to give up. */
  private async launch(name = `${PIPE}${randomBytes(4).toString('hex')}`, port?: number): Promise<Launched | null> {
    const pipe = join(this.cluster, name);
    if (!existsSync(pipe)) await run('/bin/sh', ['-c', 'mkfifo -m 600 "$0"', pipe], this.user);
    const settings = { ...LOCAL_SETTINGS, port: port ?? (await freePort()), ...this.settings, cluster_name: name };
    const flags = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
    const logged = this.readLog().length;
    const { child, hold } = await this.watched(
      pipe,
      // The shell becomes the server, so the server is a child of this process and $$ is its process id. The watch is
      // an orphaned grandchild: a server whose own child is killed would assume a crash.
      `((pid=$$; ${STOP_WHEN_UNUSED}) <&3 &); exec "$@" 3<&-`,
      join(this.binaries, 'postgres'),
      '-D',
      this.cluster,
      ...flags,
    );
    try {
      while (isRunning(child)) {
        const lock = readLockFile(join(this.cluster, 'postmaster.pid'));
        if (lock?.pid === child.pid && lock?.ready && (await this.pipeOfServerAt(lock.port)) === pipe) {
          return { child, hold, name, port: lock.port };
        }
        await sleep(5);
      }
    } catch (error) {
      closeSync(hold);
      throw error;
    }
    closeSync(hold);
    const words = lastLines(this.readLog().subarray(logged));
    if (/lock file|shared memory|could not bind|Address already in use/.test(words)) return null;
    throw new Error(`The embedded PostgreSQL did not start. ${words}${WAY_OUT}`);
  }

  private keep({ child, hold, name, port }: Launched): void {
    this.hold = hold;
    this.port = port;
    this.server = child;
    void this.relaunchWhenItDies(child, name);
  }

  /**
   * Runs a shell with the read end of the pipe on descriptor 3, as the server's user and in its own session, which
   * Ctrl-C does not reach. Returns the write end; the pipe has a writer at every moment.
   */
  private async watched(
    pipe: string,
    script: string,
    ...command: string[]
  ): Promise<{ child: ChildProcess; hold: number }> {
    // A plain open of either end would wait for the other.
    const both = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    const reader = openSync(pipe, constants.O_RDONLY);
    const hold = openSync(pipe, constants.O_WRONLY);
    const log = openSync(join(dirname(this.cluster), LOG), 'a', 0o600);
    try {
      const child = spawn('/bin/sh', ['-c', script, 'sh', ...command], {
        ...this.user,
        env: { ...ENVIRONMENT, pipe, cluster: this.cluster },
        cwd: '/',
        detached: true,
        stdio: ['ignore', log, log, reader],
      });
      await once(child, 'spawn');
      child.unref();
      return { child, hold };
    } catch (error) {
      closeSync(hold);
      throw error;
    } finally {
      for (const descriptor of [both, reader, log]) closeSync(descriptor);
    }
  }

  /** Asks the server at this port for its pipe; null when it does not answer (yet), or is another directory's. */
  private async pipeOfServerAt(port: number): Promise<string | null> {
    const client = new Client({
      host: '127.0.0.1',
      port,
      user: SUPERUSER,
      password: this.password,
      database: 'postgres',
      connectionTimeoutMillis: 2_000,
      query_timeout: 2_000,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query<{ directory: string; name: string }>(
        `select current_setting('data_directory') as directory, current_setting('cluster_name') as name`,
      );
      return rows[0]?.directory === this.cluster ? join(this.cluster, rows[0].name) : null;
    } catch (error) {
      if ((error as { code?: string }).code === '28P01') {
        throw new Error(`The password in ${join(this.cluster, PASSWORD)} is not the database's.`, { cause: error });
      }
      return null;
    } finally {
      void client.end().catch(() => {});
    }
  }

  /** A server that dies under us (out of memory, killed by mistake) comes back at the same port, to the same users. */
  private async relaunchWhenItDies(server: ChildProcess, name: string): Promise<void> {
    await once(server, 'exit');
    while (this.hold !== undefined) {
      this.log('The embedded PostgreSQL has ended unexpectedly; starting it again.');
      try {
        // Through the same pipe, so that processes that share the server can continue.
        const launched = this.runningServer() ? null : await this.launch(name, this.port);
        if (launched) {
          if (this.hold === undefined) return closeSync(launched.hold);
          closeSync(this.hold);
          return this.keep(launched);
        }
      } catch (error) {
        this.log((error as Error).message);
      }
      await sleep(1_000, undefined, { ref: false });
    }
  }

  private readLog(): Buffer {
    const path = join(dirname(this.cluster), LOG);
    return existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  }
}

const CLUSTER = 'cluster';
const PASSWORD = 'password';
const LOG = 'postgres.log';
const PIPE = 'users-';
const SUPERUSER = 'postgres';
/** Where a start makes the database before it moves it into place. */
const DRAFT = 'draft-';
const WAY_OUT = ' Set DATABASE_URL to use another PostgreSQL.';

/** The environment of initdb and the server, independent of the caller's locale. */
const ENVIRONMENT = { LC_ALL: 'C', PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' };

const LOCAL_SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 100,
  shared_buffers: '64MB',
  // Asynchronous I/O would cost three more processes and gains nothing at this size.
  io_method: 'sync',
  // A new database grows fast, and until its statistics are gathered statements are planned for empty tables.
  autovacuum_naptime: '10s',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  // Errors reach who made them. In a log they would show statements, and with details the values of keys.
  log_min_messages: 'log',
  log_error_verbosity: 'terse',
};

/**
 * Waits on standard input for the end of the pipe, then stops the server. Checks again after it has unlinked the pipe,
 * for uses that began in between, and signals only a process that still is a server on this directory. (macOS has no
 * /proc, slim Linux images have no ps.)
 */
const STOP_WHEN_UNUSED = `
  while read -r _; do :; done
  rm -f "$pipe"
  while read -r _; do :; done
  case "$(2>/dev/null tr '\\0' ' ' <"/proc/$pid/cmdline" || ps -ww -o command= -p "$pid")" in
    *"/postgres -D $cluster "*) kill -INT "$pid" ;;
  esac`;

/** A server we started: our child, our hold of its pipe, the pipe's name, and where it listens. */
interface Launched {
  readonly child: ChildProcess;
  readonly hold: number;
  readonly name: string;
  readonly port: number;
}

/** Whom spawned processes run as; empty for an ordinary user, who stays who they are. */
type ServerUser = { readonly uid: number; readonly gid: number } | Record<string, never>;

async function serverUser(dataDir: string): Promise<ServerUser> {
  if (process.getuid?.() !== 0) return {};
  const owner = await stat(join(dataDir, CLUSTER)).catch(() => null);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  // initdb needs a user with a name: the unprivileged system user on Linux, `_postgres` on macOS.
  return process.platform === 'darwin' ? { uid: 216, gid: 216 } : { uid: 65_534, gid: 65_534 };
}

/**
 * The directory to keep everything in: `dataDir`, or where root started us below a directory that only root may enter,
 * a fresh one under /var/lib that a link in `dataDir` leads to.
 */
async function reachableHome(dataDir: string, user: ServerUser, log: (line: string) => void): Promise<string> {
  if (user.uid === undefined) return realpath(dataDir);
  const link = join(dataDir, 'elsewhere');
  const elsewhere = await readlink(link).catch(() => null);
  if (elsewhere !== null && existsSync(elsewhere)) return elsewhere;
  await chown(dataDir, user.uid, user.gid);
  if (await canReach(dataDir, user)) return realpath(dataDir);
  if (existsSync(join(dataDir, CLUSTER))) {
    throw new Error(`The server's user (${user.uid}) can no longer enter ${dataDir}: a directory above it is closed.`);
  }
  await rm(link, { force: true });
  await mkdir('/var/lib', { recursive: true });
  const home = await mkdtemp('/var/lib/embedded-postgres-');
  await chown(home, user.uid, user.gid);
  try {
    await symlink(home, link);
  } catch {
    await rm(home, { recursive: true });
    return readlink(link);
  }
  log(`PostgreSQL cannot run as root, and only root may enter ${dataDir}: the database is kept in ${home}.`);
  return home;
}

/** The directory the platform's package keeps PostgreSQL in. */
function packagedPostgres(): string {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    // The server is watched over by a shell.
    if (process.platform === 'win32') throw new Error();
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    return join(dirname(entry), '..', 'native');
  } catch {
    throw new Error(`There is no embedded PostgreSQL for ${platform} here.${WAY_OUT}`);
  }
}

/** A copy of PostgreSQL the server's user can run: the packaged one, or where that is out of reach, one in `home`. */
async function runnable(packaged: string, home: string, user: ServerUser, log: (line: string) => void) {
  if ((await linkLibraries(packaged)) && (await canReach(join(packaged, 'bin/postgres'), user))) return packaged;
  const { version } = JSON.parse(await readFile(join(packaged, '../package.json'), 'utf8')) as { version: string };
  const copy = join(home, `postgresql-${version}`);
  if (existsSync(copy)) return copy;
  log(`Copying PostgreSQL to ${copy}, because it cannot run where it is installed.`);
  const draft = await mkdtemp(`${copy}-`);
  // cp keeps the links, chmod makes the copy readable whatever the umask of the install was.
  await run('/bin/sh', ['-c', 'cp -RP "$0/." "$1" && chmod -R a+rX "$1"', packaged, draft]);
  await linkLibraries(draft);
  await renameUnlessThere(draft, copy);
  return copy;
}

/** Makes the links between library versions that npm packages cannot carry, in case install scripts were skipped. */
async function linkLibraries(native: string): Promise<boolean> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    try {
      await symlink(basename(source), join(native, relative('native', target)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
    }
  }
  return true;
}

/** Makes the database where no half of one can ever be seen: aside, then moved into place. The first to move wins. */
async function createCluster(binaries: string, home: string, user: ServerUser, durable: boolean): Promise<void> {
  await removeAbandonedDrafts(home);
  const draft = await mkdtemp(join(home, DRAFT));
  const password = join(draft, PASSWORD);
  try {
    await writeFile(password, randomBytes(24).toString('hex'), { mode: 0o600 });
    if (user.uid !== undefined) for (const path of [draft, password]) await chown(path, user.uid, user.gid);
    const access = ['--username', SUPERUSER, '--pwfile', password, '--auth=scram-sha-256'];
    const form = ['--encoding=UTF8', '--locale=C', '--no-instructions', ...(durable ? [] : ['--no-sync'])];
    await run(join(binaries, 'initdb'), ['-D', join(draft, CLUSTER), ...access, ...form], user);
    await rename(password, join(draft, CLUSTER, PASSWORD));
    await renameUnlessThere(join(draft, CLUSTER), join(home, CLUSTER));
  } finally {
    await rm(draft, { recursive: true });
  }
}

/** What a killed start left behind. By age, since another start may be at work on its own right now. */
async function removeAbandonedDrafts(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (!name.startsWith(DRAFT)) continue;
    const made = await stat(join(home, name)).catch(() => null);
    if (made && made.mtimeMs < Date.now() - 600_000) await rm(join(home, name), { recursive: true, force: true });
  }
}

async function renameUnlessThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    await rm(from, { recursive: true });
  }
}

async function canReach(path: string, user: ServerUser): Promise<boolean> {
  return (
    user.uid === undefined ||
    run('/bin/sh', ['-c', 'test -x "$0"', path], user).then(
      () => true,
      () => false,
    )
  );
}

async function run(command: string, args: string[], user: ServerUser = {}): Promise<void> {
  try {
    await promisify(execFile)(command, args, { ...user, env: ENVIRONMENT, cwd: '/' });
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(`${basename(command)} failed: ${stderr?.trim() || message}${WAY_OUT}`, { cause: error });
  }
}

/** What the server says of itself in postmaster.pid. */
interface LockFile {
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
}

function readLockFile(path: string): LockFile | null {
  if (!existsSync(path)) return null;
  const lines = readFileSync(path, 'latin1').split('\n');
  return { pid: Number(lines[0]), port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
}

/** Whether the process is a PostgreSQL server on this directory: not a stranger with a recycled id, not a zombie. */
function isPostgresOn(cluster: string, pid: number): boolean {
  try {
    const command =
      process.platform === 'linux'
        ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
        : execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return command.includes(`/postgres -D ${cluster} `);
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

function lastLines(log: Buffer): string {
  return log.toString().trim().split('\n').slice(-5).join('\n');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
