import { statement } from './statement.js';

/** `remote_apply` is the operator's choice; a weaker setting than `on` may lose acknowledged commits. */
export const DURABLE_COMMIT = `case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end`;

/** A process that pauses with a lock loses its transaction after 1.5 s, so that waiting transactions outlast two of these. */
export const SIGNING_SETTINGS = statement(
  `select set_config('synchronous_commit', ${DURABLE_COMMIT}, true), set_config('statement_timeout', '7s', true),
     set_config('DateStyle', 'ISO', true), set_config('idle_in_transaction_session_timeout', '1500ms', true), set_config('lock_timeout', '4s', true)`,
);

const SETTINGS = `select name, setting, reset_val as default from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit')`;

/** A crash of the server may lose or damage committed data with these settings. */
export async function durabilityFaults(query: <R extends object>(sql: string) => Promise<R[]>): Promise<string[]> {
  const rows = await query<{ name: string; setting: string; default: string }>(SETTINGS);
  const settings = Object.fromEntries(rows.map((row) => [row.name, row]));
  const faults: string[] = [];
  if (settings['fsync']?.setting === 'off')
    faults.push('fsync is off: a crash of its machine loses commits, and transfers may be paid twice. Turn it on.');
  if (settings['full_page_writes']?.setting === 'off')
    faults.push('full_page_writes is off: a crash of its machine may damage tables. Turn it on.');
  const commit = settings['synchronous_commit']?.default;
  if (commit !== undefined && !['on', 'remote_apply'].includes(commit))
    faults.push(
      `synchronous_commit is ${commit} by default. This service sets it on for its connections; set it on for all.`,
    );
  return faults;
}
