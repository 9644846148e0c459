/** OpenID Connect Core, section 5.4. */
export const CLAIMS_OF_SCOPES = {
  openid: ['sub', 'acr', 'amr', 'auth_time'],
  profile: ['name', 'given_name', 'middle_name', 'family_name', 'updated_at'],
  email: ['email', 'email_verified'],
  phone: ['phone_number', 'phone_number_verified'],
  wallets: ['wallets'],
} as const;

/** Scopes of this service's API. A client that acts for no user has them only while a policy bounds it. */
export const SPENDING_SCOPES: readonly string[] = ['wallets:sign', 'transfers:write'];

export const OFFLINE_ACCESS = 'offline_access';
export const USER_SCOPES: readonly string[] = [...Object.keys(CLAIMS_OF_SCOPES), OFFLINE_ACCESS];

/** A scope that was taken from the client is taken from its grants and tokens. */
export const scopesKept = (scopes: readonly string[], ofClient: readonly string[]): string[] =>
  scopes.filter((scope) => scope === 'openid' || ofClient.includes(scope));
