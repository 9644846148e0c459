import { join } from 'node:path';
import type { Config } from './services/config/config.js';

/** A database that runs, until `close` if this process has started it. */
export interface OpenDatabase {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** The database of the configuration, else the embedded one. */
export async function openDatabase(config: Config, log: (line: string) => void): Promise<OpenDatabase> {
  if (config.databaseUrl) return { url: config.databaseUrl, close: async () => {} };
  // A dynamic import, so that a service with DATABASE_URL never loads src/dev.
  const { EmbeddedPostgres } = await import('./dev/embedded-postgres.js');
  const embedded = await EmbeddedPostgres.start({ dataDir: join(config.dataDir, 'postgres'), log });
  return { url: embedded.url, close: () => embedded.stop() };
}
