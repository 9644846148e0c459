import { PersonalData } from '../../../kernel/personal-data.js';

const LOG = 'Events have ids and states, and no address or name. They are removed by their age.';

PersonalData.declare({
  name: 'events',
  table: 'event_log',
  key: ['position::bigint'],
  shows: 'body::json as event',
  keeps: { user_id: LOG, body: LOG },
});
PersonalData.none('unsequenced_events', {
  data: 'An event waits here until it has its place in the log, most often for less than a second.',
});
