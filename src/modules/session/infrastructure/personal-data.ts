import { PersonalData } from '../../../kernel/personal-data.js';

PersonalData.declare({
  name: 'sessions',
  table: 'sessions',
  isSearched: true,
  shows: 'id, started_at, last_active_at, expires_at, revoked_at, user_agent, ip, factors',
  removes: ['user_id', 'user_agent', 'ip', 'factors'],
});
