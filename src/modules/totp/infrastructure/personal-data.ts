import { PersonalData } from '../../../kernel/personal-data.js';

PersonalData.declare({
  name: 'totps',
  table: 'totps',
  names: 'id',
  shows: 'id, verified_at, last_tried_at, created_at',
  removes: ['user_id'],
});
