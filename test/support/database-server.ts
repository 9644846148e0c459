import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  // Jest loads a global setup without its resolver, which finds the source of an import that ends in `.js`.
  const source = loadTypeScript('../../src/dev/embedded-postgres.ts', import.meta.filename) as {
    EmbeddedPostgres: typeof EmbeddedPostgres;
  };
  const dataDir = await mkdtemp(join(tmpdir(), 'test-postgres-'));
  // These data need not survive a power failure.
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: 300 };
  const postgres = await source.EmbeddedPostgres.start({ dataDir, settings });
  process.env.TEST_DATABASE_SERVER = postgres.url;
  (globalThis as { testServer?: TestServer }).testServer = { postgres, dataDir };
}
