import type { RequestTrail } from '../../kernel/request-trail.js';

const OF_IDS = 'from sessions where app_id = any($1) and id = any($2)';

export const SESSION_TRAIL: RequestTrail = {
  kind: 'session',
  ofIds: `
    select started_at as at, app_id, id, concat('begins for ', user_id) as text ${OF_IDS}
    union all
    select revoked_at, app_id, id, 'is revoked' ${OF_IDS} and revoked_at is not null`,
};
