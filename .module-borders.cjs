// The borders between modules. A new module gets one line in MAY_CALL, and in READS if its SQL names what another module
// publishes. test/architecture/arrows.spec.ts enforces MAY_CALL by dependency-cruiser, test/architecture/sql-borders.spec.ts the rest.

/** Which other modules a module may call, always through their index.ts. Upward effects go by domain events. */
const MAY_CALL = {
  apps: [],
  identity: ['apps'],
  session: ['apps', 'identity'],
  oauth: ['apps', 'identity', 'session'],
  wallet: ['apps', 'identity', 'policy', 'session'],
  totp: ['apps', 'identity', 'session'],
  otp: ['apps', 'identity', 'session'],
  'magic-link': ['apps', 'identity', 'session'],
  chain: ['apps'],
  transfer: ['apps', 'identity', 'policy', 'wallet', 'chain'],
  passkey: ['apps', 'identity', 'session'],
  policy: ['apps', 'identity', 'passkey'],
  audit: ['apps', 'events'],
  events: ['apps', 'identity'],
  webhooks: ['apps', 'events'],
  migration: ['apps', 'identity'],
  password: ['apps', 'identity', 'session'],
  privacy: ['apps', 'identity'],
  authorization: ['apps', 'identity', 'policy', 'session'],
};

/** The folders of a large module, lowest first: each may know those before it. Those of one list do not know each other. */
const TOPICS = {
  transfer: [['transfer'], ['reconciling'], ['paying'], ['tracking'], ['orders', 'balances', 'deposits']],
  policy: [['rules'], ['budgets'], ['approvals'], ['policies', 'gate']],
};

/** Views and functions of `infrastructure/sql` that a module creates for the SQL of other modules. Its README describes them. */
const PUBLISHED = {
  apps: [
    'app_settings',
    'hold_app',
    'hold_signing',
    'known_apps',
    'known_connections',
    'live_apps',
    'live_keys',
    'signing_macs',
    'signing_states',
  ],
  identity: [
    'hold_user',
    'hold_user_for_login',
    'linked_identities',
    'live_users',
    'lock_user',
    'verified_emails',
    'verified_phone_numbers',
  ],
  wallet: ['live_wallets', 'shared_keys'],
  policy: ['lock_rules_in_force', 'rules_in_force'],
  session: ['live_session_macs', 'live_sessions'],
  authorization: ['live_token_owners'],
  events: ['logged_events'],
};

/** Which of them the SQL of a module may name. No module names a table of another one, or locks or writes rows through a view. */
const READS = {
  apps: ['lock_rules_in_force', 'rules_in_force'],
  identity: ['known_connections'],
  session: ['hold_user', 'live_apps', 'live_users'],
  oauth: ['known_connections', 'linked_identities'],
  wallet: ['hold_signing', 'hold_user', 'live_apps', 'live_users'],
  totp: ['hold_user', 'live_users'],
  otp: ['live_users', 'lock_user', 'verified_emails', 'verified_phone_numbers'],
  'magic-link': ['verified_emails'],
  transfer: ['known_apps', 'live_apps'],
  passkey: ['app_settings'],
  policy: [
    'hold_user',
    'known_apps',
    'live_keys',
    'live_token_owners',
    'live_users',
    'live_wallets',
    'signing_macs',
    'signing_states',
  ],
  audit: ['known_apps'],
  events: ['known_apps', 'live_users'],
  webhooks: ['live_apps', 'live_keys', 'live_token_owners', 'logged_events'],
  authorization: ['live_session_macs'],
};

module.exports = { MAY_CALL, PUBLISHED, READS, TOPICS };
