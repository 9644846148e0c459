import { PersonalData } from '../../../kernel/personal-data.js';

PersonalData.declare({
  name: 'authorization_grants',
  table: 'authorization_grants',
  shows: 'id, client_id, granted, created_at, used_at',
  removes: ['user_id'],
});
