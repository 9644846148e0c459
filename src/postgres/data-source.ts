import type { ClientBase, ClientConfig } from 'pg';
import type { DataSource, DataSourceOptions } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';
import * as migrations from '../../migrations/index.js';
import { OF_WORKERS } from './pool.js';
import { type Bounds, configureSession, USUAL_BOUNDS } from './session-settings.js';

export interface DatabaseSettings {
  readonly databasePoolSize: number;
  readonly databaseDirectUrl?: string | undefined;
}

/** Shown in `pg_stat_activity`. It changes with `ROWS_MARK`, and where work must wait until no replica of an earlier release is connected. */
export const APPLICATION_NAME = 'identity-and-wallets-5';
export const EARLIER_APPLICATION_NAMES: readonly string[] = [
  'identity-and-wallets',
  'identity-and-wallets-2',
  'identity-and-wallets-3',
];

export function dataSourceOptions(settings: DatabaseSettings, url: string): DataSourceOptions & { type: 'postgres' } {
  return {
    type: 'postgres',
    url,
    applicationName: APPLICATION_NAME,
    synchronize: false,
    migrationsRun: false,
    migrations: Object.values(migrations),
    poolSize: settings.databasePoolSize + OF_WORKERS,
    connectTimeoutMS: 3_000,
    extra: {
      directUrl: settings.databaseDirectUrl,
      keepAlive: true,
      onConnect: (client: ClientBase) =>
        configureSession(client, USUAL_BOUNDS, isPooler(url, settings.databaseDirectUrl)),
      // A new connection logs in and prepares statements again, and a timer for each use took a fifteenth of a read's time.
      idleTimeoutMillis: 0,
    },
    logging: false,
  };
}

export interface ConnectionOptions extends ClientConfig {
  /** A pool calls it for each connection; the owner of a single connection after `connect`, if it needs the bounds. */
  readonly onConnect: (client: ClientBase) => Promise<void>;
}

export function connectionOptions(dataSource: DataSource, bounds: Bounds = USUAL_BOUNDS): ConnectionOptions {
  const { url, directUrl } = addressesOf(dataSource);
  return optionsFor(dataSource, url, (client) => configureSession(client, bounds, isPooler(url, directUrl)));
}

export function directConnectionOptions(dataSource: DataSource): ConnectionOptions {
  const { url, directUrl = url } = addressesOf(dataSource);
  return optionsFor(dataSource, directUrl, (client) => configureSession(client, USUAL_BOUNDS, false));
}

function optionsFor(
  dataSource: DataSource,
  connectionString: string,
  onConnect: ConnectionOptions['onConnect'],
): ConnectionOptions {
  const { applicationName, connectTimeoutMS, extra } = dataSource.options as PostgresDataSourceOptions;
  const timeout = { connectionTimeoutMillis: connectTimeoutMS };
  return { ...(extra as object), ...timeout, connectionString, application_name: applicationName, onConnect };
}

function addressesOf({ options }: DataSource): { readonly url: string; readonly directUrl?: string | undefined } {
  const { url, extra } = options as PostgresDataSourceOptions;
  return { url: url!, directUrl: (extra as { readonly directUrl?: string } | undefined)?.directUrl };
}

/** An operator who names another address of PostgreSQL itself says that the first one leads to a pooler. */
function isPooler(url: string, directUrl: string | undefined): boolean {
  return directUrl !== undefined && directUrl !== url;
}
