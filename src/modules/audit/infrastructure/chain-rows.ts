/** The columns of `audit_log e` as `ChainedContent`. Times are text, because a `Date` has no microseconds. */
export const CONTENT_OF_LINK = `
  e.id, (extract(epoch from e.created_at) * 1000000)::bigint::text as at, e.actor, e.action, e.target_id as target, e.fields,
  e.outcome, e.error_type as "errorType", e.calls, e.request_id as "requestId", e.ip_commitment as commitment`;

/** The columns of `audit_checkpoints` as `Checkpoint`. */
export const COLUMNS_OF_CHECKPOINT = `
  seq::float8 as seq, kind, head::float8 as head, previous, number::float8 as number, hash, at, key_id as "keyId", signature`;

export const PAGE = 1_000;

/** Reads page after page, each after the last row of the previous page, until one is not full. */
export async function* inPages<Row>(read: (last?: Row) => Promise<Row[]>): AsyncGenerator<Row> {
  for (let rows = await read(); ; rows = await read(rows.at(-1))) {
    yield* rows;
    if (rows.length < PAGE) return;
  }
}
