import type { DomainEvent } from '../kernel/domain-event.js';
import { newId } from '../kernel/ids.js';

const INSERT = `insert into events (app_id, id, type, data)
  select r.app_id, r.id, r.type, r.data
    from jsonb_to_recordset($1::jsonb) as r(app_id text, id text, type text, data jsonb)`;

/** The statement that stores events. */
export function insertOf(events: readonly DomainEvent[]): { sql: string; parameters: unknown[] } {
  const rows = events.map(({ appId, type, data }) => ({ app_id: appId, id: newId('event'), type, data }));
  return { sql: INSERT, parameters: [JSON.stringify(rows)] };
}
