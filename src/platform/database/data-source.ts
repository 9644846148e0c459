import type { DataSourceOptions } from 'typeorm';
import { migrations } from '../../../migrations/index.js';
import type { Config } from '../config/config.js';

/** How every part of the service talks to PostgreSQL. */
export function dataSourceOptions(config: Config, url: string): DataSourceOptions & { type: 'postgres' } {
  return {
    type: 'postgres',
    url,
    applicationName: 'identity-and-wallets',
    synchronize: false,
    migrationsRun: false,
    migrations: [...migrations],
    migrationsTransactionMode: 'each',
    poolSize: config.databasePoolSize,
    // A database that is away is told within seconds; a statement that hangs frees its connection.
    connectTimeoutMS: 3_000,
    extra: { statement_timeout: 10_000, idle_in_transaction_session_timeout: 30_000, keepAlive: true },
    logging: false,
  };
}
