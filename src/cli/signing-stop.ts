import { setTimeout as pause } from 'node:timers/promises';

const STOP = `
  insert into service_stops (id, reason, stopped_at) values ('all', $1, now())
  on conflict (id) do nothing`;

type Query = (sql: string, parameters?: unknown[]) => Promise<unknown>;

/**
 * Stops the keys of all apps with the database alone, so that it works without master keys and without the service. Resolves when no
 * transaction signs any more, with the time of the first call.
 */
export async function stopAllSigning(query: Query, reason: string): Promise<Date> {
  await query(STOP, [reason]);
  // A transaction that signs has locked its app's row, if it began before the stop. One row at a time, so that no call waits for two.
  const apps = (await query('select id from apps order by id')) as readonly { id: string }[];
  for (const { id } of apps) await query('select from apps where id = $1 for update', [id]);
  // Replicas keep settings in memory for half a second, and send what was signed before again meanwhile.
  await pause(1_000);
  return (await signingStop(query))!.since;
}

/** Null if the keys of all apps are not stopped. */
export async function signingStop(query: Query): Promise<{ readonly since: Date; readonly reason: string } | null> {
  const rows = await query('select stopped_at as since, reason from service_stops');
  return (rows as readonly { since: Date; reason: string }[])[0] ?? null;
}
