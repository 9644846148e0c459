import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { binariesFor } from './binaries.js';
import { CLUSTER, createCluster, homeFor, passwordOf, SUPERUSER } from './cluster.js';
import { type Postmaster, reportedPostmaster, runningPostmaster } from './postmaster.js';
import { serverUser, type ServerUser, WAY_OUT } from './server-user.js';
import { UsagePipe, type Watched } from './usage-pipe.js';
import { freePort } from './free-port.js';

interface EmbeddedPostgresOptions {
  /** A directory of the database's own; created when absent. */
  readonly dataDir: string;
  /** Server settings over the standard ones, e.g. `{ fsync: 'off' }`. They hold for the server this call starts. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** Receives one line about slow or unusual events. */
  readonly log?: (line: string) => void;
}

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
  // Errors reach their callers. In a log they would show statements, and with details the values of keys.
  log_min_messages: 'log',
  log_error_verbosity: 'terse',
};

/** A server that this process started. */
interface Launched extends Watched {
  readonly name: string;
  readonly port: number;
}

/**
 * A real PostgreSQL for development and tests: on 127.0.0.1 only, behind a random password. Processes that start one on
 * the same directory share the server. It stops with its last user process, even after SIGKILL (see `UsagePipe`).
 */
export class EmbeddedPostgres {
  private port = 0;
  /** The write end of the pipe by which this process uses the server. */
  private hold: number | undefined;
  /** The server, when it is a child of this process. */
  private server: ChildProcess | undefined;

  private constructor(
    private readonly binaries: string,
    private readonly home: string,
    private readonly password: string,
    private readonly user: ServerUser,
    private readonly settings: Readonly<Record<string, string | number>>,
    private readonly log: (line: string) => void,
  ) {}

  /** Resolves when the server answers. Creates the database when there is none, and joins a server that already runs on it. */
  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const { settings = {}, log = () => {} } = options;
    const dataDir = resolve(options.dataDir);
    await mkdir(dataDir, { recursive: true });
    const user = await serverUser(join(dataDir, CLUSTER));
    const home = await homeFor(user, dataDir, log);
    const binaries = await binariesFor(user, home, log);
    if (!existsSync(join(home, CLUSTER))) {
      log(`Creating a database in ${join(home, CLUSTER)}.`);
      await createCluster(binaries, home, user, settings['fsync'] !== 'off');
    }
    const password = await passwordOf(join(home, CLUSTER));
    const postgres = new EmbeddedPostgres(binaries, home, password, user, settings, log);
    await postgres.acquire();
    return postgres;
  }

  get url(): string {
    return `postgres://${SUPERUSER}:${this.password}@127.0.0.1:${this.port}/postgres`;
  }

  /** Ends this use of the server. The server stops after its last use; if this process started it, resolves after the stop. */
  async stop(): Promise<void> {
    if (this.hold === undefined) return;
    closeSync(this.hold);
    this.hold = undefined;
    const { server } = this;
    // Other processes may use it for days.
    const deadline = Date.now() + 5_000;
    while (server && isRunning(server) && Date.now() < deadline) await sleep(10);
  }

  private get cluster(): string {
    return join(this.home, CLUSTER);
  }

  private async acquire(): Promise<void> {
    for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(50)) {
      const running = runningPostmaster(this.cluster);
      if (running) {
        if (await this.join(running)) return;
      } else {
        const launched = await this.launch();
        if (launched) return this.keep(launched);
      }
    }
    throw new Error(`The PostgreSQL on ${this.cluster} neither answers nor ends. ${this.lastWords()}${WAY_OUT}`);
  }

  /** Uses a server that another process started; false while it starts or stops. */
  private async join({ pid, port, isReady }: Postmaster): Promise<boolean> {
    const name = isReady ? await this.nameOfServerAt(port) : null;
    if (name === null) return false;
    const pipe = this.pipe(name);
    try {
      const hold = pipe.open();
      if (hold === null) return false;
      this.hold = hold;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
      this.hold = await pipe.adopt(pid);
    }
    this.port = port;
    return true;
  }

  /** Starts the server; null when another process was faster or took the port, so that this one may try again. */
  private async launch(name = `users-${randomBytes(4).toString('hex')}`, port?: number): Promise<Launched | null> {
    const settings = { ...LOCAL_SETTINGS, port: port ?? (await freePort()), ...this.settings, cluster_name: name };
    const flags = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
    const logged = this.readLog().length;
    const postgres = [join(this.binaries, 'postgres'), '-D', this.cluster, ...flags];
    const { child, hold } = await this.pipe(name).start(postgres);
    try {
      for (; isRunning(child); await sleep(5)) {
        const reported = reportedPostmaster(this.cluster);
        if (reported?.pid !== child.pid || !reported?.isReady) continue;
        if ((await this.nameOfServerAt(reported.port)) === name) return { child, hold, name, port: reported.port };
      }
      const words = this.lastWords(logged);
      if (!/lock file|shared memory|could not bind|Address already in use/.test(words))
        throw new Error(`The embedded PostgreSQL did not start. ${words}${WAY_OUT}`);
    } catch (error) {
      closeSync(hold);
      throw error;
    }
    closeSync(hold);
    return null;
  }

  private keep({ child, hold, name, port }: Launched): void {
    this.hold = hold;
    this.port = port;
    this.server = child;
    void this.relaunchWhenItDies(child, name);
  }

  /** A server that was killed comes back at the same port. */
  private async relaunchWhenItDies(server: ChildProcess, name: string): Promise<void> {
    await once(server, 'exit');
    for (; this.hold !== undefined; await sleep(1_000, undefined, { ref: false })) {
      this.log('The embedded PostgreSQL has ended unexpectedly; starting it again.');
      try {
        // With the same pipe, so that the other processes still use it.
        const launched = runningPostmaster(this.cluster) ? null : await this.launch(name, this.port);
        if (!launched) continue;
        if (this.hold === undefined) return closeSync(launched.hold);
        closeSync(this.hold);
        return this.keep(launched);
      } catch (error) {
        this.log((error as Error).message);
      }
    }
  }

  /** The name of this database's server at the port; null when it does not answer (yet), or is of another directory. */
  private async nameOfServerAt(port: number): Promise<string | null> {
    const timeouts = { connectionTimeoutMillis: 2_000, query_timeout: 2_000 };
    const access = { host: '127.0.0.1', port, user: SUPERUSER, password: this.password, database: 'postgres' };
    const client = new Client({ ...access, ...timeouts });
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query<{ directory: string; name: string }>(
        `select current_setting('data_directory') as directory, current_setting('cluster_name') as name`,
      );
      return rows[0]?.directory === this.cluster ? rows[0].name : null;
    } catch (error) {
      if ((error as { code?: string }).code !== '28P01') return null;
      throw new Error(`The password in ${this.cluster} is not the database's.`, { cause: error });
    } finally {
      void client.end().catch(() => {});
    }
  }

  private pipe(name: string): UsagePipe {
    return new UsagePipe(join(this.cluster, name), this.cluster, this.logFile, this.user);
  }

  private get logFile(): string {
    return join(this.home, 'postgres.log');
  }

  private readLog(): Buffer {
    return existsSync(this.logFile) ? readFileSync(this.logFile) : Buffer.alloc(0);
  }

  /** The last lines of the server's log after this offset. */
  private lastWords(offset = 0): string {
    return this.readLog().subarray(offset).toString().trim().split('\n').slice(-5).join('\n');
  }
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}
