import { setTimeout as pause } from 'node:timers/promises';
import type { Transactions } from '../kernel/transactions.js';
import { enter } from '../modules/audit/commands.js';
import type { Database } from '../postgres/database.js';

const STOP = `
  insert into service_stops (id, reason, stopped_at) values ('all', $1, now())
  on conflict (id) do nothing`;

type Query = (sql: string, parameters?: unknown[]) => Promise<unknown>;

/** A statement that waits ends after 7 s, and a transaction of the service within 40 s. */
const MOST_TRIES = 6;
/** Logins of the app wait behind the statement, and go on meanwhile. */
const BETWEEN_TRIES_MS = 2_000;
/** Query cancelled, as by the statement timeout. */
const TOO_SLOW = '57014';

/** Uses the database alone, so it works without master keys and without the service. Resolves when no transaction signs any more. */
export async function stopAllSigning(query: Query, reason: string, wait = pause): Promise<Date> {
  await query(STOP, [reason]);
  try {
    // A signing transaction that began before the stop has locked its app's row. One row at a time, so that no call waits for two.
    const apps = (await query('select id from apps order by id')) as readonly { id: string }[];
    for (const { id } of apps) await outlast(query, id, wait);
  } catch (error) {
    const fault = (error as Error).message;
    throw new Error(
      `The keys are stopped, but a transaction from before may still sign (${fault}). Run the command again.`,
      { cause: error },
    );
  }
  // Replicas keep settings in memory for half a second, and may still send what was signed before.
  await wait(1_000);
  return (await signingStop(query))!.since;
}

async function outlast(query: Query, appId: string, wait: typeof pause): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await query('select from apps where id = $1 for update', [appId]);
      return;
    } catch (error) {
      if (tries === MOST_TRIES || (error as { code?: unknown }).code !== TOO_SLOW) throw error;
      await wait(BETWEEN_TRIES_MS);
    }
  }
}

/** Ends the stop, and enters both in the audit log if no replica has entered its begin. Resolves with false if there is no stop. */
export function endStop(database: Database, transactions: Transactions): Promise<boolean> {
  return transactions.run(async () => {
    const sql = 'delete from service_stops returning recorded_at is not null as recorded';
    const [stop] = await database.write<{ recorded: boolean }>(sql, []);
    if (!stop) return false;
    await enter(database, transactions, [...(stop.recorded ? [] : ['service.frozen']), 'service.thawed']);
    return true;
  });
}

export async function signingStop(query: Query): Promise<{ readonly since: Date; readonly reason: string } | null> {
  const rows = await query('select stopped_at as since, reason from service_stops');
  return (rows as readonly { since: Date; reason: string }[])[0] ?? null;
}
