import type { RequestTrail } from '../../kernel/request-trail.js';

export const AUDIT_TRAIL: readonly RequestTrail[] = [
  {
    kind: 'call',
    ofRequest: `
      select created_at as at, app_id, id, concat_ws(' ', action, outcome, error_type, 'by', actor, target_id) as text
        from audit_log where request_id = $1 and created_at >= $2`,
  },
  {
    kind: 'refused call',
    ofRequest: `
      select last_at as at, app_id, id, concat_ws(' ', operation, error_type, 'by', key_id) as text
        from refused_calls where last_request_id = $1 and last_at >= $2`,
  },
];
