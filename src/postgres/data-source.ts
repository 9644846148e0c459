import type { ClientBase, ClientConfig } from 'pg';
import type { DataSource, DataSourceOptions } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';
import * as migrations from '../../migrations/index.js';
import { type Bounds, configureSession, USUAL_BOUNDS } from './session-settings.js';

/** What the connections need of the service's configuration. */
export interface DatabaseSettings {
  readonly databasePoolSize: number;
  /** The server itself, where the usual URL leads to a pooler. */
  readonly databaseDirectUrl?: string | undefined;
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
    connectTimeoutMS: 3_000,
    extra: {
      directUrl: settings.databaseDirectUrl,
      keepAlive: true,
      onConnect: (client: ClientBase) => configureSession(client, USUAL_BOUNDS),
      // Connections stay: a new one logs in and prepares its statements again, and a timer for each use of each one took a
      // fifteenth of a read's time.
      idleTimeoutMillis: 0,
    },
    logging: false,
  };
}

/** The same for a connection or a pool beside TypeORM's pool. A single connection is not configured by itself. */
export function connectionOptions(dataSource: DataSource, bounds: Bounds = USUAL_BOUNDS): ClientConfig {
  const { url, applicationName, connectTimeoutMS, extra } = dataSource.options as PostgresDataSourceOptions;
  const options = {
    ...(extra as object),
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMS,
    onConnect: (client: ClientBase) => configureSession(client, bounds),
  };
  return options;
}

/** The same past a pooler, if there is one. */
export function directConnectionOptions(dataSource: DataSource): ClientConfig {
  const { extra } = dataSource.options as PostgresDataSourceOptions;
  const { directUrl } = extra as { readonly directUrl: string | undefined };
  return { ...connectionOptions(dataSource), ...(directUrl !== undefined && { connectionString: directUrl }) };
}
