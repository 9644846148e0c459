import { flagOf, jsonIn, secondsOf, type Source, type VendorRecord } from './source.js';

const PARAMETERS = {
  signer_key: /base64_signer_key:\s*([^\s,]+)/,
  salt_separator: /base64_salt_separator:\s*([^\s,]+)/,
  rounds: /rounds:\s*(\d+)/,
  mem_cost: /mem_cost:\s*(\d+)/,
} as const;

/**
 * `firebase auth:export`, https://firebase.google.com/docs/cli/auth#file_format, and the console's `hash_config { … }` as a text
 * file. Hashes and salts may be in base64 or base64url.
 */
export const FIREBASE: Source = {
  name: 'firebase',
  id: 'localId',
  format: 'json',
  leavesOut: [
    'Firebase exports identities at Google, Facebook, Twitter and GitHub only: those at Apple, Microsoft, OpenID and SAML providers are missing.',
    'Secrets of authenticator apps, second factors by SMS, passkeys and hashes that are not of the scrypt of the project are not in an export of Firebase.',
    'A display name becomes the first name, and photos do not come along.',
    'A phone number counts as verified, because it signs in at Firebase. Remove numbers from the file that your backend has set without a proof.',
  ],
  parameters: (text) =>
    Object.fromEntries(
      Object.entries(PARAMETERS).map(([name, pattern]) => {
        const found = pattern.exec(text)?.[1];
        if (found === undefined) throw new Error(`The file with hash_config has no ${name} of scrypt.`);
        return [name, found];
      }),
    ),
  row: (user, { parameters, leaveOut }) => {
    const hasParameters = Object.keys(parameters).length > 0;
    if (user['passwordHash'] && !hasParameters)
      leaveOut('password', 'needs the file with hash_config, so the user was imported without it');
    const providers = (user['providerUserInfo'] ?? []) as VendorRecord[];
    return {
      external_id: user['localId'],
      first_name: user['displayName'],
      deactivated: flagOf('disabled', user['disabled']) ?? false,
      created_at: secondsOf('createdAt', user['createdAt']),
      emails: user['email'] ? [{ email: user['email'], verified: flagOf('emailVerified', user['emailVerified']) }] : [],
      // The export does not say how the number was set.
      phone_numbers: user['phoneNumber'] ? [{ phone_number: user['phoneNumber'], verified: true }] : [],
      identities: providers
        .filter(({ providerId }) => !/^(password|phone|emailLink|saml\..*)$/.test(String(providerId)))
        .map(({ providerId, rawId }) => ({
          provider: String(providerId)
            .replace(/^oidc\./, '')
            .replace(/\.com$/, ''),
          subject: rawId,
        })),
      metadata: jsonIn('customAttributes', user['customAttributes']),
      password:
        user['passwordHash'] && hasParameters
          ? { algorithm: 'scrypt-firebase', hash: user['passwordHash'], salt: user['salt'] ?? '', ...parameters }
          : undefined,
    };
  },
};
