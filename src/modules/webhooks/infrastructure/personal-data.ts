import { PersonalData } from '../../../kernel/personal-data.js';

const LOG = 'Deliveries have the id of their event. Those that ended are removed by their age.';
const about = 't.event_id in (select e.id from logged_events e where e.app_id = $1 and e.user_id = $2)';
const SHOWN = 'endpoint_id, id, event_id, event_type, attempts, created_at';

PersonalData.declare(
  {
    name: 'waiting_webhook_deliveries',
    table: 'webhook_queue',
    about,
    isSearched: true,
    key: ['endpoint_id', 'id'],
    shows: SHOWN,
    keeps: { order_key: LOG },
  },
  {
    name: 'webhook_deliveries',
    table: 'webhook_deliveries',
    about,
    isSearched: true,
    key: ['endpoint_id', 'id'],
    shows: `${SHOWN}, status, ended_at`,
    keeps: { event_id: LOG },
  },
);
