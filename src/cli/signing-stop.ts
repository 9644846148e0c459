import { setTimeout as pause } from 'node:timers/promises';

const STOP = `
  insert into service_stops (id, reason, stopped_at) values ('all', $1, now())
  on conflict (id) do nothing`;

type Query = (sql: string, parameters?: unknown[]) => Promise<unknown>;

/** Uses the database alone, so it works without master keys and without the service. Resolves when no transaction signs any more. */
export async function stopAllSigning(query: Query, reason: string): Promise<Date> {
  await query(STOP, [reason]);
  // A signing transaction that began before the stop has locked its app's row. One row at a time, so that no call waits for two.
  const apps = (await query('select id from apps order by id')) as readonly { id: string }[];
  for (const { id } of apps) await query('select from apps where id = $1 for update', [id]);
  // Replicas keep settings in memory for half a second, and may still send what was signed before.
  await pause(1_000);
  return (await signingStop(query))!.since;
}

export async function signingStop(query: Query): Promise<{ readonly since: Date; readonly reason: string } | null> {
  const rows = await query('select stopped_at as since, reason from service_stops');
  return (rows as readonly { since: Date; reason: string }[])[0] ?? null;
}
