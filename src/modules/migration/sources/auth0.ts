import { flagOf, passwordOf, secondsOf, type Source, type VendorRecord } from './source.js';

const PROVIDERS: Readonly<Record<string, string>> = {
  'google-oauth2': 'google',
  windowslive: 'microsoft',
  waad: 'microsoft',
};

const timeIn = (time: string | VendorRecord | undefined): string | undefined =>
  typeof time === 'object' ? (time['$date'] as string) : time;

/**
 * https://auth0.com/docs/manage-users/user-migration/bulk-user-exports with all fields, and the hashes from Auth0's support,
 * https://community.auth0.com/t/password-hashes-export-data-format/58730. There `alt_id` replaces `_id.$oid` in the user's id.
 */
export const AUTH0: Source = {
  name: 'auth0',
  id: 'user_id',
  format: 'ndjson',
  leavesOut: [
    'Password hashes come along only with a second file, which Auth0 support sends.',
    'A field that was not asked for counts as absent: without `blocked` no user is banned, and without `identities` none has another sign-in method.',
    'Secrets of authenticator apps and passkeys are not in an export of Auth0. Roles, organizations and app metadata do not come along.',
  ],
  // The hash belongs to the password's identity, even if the first identity is another one.
  keysOf: ({ user_id, identities = [] }) => [
    String(user_id),
    ...(identities as VendorRecord[])
      .filter(({ provider }) => provider === 'auth0')
      .map((each) => `auth0|${each['user_id']}`),
  ],
  sides: [
    {
      format: 'ndjson',
      member: 'passwordHash',
      keyOf: ({ alt_id, _id }) => (alt_id ?? _id?.$oid) && `auth0|${alt_id ?? _id.$oid}`,
    },
  ],
  row: (user, context) => {
    const [[hashed] = []] = context.sides;
    const identities = (user['identities'] ?? []) as VendorRecord[];
    return {
      external_id: user['user_id'],
      first_name: user['given_name'] ?? user['name'],
      last_name: user['family_name'],
      deactivated: flagOf('blocked', user['blocked']) ?? false,
      created_at: secondsOf('created_at', timeIn(user['created_at'])),
      emails: user['email']
        ? [{ email: user['email'], verified: flagOf('email_verified', user['email_verified']) }]
        : [],
      phone_numbers: user['phone_number']
        ? [{ phone_number: user['phone_number'], verified: flagOf('phone_verified', user['phone_verified']) }]
        : [],
      identities: identities
        .filter(({ provider }) => !/^(auth0|email|sms|samlp|ad|adfs)$/.test(String(provider)))
        .map(({ provider, connection, user_id }) => ({
          provider: /^(oidc|oauth2)$/.test(String(provider)) ? connection : (PROVIDERS[provider as string] ?? provider),
          subject: String(user_id),
        })),
      metadata: user['user_metadata'],
      password: passwordOf(hashed?.['passwordHash'], context),
    };
  },
};
