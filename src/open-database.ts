import { join } from 'node:path';
import type { Config } from './services/config/config.js';

export interface OpenDatabase {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** The embedded one by default. */
export async function openDatabase(config: Config, log: (line: string) => void): Promise<OpenDatabase> {
  if (config.databaseUrl) return { url: config.databaseUrl, close: async () => {} };
  // A service with DATABASE_URL never loads src/dev.
  const { EmbeddedPostgres } = await import('./dev/embedded-postgres.js');
  const embedded = await EmbeddedPostgres.start({ dataDir: join(config.dataDir, 'postgres'), log });
  return { url: embedded.url, close: () => embedded.stop() };
}
