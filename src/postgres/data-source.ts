import type { ClientConfig } from 'pg';
import type { DataSource, DataSourceOptions } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';
import * as migrations from '../../migrations/index.js';
import { commitDurably } from './durability.js';

/** What the connections need of the service's configuration. */
export interface DatabaseSettings {
  readonly databasePoolSize: number;
}

/** How every part of the service talks to PostgreSQL. */
export function dataSourceOptions(settings: DatabaseSettings, url: string): DataSourceOptions & { type: 'postgres' } {
  return {
    type: 'postgres',
    url,
    applicationName: 'identity-and-wallets',
    synchronize: false,
    migrationsRun: false,
    migrations: Object.values(migrations),
    migrationsTransactionMode: 'each',
    poolSize: settings.databasePoolSize,
    // Together with the watchdog: no call waits for the database longer than 12 s, a connection and one statement included.
    connectTimeoutMS: 3_000,
    extra: {
      statement_timeout: 7_000,
      idle_in_transaction_session_timeout: 30_000,
      keepAlive: true,
      onConnect: commitDurably,
      // Connections stay: a new one logs in and prepares its statements again, and a timer for each use of each one took a
      // fifteenth of a read's time.
      idleTimeoutMillis: 0,
    },
    logging: false,
  };
}

/** The same for a connection beside TypeORM's pool. */
export function connectionOptions(dataSource: DataSource): ClientConfig {
  const { url, applicationName, connectTimeoutMS, extra } = dataSource.options as PostgresDataSourceOptions;
  return {
    ...(extra as object),
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMS,
  };
}
