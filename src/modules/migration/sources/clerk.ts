import { passwordOf, type RowContext, type Source, withoutPassword } from './source.js';

function listIn(cell: string | undefined): readonly string[] {
  return (cell ?? '')
    .replace(/^\[|\]$/g, '')
    .split(/[|,;\s]+/)
    .map((text) => text.replace(/^["']|["']$/g, ''))
    .filter((text) => text !== '');
}

/** The forms of https://clerk.com/docs/references/backend/user/create-user: how salt and hash are written. */
const PBKDF2: Readonly<Record<string, readonly [BufferEncoding, BufferEncoding]>> = {
  pbkdf2_sha1: ['utf8', 'hex'],
  pbkdf2_sha256: ['base64', 'base64'],
  pbkdf2_sha256_django: ['utf8', 'base64'],
  pbkdf2_sha512: ['utf8', 'hex'],
  pbkdf2_sha512_hex: ['hex', 'hex'],
};
/** Others, such as `bcrypt_peppered`, may look like them. */
const IN_CRYPT_FORM = /^(bcrypt|argon2id?|phpass|md5_phpass|ldap_ssha)?$/;

function passwordIn(text: string, hasher: string, context: RowContext): object | undefined {
  if (hasher === 'scrypt_firebase') {
    const [hash, salt, signer_key, salt_separator, rounds, mem_cost] = text.split('$');
    return { algorithm: 'scrypt-firebase', hash, salt, signer_key, salt_separator, rounds, mem_cost };
  }
  const encodings = PBKDF2[hasher];
  if (encodings) {
    const [, digest, iterations, salt, hash] = /^pbkdf2_(sha\d+)(?:_hex)?\$(\d+)\$([^$]*)\$(.+)$/.exec(text) ?? [];
    const base64 = [salt, hash].map((part, index) =>
      Buffer.from(part ?? '', encodings[index])
        .toString('base64')
        .replaceAll('=', ''),
    );
    return passwordOf(digest ? `$pbkdf2-${digest}$${iterations}$${base64.join('$')}` : text, context, hasher);
  }
  return text && !IN_CRYPT_FORM.test(hasher) ? withoutPassword(context, hasher) : passwordOf(text, context);
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
      const isVerified = (text: string) => verified.some((each) => each.toLowerCase() === text.toLowerCase());
      const rest = [...listIn(user[`unverified_${kind}`]), ...listIn(user[`primary_${kind.replace(/e?s$/, '')}`])];
      return [
        ...verified.map((text) => ({ [member]: text, verified: true })),
        ...[...new Set(rest)].filter((text) => !isVerified(text)).map((text) => ({ [member]: text })),
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
