/** Columns of `audit_log e` as `ChainedContent`. Text, because a `Date` has no microseconds. */
export const CONTENT_OF_LINK = `
  e.id, (extract(epoch from e.created_at) * 1000000)::bigint::text as at, e.actor, e.action, e.target_id as target, e.fields,
  e.outcome, e.error_type as "errorType", e.calls, e.request_id as "requestId", e.ip_commitment as commitment`;
