import { flagOf, jsonIn, passwordOf, secondsOf, type Source, UnreadableRecord } from './source.js';

/**
 * The tables of https://supabase.com/docs/guides/auth/managing-user-data, each as CSV with a header. psql writes the three files:
 *
 *     \copy (select * from auth.users where deleted_at is null) to 'users.csv' csv header
 *     \copy (select * from auth.identities) to 'identities.csv' csv header
 *     \copy (select * from auth.mfa_factors) to 'mfa_factors.csv' csv header
 */
export const SUPABASE: Source = {
  name: 'supabase',
  id: 'id',
  format: 'csv',
  leavesOut: [
    'Sessions, app metadata, SAML identities, passkeys and phones as second factors do not come along. Authenticator apps have no recovery codes, and those whose secret the project has encrypted are left out.',
    'Anonymous users come along without an address, so that they cannot sign in until they prove one.',
  ],
  keysOf: ({ id }) => [String(id)],
  sides: [
    {
      format: 'csv',
      member: 'provider',
      keyOf: ({ provider, user_id }) => (/^(email|phone|sso:.*)$/.test(String(provider)) ? undefined : user_id),
    },
    {
      format: 'csv',
      member: 'factor_type',
      keyOf: ({ factor_type, status, user_id }) =>
        factor_type === 'totp' && status === 'verified' ? user_id : undefined,
    },
  ],
  row: (user, context) => {
    if (user['deleted_at']) throw new UnreadableRecord('deleted_at', 'says that the user was deleted');
    const [identities = [], totps = []] = context.sides;
    const readable = totps.filter(({ secret }) => /^[A-Z2-7=]+$/i.test(secret)).slice(0, 1);
    if (totps.length > readable.length)
      context.leaveOut('totps', 'may be one whose secret is in base32, so others were left out');
    const metadata = jsonIn('raw_user_meta_data', user['raw_user_meta_data']);
    const bannedUntil =
      user['banned_until'] === 'infinity' ? Infinity : secondsOf('banned_until', user['banned_until']);
    const confirmed = (member: string) => ({
      verified: Boolean(user[member]),
      verified_at: secondsOf(member, user[member]),
    });
    return {
      external_id: user['id'],
      first_name: metadata?.['first_name'] ?? metadata?.['full_name'] ?? metadata?.['name'],
      last_name: metadata?.['last_name'],
      deactivated: (bannedUntil ?? 0) > context.now,
      created_at: secondsOf('created_at', user['created_at']),
      emails: user['email'] ? [{ email: user['email'], ...confirmed('email_confirmed_at') }] : [],
      // Supabase stores the number without its plus sign.
      phone_numbers: user['phone']
        ? [{ phone_number: `+${String(user['phone']).replace(/^\+/, '')}`, ...confirmed('phone_confirmed_at') }]
        : [],
      identities: identities
        .filter(({ provider }) => provider !== 'web3')
        .map(({ provider, provider_id, id, created_at }) => ({
          provider: provider === 'azure' ? 'microsoft' : String(provider).replace(/_oidc$/, ''),
          subject: provider_id || id,
          verified_at: secondsOf('created_at', created_at),
        })),
      totps: readable.map(({ secret }) => ({ secret, verified: true })),
      // `web3:ethereum:0x…`
      wallets: identities
        .filter(({ provider }) => provider === 'web3')
        .map(({ provider_id }) => String(provider_id).split(':'))
        .map(([, wallet_type, public_address]) => ({ wallet_type, public_address })),
      metadata: flagOf('is_anonymous', user['is_anonymous']) ? { ...metadata, is_anonymous: true } : metadata,
      password: passwordOf(user['encrypted_password'], context),
    };
  },
};
