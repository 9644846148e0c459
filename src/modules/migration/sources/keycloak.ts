import { base32 } from '../../../kernel/base32.js';
import {
  flagOf,
  jsonIn,
  type RowContext,
  secondsOf,
  type Source,
  UnreadableRecord,
  type VendorRecord,
  withoutPassword,
} from './source.js';

interface Credential {
  readonly type: string;
  readonly secret: VendorRecord;
  readonly data: VendorRecord;
  readonly record: VendorRecord;
}

const withoutPadding = (text: unknown): string => String(text).replaceAll('=', '');

function passwordIn({ secret, data }: Credential, context: RowContext): object | undefined {
  const [algorithm, salt, hash] = [
    String(data['algorithm']),
    withoutPadding(secret['salt']),
    withoutPadding(secret['value']),
  ];
  const parameter = (name: string) => (data['additionalParameters'] as VendorRecord | undefined)?.[name]?.[0];
  const iterations = data['hashIterations'];
  if (/^pbkdf2(-sha\d+)?$/.test(algorithm)) {
    const digest = algorithm === 'pbkdf2' ? 'pbkdf2-sha1' : algorithm;
    return { algorithm: digest, hash: `$${digest}$${iterations}$${salt}$${hash}` };
  }
  if (algorithm === 'argon2') {
    const name = `argon2${parameter('type') ?? 'id'}`;
    const costs = `m=${parameter('memory')},t=${iterations},p=${parameter('parallelism')}`;
    return { algorithm: name, hash: `$${name}$v=19$${costs}$${salt}$${hash}` };
  }
  return withoutPassword(context, algorithm);
}

function isUsual({ data }: Credential): boolean {
  const { subType, digits = 6, period = 30, algorithm = 'HmacSHA1', secretEncoding } = data as Record<string, unknown>;
  const isKnown = secretEncoding === undefined || secretEncoding === null || secretEncoding === 'BASE32';
  return subType === 'totp' && digits === 6 && period === 30 && algorithm === 'HmacSHA1' && isKnown;
}

function secretIn({ secret, data }: Credential): string {
  const text = String(secret['value']);
  return data['secretEncoding'] === 'BASE32' ? withoutPadding(text) : base32(Buffer.from(text));
}

/**
 * `kc.sh export`, https://www.keycloak.org/server/importExport. `secretData` and `credentialData` are JSON as text
 * (https://www.keycloak.org/docs-api/latest/rest-api/). The secret of an authenticator app is plain text unless `secretEncoding`
 * says base32.
 */
export const KEYCLOAK: Source = {
  name: 'keycloak',
  id: 'id',
  format: 'json',
  leavesOut: [
    'Recovery codes, authenticator apps by a counter or with other than 6 digits, 30 seconds and SHA-1, roles and groups do not come along. Service accounts are rejected.',
    'An export does not name the domain of a passkey: passkeys are taken for those of the rp_id of the app. Users of LDAP have no password here.',
  ],
  row: (user, context) => {
    if (user['serviceAccountClientId'])
      throw new UnreadableRecord('serviceAccountClientId', 'names a client, so the record is no user');
    const credentials = ((user['credentials'] ?? []) as VendorRecord[]).map<Credential>((record) => ({
      type: String(record['type']),
      secret: jsonIn('secretData', record['secretData']) ?? {},
      data: jsonIn('credentialData', record['credentialData']) ?? {},
      record,
    }));
    const of = (type: RegExp) => credentials.filter((each) => type.test(each.type));
    const mustReset = ((user['requiredActions'] ?? []) as string[]).includes('UPDATE_PASSWORD');
    if (mustReset) context.leaveOut('password', 'must be changed at Keycloak, so the user was imported without it');
    const [password] = mustReset ? [] : of(/^password$/);
    const totps = of(/^otp$/);
    if (totps.some((each) => !isUsual(each)) || totps.length > 1)
      context.leaveOut(
        'totps',
        'may be one of 6 digits, 30 seconds and SHA-1 whose secret is text or base32, so others were left out',
      );
    const passkeys = of(/^webauthn(-passwordless)?$/);
    if (passkeys.length > 0 && context.rpId === null)
      context.leaveOut('webauthn_credentials', 'need the webauthn settings of the app, so they were left out');
    return {
      external_id: user['id'],
      first_name: user['firstName'],
      last_name: user['lastName'],
      deactivated: !(flagOf('enabled', user['enabled']) ?? true),
      created_at: secondsOf('createdTimestamp', user['createdTimestamp']),
      emails: user['email'] ? [{ email: user['email'], verified: flagOf('emailVerified', user['emailVerified']) }] : [],
      identities: ((user['federatedIdentities'] ?? []) as VendorRecord[]).map(({ identityProvider, userId }) => ({
        provider: identityProvider,
        subject: userId,
      })),
      totps: totps
        .filter(isUsual)
        .slice(0, 1)
        .map((each) => ({ secret: secretIn(each), verified: true })),
      webauthn_credentials: (context.rpId === null ? [] : passkeys).map(({ data, record }) => ({
        credential_id: Buffer.from(String(data['credentialId']), 'base64').toString('base64url'),
        public_key: Buffer.from(String(data['credentialPublicKey']), 'base64').toString('base64url'),
        counter: data['counter'],
        transports: data['transports'] ?? [],
        rp_id: context.rpId,
        user_handle: Buffer.from(String(user['id'])).toString('base64url'),
        name: record['userLabel'],
        created_at: secondsOf('createdDate', record['createdDate']),
      })),
      metadata: user['attributes'],
      password: password && passwordIn(password, context),
    };
  },
};
