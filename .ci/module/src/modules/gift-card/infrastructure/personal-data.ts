import { PersonalData } from '../../../kernel/personal-data.js';

PersonalData.declare({
  name: 'gift_cards',
  table: 'gift_cards',
  shows: 'id, name, state, created_at',
  removes: ['user_id'],
});
