import { passwordOf, secondsOf, type Source, type VendorRecord } from './source.js';

const providerOf = ({ provider_type: type }: VendorRecord): string => String(type).toLowerCase();

/**
 * https://stytch.com/docs/api-reference/consumer/api/users/user-object as https://github.com/stytchauth/stytch-node-export-users
 * writes it. Stytch's support adds secrets on request: `password.hash`, `totps[].secret`, and keys of `webauthn_registrations`.
 */
export const STYTCH: Source = {
  name: 'stytch',
  id: 'user_id',
  format: 'json',
  leavesOut: [
    'Password hashes, secrets of authenticator apps and public keys of passkeys come along only in a file by Stytch support.',
    'Sessions, roles, biometric registrations, locks and your `external_id` at Stytch do not come along. Stytch has no ban of a user.',
  ],
  row: (user, context) => {
    const emails = (user['emails'] ?? []) as VendorRecord[];
    const phones = (user['phone_numbers'] ?? []) as VendorRecord[];
    const isVerified = [...emails, ...phones].some(({ verified }) => verified);
    const registrations = (user['webauthn_registrations'] ?? []) as VendorRecord[];
    const passkeys = registrations.filter(({ domain }) => context.rpId === null || domain === context.rpId);
    if (passkeys.length < registrations.length)
      context.leaveOut(
        'webauthn_credentials',
        'are bound to another domain than the rp_id of the app, so they were left out',
      );
    const mustReset = user['password']?.requires_reset === true;
    if (mustReset) context.leaveOut('password', 'must be reset at Stytch, so the user was imported without it');
    const totps = (user['totps'] ?? []) as VendorRecord[];
    for (const [field, list, secret] of [
      ['webauthn_credentials', passkeys, 'public_key'],
      ['totps', totps, 'secret'],
    ] as const)
      if (list.some((each) => !each[secret])) context.leaveOut(field, `come without ${secret}, so they were left out`);
    return {
      external_id: user['user_id'],
      first_name: user['name']?.first_name,
      middle_name: user['name']?.middle_name,
      last_name: user['name']?.last_name,
      status: user['status'] === 'pending' && !isVerified ? 'pending' : 'active',
      created_at: secondsOf('created_at', user['created_at']),
      emails: emails.map(({ email, verified }) => ({ email, verified })),
      phone_numbers: phones.map(({ phone_number, verified }) => ({ phone_number, verified })),
      identities: ((user['providers'] ?? []) as VendorRecord[]).map((each) => ({
        provider: providerOf(each),
        subject: each['provider_subject'],
      })),
      webauthn_credentials: passkeys
        .filter((each) => each['public_key'] && each['verified'] !== false)
        .map(({ domain, verified: _, webauthn_registration_id: __, ...passkey }) => ({ ...passkey, rp_id: domain })),
      totps: totps
        .filter(({ secret }) => secret)
        .map(({ secret, verified, recovery_codes }) => ({ secret, verified, recovery_codes })),
      wallets: ((user['crypto_wallets'] ?? []) as VendorRecord[])
        .filter(({ verified }) => verified !== false)
        .map((each) => ({
          wallet_type: String(each['crypto_wallet_type']).toLowerCase(),
          public_address: each['crypto_wallet_address'],
        })),
      metadata: { ...user['untrusted_metadata'], ...user['trusted_metadata'] },
      password: mustReset ? undefined : passwordOf(user['password']?.hash, context),
    };
  },
};
