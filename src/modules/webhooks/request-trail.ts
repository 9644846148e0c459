import type { RequestTrail } from '../../kernel/request-trail.js';

export const WEBHOOKS_TRAIL: RequestTrail = {
  kind: 'delivery',
  ofIds: `
    select d.created_at as at, d.app_id, d.id,
           concat(d.event_type, ' ', d.event_id, ' to ', d.endpoint_id, ': ', d.state, ', ', d.attempts, ' attempts') as text
      from (select app_id, id, created_at, event_type, event_id, endpoint_id, 'pending' as state, jsonb_array_length(attempts) as attempts
              from webhook_queue where app_id = any($1) and event_id = any($2)
            union all
            select app_id, id, created_at, event_type, event_id, endpoint_id, status, jsonb_array_length(attempts)
              from webhook_deliveries where app_id = any($1) and event_id = any($2)) d`,
};
