import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { eventually } from './eventually.js';
import { TransactionPooler } from './transaction-pooler.js';
import { freePort } from '../../src/dev/free-port.js';

export interface Pooler {
  readonly url: string;
  /** What it could not keep between transactions; PgBouncer itself says so only to its client. */
  readonly refused: readonly string[];
  /** As the command of PgBouncer's console: every server connection is closed, those in a transaction after it. */
  reconnect(): Promise<void>;
  stop(): Promise<void>;
}

export interface PoolerOptions {
  readonly serverConnections?: number;
  /** A free port if none is given. */
  readonly port?: number;
}

/** Enough for all calls of a test that lets them wait for one lock at the same time. */
const SERVER_CONNECTIONS = 60;

/** A pooler in transaction mode: PgBouncer 1.21 or later if it is on the PATH, else our own. */
export async function startPooler(databaseUrl: string, options: PoolerOptions = {}): Promise<Pooler> {
  const all = { serverConnections: SERVER_CONNECTIONS, ...options };
  return (await hasPgBouncer()) ? startPgBouncer(databaseUrl, all) : TransactionPooler.start(databaseUrl, all);
}

let found: Promise<boolean> | undefined;

/** Whether a PgBouncer that keeps named prepared statements is on the PATH. */
export function hasPgBouncer(): Promise<boolean> {
  return (found ??= promisify(execFile)('pgbouncer', ['--version']).then(
    ({ stdout }) => {
      const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(stdout) ?? [];
      return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 21);
    },
    () => false,
  ));
}

async function startPgBouncer(
  databaseUrl: string,
  { serverConnections, port }: PoolerOptions & { readonly serverConnections: number },
): Promise<Pooler> {
  const directory = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
  chmodSync(directory, 0o755);
  const target = new URL(databaseUrl);
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port ?? (await freePort()));
  const server = { host: '127.0.0.1', port: target.port, user: target.username, password: target.password };
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: url.port,
    unix_socket_dir: '',
    auth_type: 'any',
    admin_users: target.username,
    pool_mode: 'transaction',
    default_pool_size: serverConnections,
    max_prepared_statements: 1_000,
    max_client_conn: 1_000,
  };
  const lines = (entries: object, separator: string): string =>
    Object.entries(entries)
      .map(([name, value]) => `${name} = ${value}`)
      .join(separator);
  const file = join(directory, 'pgbouncer.ini');
  writeFileSync(file, `[databases]\n* = ${lines(server, ' ')}\n[pgbouncer]\n${lines(settings, '\n')}\n`);
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['--user', 'nobody'] : [];
  const child = spawn('pgbouncer', ['--quiet', ...user, file], { stdio: ['ignore', 'ignore', 'inherit'] });
  const exit = once(child, 'exit');
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error('PgBouncer has ended.');
    const client = new Client({ connectionString: url.href });
    await client.connect();
    await client.end();
  });
  return {
    url: url.href,
    refused: [],
    reconnect: async () => {
      const console = new URL(url);
      console.pathname = '/pgbouncer';
      const client = new Client({ connectionString: console.href });
      await client.connect();
      await client.query('reconnect');
      await client.end();
    },
    stop: async () => {
      child.kill('SIGINT');
      child.kill('SIGTERM');
      await exit;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
