import { PersonalData } from '../../../kernel/personal-data.js';

const OPERATOR = 'It is about the operator or the key of the call, not about the user.';

PersonalData.declare({
  name: 'audit_entries',
  table: 'audit_log',
  about: 't.target_id = any($3)',
  isSearched: true,
  shows: 'id, actor, action, target_id as target, fields, outcome, request_id, created_at',
  keeps: {
    target_id: 'Entries prove what operators did, in a chain of hashes. They name the user by the id alone.',
    actor: OPERATOR,
    ip_commitment: OPERATOR,
  },
});
PersonalData.none('audit_personal_data', { ip: OPERATOR });
