import { PersonalData } from '../../../kernel/personal-data.js';

PersonalData.declare({
  name: 'login_tickets',
  table: 'login_tickets',
  isSearched: true,
  key: ['token_hash::bytea'],
  shows: 'connection_id, provider, subject, created_at, expires_at, consumed_at',
  removes: ['user_id', 'user_created', 'subject'],
});
PersonalData.none('oauth_connections', {
  trusts_email: 'Whether the app believes the emails of a provider.',
  email_domains: 'The domains of a provider.',
});
