import { mkdtemp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddedPostgres } from '../../src/dev/embedded-postgres.js';

/** A server of the test run's own, and where it lives; absent when `TEST_DATABASE_SERVER` named one already. */
export interface TestServer {
  readonly postgres: EmbeddedPostgres;
  readonly dataDir: string;
}

/** Jest's global setup: one PostgreSQL for all test files. Workers find it by `TEST_DATABASE_SERVER`. */
export default async function startDatabaseServer(): Promise<void> {
  if (process.env.TEST_DATABASE_SERVER) return;
  // Jest loads a global setup without its own resolver, so nothing maps `.js` to the source here.
  const source = createRequire(import.meta.url)('../../src/dev/embedded-postgres.ts') as {
    EmbeddedPostgres: typeof EmbeddedPostgres;
  };
  const dataDir = await mkdtemp(join(tmpdir(), 'test-postgres-'));
  // Nothing here has to survive a power cut.
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: 300 };
  const postgres = await source.EmbeddedPostgres.start({ dataDir, settings });
  process.env.TEST_DATABASE_SERVER = postgres.url;
  (globalThis as { testServer?: TestServer }).testServer = { postgres, dataDir };
}
