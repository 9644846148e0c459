import { rm } from 'node:fs/promises';
import type { TestServer } from './database-server.js';

/** Jest's global teardown. */
export default async function stopDatabaseServer(): Promise<void> {
  const { testServer } = globalThis as { testServer?: TestServer };
  if (!testServer) return;
  await testServer.postgres.stop();
  await rm(testServer.dataDir, { recursive: true });
}
