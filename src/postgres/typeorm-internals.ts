import type { Pool, QueryResult } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { requireVersion } from './written-for.js';

requireVersion('typeorm', '1.1');

/** TypeORM itself sends no named prepared statements (about a third slower on short reads). */
export function poolOf(dataSource: DataSource): Pool {
  return (dataSource.driver as unknown as { readonly master: Pool }).master;
}

/** A query runner that was given a connection neither takes one from the pool nor begins or ends a transaction on it. */
export function managerOn(
  dataSource: DataSource,
  query: (text: string, values?: unknown[]) => Promise<QueryResult>,
): EntityManager {
  const runner = dataSource.createQueryRunner();
  return Object.assign(runner, { databaseConnection: { query }, isTransactionActive: true }).manager;
}
