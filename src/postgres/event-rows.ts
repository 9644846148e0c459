import { actingKey } from '../kernel/acting-key.js';
import { causingRequest } from '../kernel/current-call.js';
import type { DomainEvent } from '../kernel/event-types.js';
import { newId } from '../kernel/ids.js';
import { type Statement, statement } from './statement.js';

// `seq` is taken by this statement, row by row.
const INSERT = `insert into unsequenced_events (app_id, id, type, data, request_id)
  select r.app_id, r.id, r.type, r.data, r.request_id
    from json_to_recordset($1::json) as r(app_id text, id text, type text, data json, request_id text)`;

/** Receivers of webhooks may refuse a body of more than 20 KB. The rest is for the members beside `data`. */
const MOST_BYTES = 19_000;

/** The last statement of a transaction: its numbers order the events by lock. Throws when the data of an event are too long to be sent. */
export function insertOf(events: readonly DomainEvent[]): Statement {
  const rows = events.map(({ appId, id = newId('event'), type, data }) => {
    // Refusals are published after their calls.
    const { request_id: requestId = causingRequest() } = data;
    return { app_id: appId, id, type, data, request_id: requestId };
  });
  const json = JSON.stringify(rows);
  // All rows together nearly always are within the bound.
  if (Buffer.byteLength(json) > MOST_BYTES) for (const { type, data } of rows) assertSendable(type, data);
  return statement(INSERT, [json]);
}

function assertSendable(type: string, data: unknown): void {
  if (Buffer.byteLength(JSON.stringify(data)) > MOST_BYTES)
    throw new Error(`The data of an event ${type} are too long.`);
}

/** The rows move, because Citus takes the numbers of a sequence only for inserted rows. Other rows of the range stay. */
const renumbered = (data: string) => `
  with moved as (
    delete from unsequenced_events where app_id = $1 and seq between $2 and $3 and left(id, length($4)) = $4 returning *
  )
  insert into unsequenced_events (app_id, id, type, data, request_id, created_at)
  select app_id, id, type, ${data}, $5::text, created_at from moved order by seq`;

const RENUMBER = renumbered('data');
const RENUMBER_BY_KEY = renumbered(`(data::jsonb || jsonb_build_object('actor', $6::text))::json`);

export function renumberingOf(appId: string, { firstSeq, lastSeq, block }: InsertedEvents): Statement {
  const range = [appId, firstSeq, lastSeq, block, causingRequest() ?? null];
  const actor = actingKey();
  return actor === undefined ? statement(RENUMBER, range) : statement(RENUMBER_BY_KEY, [...range, actor]);
}

/** The events that a statement has inserted itself, by their numbers and the block of their ids. */
export interface InsertedEvents {
  readonly firstSeq: string;
  readonly lastSeq: string;
  readonly block: string;
}
