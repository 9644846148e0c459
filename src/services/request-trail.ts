import type { RequestTrail } from '../kernel/request-trail.js';

export const SERVICES_TRAIL: readonly RequestTrail[] = [
  {
    kind: 'message',
    ofRequest: `
      select m.created_at as at, m.app_id, m.id,
             concat_ws(', ', m.channel || ' ' || m.kind, m.status || coalesce(' ' || to_char(m.sent_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), ''), m.last_error) as text
        from known_apps a join messages m on m.app_id = a.app_id
       where m.request_id = $1 and m.created_at >= $2`,
  },
  {
    kind: 'job',
    ofRequest: `
      select created_at as at, app_id, id,
             concat_ws(', ', kind, case when died_at is null then 'waits' else 'dead' end, 'attempt ' || attempt, error) as text
        from jobs where request_id = $1 and created_at >= $2`,
  },
];
