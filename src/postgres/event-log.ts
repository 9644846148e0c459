import type { DomainEvent } from '../kernel/domain-event.js';
import { newId } from '../kernel/ids.js';

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
  return { sql: prefixed(sql, parameters.length + 1), parameters: [...parameters, serialised(events)] };
}

const known = new Map<string, string>();

/** The texts are constant, so each is put together once. */
function prefixed(sql: string, position: number): string {
  let text = known.get(sql);
  if (text === undefined) {
    const insert = INSERT.replace('$N', `$${position}`);
    const leading = /^\s*with\s/i.exec(sql);
    text = leading
      ? `with written_events as (${insert}), ${sql.slice(leading[0].length)}`
      : `with written_events as (${insert}) ${sql}`;
    known.set(sql, text);
  }
  return text;
}

function serialised(events: readonly DomainEvent[]): string {
  return JSON.stringify(events.map(({ appId, type, data }) => ({ app_id: appId, id: newId('event'), type, data })));
}
