import type { DatabaseError, Pool, PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { isDatabaseUnavailable } from './database-unavailable.js';

/** The pg pool underneath TypeORM, which itself sends no named prepared statements (about a third slower on short reads). */
export function poolOf(dataSource: DataSource): Pool {
  return (dataSource.driver as unknown as { master: Pool }).master;
}

/**
 * SQLSTATEs after which an open connection stays useless: what was prepared on it is for a table that has changed since, or
 * is lost; or its server has become one that takes no writes.
 */
const USELESS_AFTER = ['0A000', '26000', '25006'];

/** Whether the connection on which this happened is of no use any more. */
export function spoilsConnection(error: unknown): boolean {
  const { severity, code } = ((error as { driverError?: unknown }).driverError ?? error) as Partial<DatabaseError>;
  if (severity === undefined) return isDatabaseUnavailable(error);
  return severity !== 'ERROR' || (code !== undefined && USELESS_AFTER.includes(code));
}

/** Lends a connection of the pool for `work`. One that is spoiled by then, or that `work` gives up, is thrown away. */
export async function withClient<T>(
  dataSource: DataSource,
  work: (client: PoolClient, giveUp: (error: Error) => void) => Promise<T>,
): Promise<T> {
  const client = await poolOf(dataSource).connect();
  let broken: Error | undefined;
  const giveUp = (error: Error): void => {
    broken = error;
  };
  client.on('error', giveUp);
  try {
    return await work(client, giveUp);
  } catch (error) {
    if (spoilsConnection(error)) giveUp(error as Error);
    throw error;
  } finally {
    client.off('error', giveUp);
    client.release(broken);
  }
}
