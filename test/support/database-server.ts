import { mkdir, mkdtemp, readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { require as loadTypeScript } from 'tsx/cjs/api';
import type { EmbeddedPostgres } from '../../src/dev/embedded-postgres.js';

/** The server of this test run and its directory; absent if `TEST_DATABASE_SERVER` names one. */
export interface TestServer {
  readonly postgres: EmbeddedPostgres;
  readonly dataDir: string;
}

/** Jest's global setup: one PostgreSQL for all test files. Workers find it in `TEST_DATABASE_SERVER`. */
export default async function startDatabaseServer(): Promise<void> {
  if (process.env.TEST_DATABASE_SERVER) return;
  if (process.env.TEST_DATABASE_SERVER === '')
    throw new Error('Set CITUS_URL to the URL of a database on the coordinator of a Citus cluster.');
  // Jest loads a global setup without its resolver, which finds the source of an import that ends in `.js`.
  const source = loadTypeScript('../../src/dev/embedded-postgres.ts', import.meta.filename) as {
    EmbeddedPostgres: typeof EmbeddedPostgres;
  };
  const dataDir = await mkdtemp(join(await place(), `test-postgres-${process.pid}-`));
  await nameTokens(dataDir);
  // These data need not survive a power failure. A small log, because it may be kept in memory.
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    max_wal_size: '256MB',
    max_connections: 300,
    // Tests that read plans analyze their tables themselves.
    autovacuum: 'off',
  };
  const postgres = await source.EmbeddedPostgres.start({ dataDir, settings });
  await hashPasswordOnce(postgres.url);
  process.env.TEST_DATABASE_SERVER = postgres.url;
  (globalThis as { testServer?: TestServer }).testServer = { postgres, dataDir };
}

/** A connection hashes the password 4,096 times on each side. Tests open thousands of connections. */
async function hashPasswordOnce(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('set scram_iterations = 1');
  await client.query(`alter role postgres password ${client.escapeLiteral(new URL(url).password)}`);
  await client.end();
}

/** SoftHSM reads where its tokens are from a file, and the name of the file from the environment of the whole process. */
async function nameTokens(dataDir: string): Promise<void> {
  const settings = join(dataDir, 'softhsm2.conf');
  const tokens = join(dataDir, 'tokens');
  await mkdir(tokens);
  await writeFile(settings, `directories.tokendir = ${tokens}\nobjectstore.backend = file\n`);
  process.env.SOFTHSM2_CONF = settings;
}

const MEMORY = '/dev/shm';
/** All databases and the log of a whole run take less than half of it. */
const ROOM_BYTES = 2 * 1024 ** 3;

/** Memory if there is room: to copy a database takes 11 ms there and 76 ms on a disk. */
async function place(): Promise<string> {
  try {
    // A run that was killed leaves its directory. Another run may remove it at the same time.
    for (const name of await readdir(MEMORY)) {
      const [, pid] = /^test-postgres-(\d+)-/.exec(name) ?? [];
      if (pid !== undefined && !isAlive(Number(pid))) await rm(join(MEMORY, name), { recursive: true, force: true });
    }
    const { bavail, bsize } = await statfs(MEMORY);
    return bavail * bsize > ROOM_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
