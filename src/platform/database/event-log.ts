import type { DomainEvent } from '../../kernel/domain-event.js';
import { newId } from '../../kernel/ids.js';

const INSERT = `insert into events (app_id, id, type, data)
  select r.app_id, r.id, r.type, r.data
    from jsonb_to_recordset($N::jsonb) as r(app_id text, id text, type text, data jsonb)`;

/** The statement that writes events alone. */
export function flushEvents(events: readonly DomainEvent[]): { sql: string; parameters: unknown[] } {
  return { sql: INSERT.replace('$N', '$1'), parameters: [serialised(events)] };
}

/** A statement with the events' INSERT before it as a common table expression: one round trip for both. */
export function flushEventsWith(
  sql: string,
  parameters: readonly unknown[],
  events: readonly DomainEvent[],
): { sql: string; parameters: unknown[] } {
  const insert = INSERT.replace('$N', `$${parameters.length + 1}`);
  const leading = /^\s*with\s/i.exec(sql);
  return {
    sql: leading
      ? `with written_events as (${insert}), ${sql.slice(leading[0].length)}`
      : `with written_events as (${insert}) ${sql}`,
    parameters: [...parameters, serialised(events)],
  };
}

function serialised(events: readonly DomainEvent[]): string {
  return JSON.stringify(events.map(({ appId, type, data }) => ({ app_id: appId, id: newId('event'), type, data })));
}
