import { PersonalData } from '../../../kernel/personal-data.js';

PersonalData.declare({
  name: 'passcodes',
  table: 'otps',
  isSearched: true,
  key: ['method_id'],
  shows: 'method_id, address, tries, created_at, expires_at, spent_at',
  removes: ['user_id', 'address'],
});
