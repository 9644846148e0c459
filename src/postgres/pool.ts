import { Pool, type PoolClient, type PoolConfig } from 'pg';
import type { DataSource } from 'typeorm';
import { causeOf, isDatabaseUnavailable } from './database-unavailable.js';
import { poolOf } from './typeorm-internals.js';
import { WaitingRoom } from './waiting-room.js';

/** After these an open connection stays unusable: its prepared statements are outdated or lost, or its server has become read-only. */
const USELESS_AFTER = ['0A000', '26000', '25006'];

const ofPreparations = new WeakSet<object>();

/** PgBouncer keeps the name of a failed preparation, and ends a connection that prepares it again: the connection is closed now instead. */
export function noteFailedPreparation(error: object): void {
  ofPreparations.add(error);
}

export function spoilsConnection(error: unknown): boolean {
  if (ofPreparations.has(error as object)) return true;
  const { severity, code } = causeOf(error);
  if (severity === undefined) return isDatabaseUnavailable(error);
  return severity !== 'ERROR' || (code !== undefined && USELESS_AFTER.includes(code));
}

/** Waits until the current call may have a connection. A connection that an error spoiled, or that `work` gave up, is closed. */
export async function withClient<T>(
  dataSource: DataSource,
  work: (client: PoolClient, giveUp: (error: Error) => void) => Promise<T>,
): Promise<T> {
  const pool = poolOf(dataSource);
  const leave = await roomOf(pool).enter();
  try {
    return await withPoolClient(pool, work);
  } finally {
    leave();
  }
}

export interface ConnectionUse {
  readonly inUse: number;
  readonly idle: number;
  readonly waiting: number;
  readonly refused: number;
  readonly waitedSeconds: number;
}

const waitedSeconds = new WeakMap<Pool, number>();

export function connectionUseOf(pool: Pool): ConnectionUse {
  const { totalCount, idleCount: idle, waitingCount } = pool;
  const room = roomOf(pool);
  return {
    inUse: totalCount - idle,
    idle,
    waiting: waitingCount + room.waiting,
    refused: room.refused,
    waitedSeconds: room.waitedSeconds + (waitedSeconds.get(pool) ?? 0),
  };
}

/** Calls leave these connections to background work, beside `DATABASE_POOL_SIZE`. */
export const OF_WORKERS = 2;

const rooms = new WeakMap<Pool, WaitingRoom>();

export function roomOf(pool: Pool): WaitingRoom {
  let room = rooms.get(pool);
  if (!room) rooms.set(pool, (room = new WaitingRoom(Math.max(1, pool.options.max - OF_WORKERS))));
  return room;
}

async function connected(pool: Pool): Promise<PoolClient> {
  if (pool.idleCount > 0) return pool.connect();
  const since = performance.now();
  try {
    return await pool.connect();
  } finally {
    waitedSeconds.set(pool, (waitedSeconds.get(pool) ?? 0) + (performance.now() - since) / 1_000);
  }
}

/** A connection that breaks while idle is replaced; without a listener its error would end the process. */
export function openPool(options: PoolConfig): Pool {
  return new Pool(options).on('error', () => undefined);
}

export async function withPoolClient<T>(
  pool: Pool,
  work: (client: PoolClient, giveUp: (error: Error) => void) => Promise<T>,
): Promise<T> {
  const client = await connected(pool);
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
