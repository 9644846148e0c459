import { passwordOf, type RowContext, type Source } from './source.js';

function listIn(cell: string | undefined): readonly string[] {
  return (cell ?? '')
    .replace(/^\[|\]$/g, '')
    .split(/[|,;\s]+/)
    .map((text) => text.replace(/^["']|["']$/g, ''))
    .filter((text) => text !== '');
}

function passwordIn(digest: string, hasher: string, context: RowContext): object | undefined {
  if (hasher === 'scrypt_firebase') {
    const [hash, salt, signer_key, salt_separator, rounds, mem_cost] = digest.split('$');
    return { algorithm: 'scrypt-firebase', hash, salt, signer_key, salt_separator, rounds, mem_cost };
  }
  // Django's form: the salt is text.
  const [, algorithm, iterations, salt, hash] = /^pbkdf2_(sha256|sha1)\$(\d+)\$([^$]*)\$(.+)$/.exec(digest) ?? [];
  const phc =
    algorithm &&
    `$pbkdf2-${algorithm}$${iterations}$${Buffer.from(salt!).toString('base64')}$${hash}`.replaceAll('=', '');
  return passwordOf(phc ?? digest, context, hasher || 'an unknown algorithm');
}

/** The CSV of the Clerk Dashboard: https://clerk.com/docs/guides/development/migrating/export-from-clerk */
export const CLERK: Source = {
  name: 'clerk',
  id: 'id',
  format: 'csv',
  leavesOut: [
    'The CSV of the Clerk Dashboard has no identities at providers, passkeys, backup codes, metadata, bans and times of creation.',
    'A user who is banned at Clerk is not deactivated here, and usernames do not come along.',
  ],
  row: (user, context) => {
    const addresses = (kind: string, member: string) => {
      const verified = listIn(user[`verified_${kind}`]);
      const rest = [...listIn(user[`unverified_${kind}`]), ...listIn(user[`primary_${kind.replace(/e?s$/, '')}`])];
      return [
        ...verified.map((text) => ({ [member]: text, verified: true })),
        ...[...new Set(rest)].filter((text) => !verified.includes(text)).map((text) => ({ [member]: text })),
      ];
    };
    return {
      external_id: user['id'],
      first_name: user['first_name'],
      last_name: user['last_name'],
      emails: addresses('email_addresses', 'email'),
      phone_numbers: addresses('phone_numbers', 'phone_number'),
      totps: user['totp_secret'] ? [{ secret: user['totp_secret'], verified: true }] : [],
      password: passwordIn(String(user['password_digest'] ?? ''), String(user['password_hasher'] ?? ''), context),
    };
  },
};
