import { PersonalData } from '../../../kernel/personal-data.js';

PersonalData.declare({
  name: 'erasure',
  table: 'erasures',
  key: ['user_id'],
  shows: 'requested_at, finished_at',
  keeps: { user_id: 'This receipt. It has the id alone.' },
});
