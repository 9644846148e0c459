import { PersonalData } from '../../../kernel/personal-data.js';

PersonalData.declare({
  name: 'bound_keys',
  table: 'api_keys',
  about: `t.restriction #>> '{binding,userId}' = $2`,
  isSearched: true,
  shows: 'id, name, created_at, expires_at, last_used_at, revoked_at',
  keeps: { restriction: 'The keys are revoked. They have the id alone, and events and the audit log name them.' },
});
PersonalData.none('management_sessions', { operator: 'An operator, who is no user of an app.' });
