import type { RequestTrail } from '../../kernel/request-trail.js';

// The characters of a request id need no escape in JSON, and a quotation mark in a text has one.
export const EVENTS_TRAIL: RequestTrail = {
  kind: 'event',
  ofRequest: `
    select e.created_at as at, e.app_id, e.id, concat(e.type, ' ', e.body::json -> 'data') as text
      from known_apps a join event_log e on e.app_id = a.app_id
     where e.sequenced_at >= $2 and position('"request_id":"' || $1 || '"' in e.body) > 0
    union all
    select e.created_at, e.app_id, e.id, concat(e.type, ' ', e.data, ' without a position')
      from known_apps a join unsequenced_events e on e.app_id = a.app_id
     where e.created_at >= $2 and e.request_id = $1`,
};
