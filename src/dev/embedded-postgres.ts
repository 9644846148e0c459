import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ENDS_WITH_PARENT } from './ends-with-parent.js';
import { freePort } from './free-port.js';
import { CLUSTER, createCluster, homeFor, PASSWORD, programsFor } from './installation.js';
import { lastPort, runningPostmaster, ENVIRONMENT, serverUser, type ServerUser, WAY_OUT } from './postmaster.js';

interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  /** They are ignored if another process has started the server. */
  readonly settings?: Readonly<Record<string, string | number>>;
  readonly log?: (line: string) => void;
}

const LOCAL_SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '64MB',
  // Asynchronous I/O costs three more processes and gains nothing at this size.
  io_method: 'sync',
  // A new database grows fast, and without statistics statements are planned for empty tables.
  autovacuum_naptime: '10s',
  timezone: 'UTC',
  log_checkpoints: 'off',
  // Errors reach their callers. A log would show statements and the values of keys.
  log_min_messages: 'log',
  log_error_verbosity: 'terse',
};

/**
 * The server listens on 127.0.0.1 only, behind a random password. It stops with the process that started it, even after SIGKILL;
 * another process of the directory then starts it again at the same port.
 */
export class EmbeddedPostgres {
  private port = 0;
  private launched: ChildProcess | undefined;
  private readonly end = new AbortController();
  private kept = Promise.resolve();

  private constructor(
    private readonly postgres: string,
    private readonly cluster: string,
    private readonly user: ServerUser,
    private readonly settings: Readonly<Record<string, string | number>>,
    private readonly log: (line: string) => void,
  ) {}

  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const { settings = {}, log = () => {} } = options;
    const dataDir = resolve(options.dataDir);
    mkdirSync(dataDir, { recursive: true });
    const user = await serverUser(join(dataDir, CLUSTER));
    const home = await homeFor(user, dataDir, log);
    const programs = await programsFor(user, home, log);
    const cluster = join(home, CLUSTER);
    if (!existsSync(cluster)) {
      log(`Creating a database in ${cluster}.`);
      await createCluster(programs, home, user);
    }
    const postgres = new EmbeddedPostgres(join(programs, 'postgres'), cluster, user, settings, log);
    await postgres.acquire();
    postgres.kept = postgres.keepRunning();
    return postgres;
  }

  get url(): string {
    return `postgres://postgres:${readFileSync(join(this.cluster, PASSWORD), 'utf8')}@127.0.0.1:${this.port}/postgres`;
  }

  /** If this process started the server, resolves after its stop, or after 5 s. */
  async stop(): Promise<void> {
    this.end.abort();
    await this.kept;
    this.launched?.kill('SIGINT');
    for (const end = Date.now() + 5_000; isRunning(this.launched) && Date.now() < end;) await sleep(10);
  }

  /** Reuses the last port if it is free. */
  private async acquire(): Promise<void> {
    const deadline = Date.now() + 30_000;
    for (; !this.end.signal.aborted && (isRunning(this.launched) || Date.now() < deadline); await sleep(50)) {
      const running = runningPostmaster(this.cluster);
      if (running?.isReady) return void (this.port ||= running.port);
      if (!running) await this.launch(this.port || (await freePort(lastPort(this.cluster))));
    }
    const where = this.port === 0 ? '' : ` at port ${this.port}, which another program may use`;
    throw new Error(`The PostgreSQL on ${this.cluster} does not answer${where}. See postgres.log.${WAY_OUT}`);
  }

  private async keepRunning(): Promise<void> {
    const { signal } = this.end;
    for (; !signal.aborted; await sleep(1_000, undefined, { ref: false, signal }).catch(() => {})) {
      try {
        if (isRunning(this.launched) || runningPostmaster(this.cluster)) continue;
        this.log(`The embedded PostgreSQL has ended; starting it again at port ${this.port}.`);
        await this.acquire();
      } catch (error) {
        if (!signal.aborted) this.log((error as Error).message);
      }
    }
  }

  /** The promise also resolves if the server has ended because another process was faster or took the port. */
  private async launch(port: number): Promise<void> {
    const settings = { ...LOCAL_SETTINGS, ...this.settings, port };
    const flags = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
    const logFile = join(this.cluster, '../postgres.log');
    const log = openSync(logFile, 'a', 0o600);
    const logged = fstatSync(log).size;
    const command = [this.postgres, '-D', this.cluster, ...flags];
    // Ctrl-C does not reach a session of its own.
    const form = { ...this.user, env: ENVIRONMENT, cwd: '/', detached: true };
    const server = spawn('/bin/sh', ['-c', ENDS_WITH_PARENT, 'sh', ...command], { ...form, stdio: ['pipe', log, log] });
    closeSync(log);
    await once(server, 'spawn');
    server.unref();
    (server.stdin as Socket).unref();
    this.launched = server;
    for (; isRunning(server); await sleep(5)) {
      const running = runningPostmaster(this.cluster);
      if (running?.isReady && running.port === port) return;
    }
    const words = readFileSync(logFile).subarray(logged).toString().trim();
    if (/lock file|shared memory|could not bind/.test(words)) return;
    throw new Error(`The embedded PostgreSQL did not start. ${words}${WAY_OUT}`);
  }
}

function isRunning(server: ChildProcess | undefined): boolean {
  return server?.exitCode === null && server.signalCode === null;
}
