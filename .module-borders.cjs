// The borders between modules. A new module gets one line in each table. test/architecture/arrows.spec.ts enforces
// MAY_CALL by dependency-cruiser, test/architecture/sql-borders.spec.ts enforces READS on the SQL texts.

/** Which other modules a module may call, always through their index.ts. Upward effects go by domain events. */
const MAY_CALL = {
  apps: [],
  identity: ['apps'],
  session: ['apps', 'identity'],
  oauth: ['apps', 'identity', 'session'],
  wallet: ['apps', 'identity', 'session'],
  totp: ['apps', 'identity', 'session'],
  otp: ['apps', 'identity', 'session'],
  'magic-link': ['apps', 'identity', 'session'],
  chain: [],
  transfer: ['apps', 'identity', 'wallet', 'chain'],
  events: ['apps'],
};

/** Which tables of other modules the SQL of a module may name. Only their owners write or lock their rows. */
const READS = {
  // Wallets and authenticators for the search; of connections, whether the app still has them.
  identity: ['oauth_connections', 'totps', 'wallets'],
  session: ['apps', 'users'],
  wallet: ['users'],
  totp: ['users'],
  otp: ['users'],
  'magic-link': ['users'],
  transfer: ['apps'],
};

/** Rows of other modules that a module locks in a statement of its own, to save a round trip. Add none: call the owner's facade. */
const LOCKS = {
  session: ['users'],
  totp: ['users'],
  otp: ['users'],
  'magic-link': ['users'],
  transfer: ['apps'],
};

module.exports = { MAY_CALL, READS, LOCKS };
