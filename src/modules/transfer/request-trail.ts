import type { RequestTrail } from '../../kernel/request-trail.js';

const OF_IDS = 'from transfers where app_id = any($1) and id = any($2)';

export const TRANSFER_TRAIL: RequestTrail = {
  kind: 'transfer',
  ofIds: `
    select created_at as at, app_id, id, concat('is quoted on ', network) as text ${OF_IDS}
    union all
    select confirmed_at, app_id, id, 'is confirmed' ${OF_IDS} and confirmed_at is not null
    union all
    select coalesce(first_broadcast_started_at, created_at), app_id, transfer_id,
           concat('is sent as ', kind, ' ', hash, case when accepted_at is null then ', not accepted by a node' end)
      from transfer_attempts where app_id = any($1) and transfer_id = any($2)
    union all
    select coalesce(completed_at, cancelled_at, updated_at), app_id, id,
           concat_ws(' ', 'is', status, stage, failure_code, 'in block ' || mined_block, hash) ${OF_IDS} and status <> 'unconfirmed'`,
};
