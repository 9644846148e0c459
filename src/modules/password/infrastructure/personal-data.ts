import { PersonalData } from '../../../kernel/personal-data.js';

PersonalData.declare({
  name: 'imported_passwords',
  table: 'imported_passwords',
  shows: 'id, created_at',
  removes: ['user_id'],
});
