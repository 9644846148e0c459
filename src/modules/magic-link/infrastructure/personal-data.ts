import { PersonalData } from '../../../kernel/personal-data.js';

PersonalData.declare(
  {
    name: 'magic_links',
    table: 'magic_links',
    isSearched: true,
    key: ['token_hash::bytea'],
    shows: 'email, ip, user_agent, created_at, expires_at, consumed_at',
    removes: ['user_id', 'email_id', 'email', 'ip', 'user_agent'],
  },
  {
    name: 'replaced_magic_links',
    table: 'replaced_magic_links',
    isSearched: true,
    key: ['token_hash::bytea'],
    shows: 'email_id, ended_at, ending',
    removes: ['user_id', 'email_id'],
  },
);
