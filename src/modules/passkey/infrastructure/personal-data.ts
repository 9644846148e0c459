import { PersonalData } from '../../../kernel/personal-data.js';

PersonalData.declare(
  {
    name: 'webauthn_credentials',
    table: 'webauthn_credentials',
    names: 'id',
    shows: 'id, name, rp_id, transports, is_backed_up, suspicious_at, last_used_at, created_at',
    removes: ['user_id', 'user_handle', 'name'],
  },
  {
    name: 'webauthn_challenges',
    table: 'webauthn_challenges',
    key: ['challenge_hash::bytea'],
    hidden: 'A challenge lives for minutes and says nothing about the person.',
    removes: ['user_id'],
  },
);
