import type { SourceName } from '../../../src/modules/migration/sources/index.js';

const BCRYPT = '$2a$10$PGOvOjfsXoHEeUY5Y7Op.edDytksMl9nutXDeGP5a/5rVyexSH25.';

const TIME = '2019-12-06T18:36:12.412Z';
const SECONDS = 1_575_657_372;

export interface VendorFile {
  readonly begin?: string;
  readonly between?: string;
  readonly end?: string;
  readonly record: (n: number, email: string) => object | string;
}
const JSON_LIST = { begin: '[', between: ',', end: ']' };
const cell = (value: object): string => `"${JSON.stringify(value).replaceAll('"', '""')}"`;
const oid = (n: number): string => n.toString(16).padStart(24, '0');
const uuid = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;

/** The files of each source, by the metadata of each user. */
export const vendorFiles = (metadata: object): Readonly<Record<SourceName, readonly VendorFile[]>> => ({
  native: [
    {
      record: (n, email) => ({
        user_id: `user_01k${String(n).padStart(23, '0')}`,
        external_id: `customer-${n}`,
        first_name: 'Grace',
        last_name: 'Hopper',
        created_at: SECONDS,
        emails: [{ id: `email_01k${String(n).padStart(23, '0')}`, email, verified: true, verified_at: SECONDS }],
        metadata,
        password: { algorithm: 'bcrypt', hash: BCRYPT },
      }),
    },
  ],
  auth0: [
    {
      record: (n, email) => ({
        user_id: `auth0|${oid(n)}`,
        email,
        email_verified: true,
        created_at: TIME,
        given_name: 'Grace',
        family_name: 'Hopper',
        identities: [],
        user_metadata: metadata,
      }),
    },
    { record: (n, email) => ({ _id: { $oid: oid(n) }, email, passwordHash: BCRYPT }) },
  ],
  stytch: [
    {
      ...JSON_LIST,
      record: (n, email) => ({
        user_id: `user-live-${uuid(n)}`,
        name: { first_name: 'Grace', last_name: 'Hopper' },
        status: 'active',
        created_at: TIME,
        emails: [{ email, verified: true }],
        phone_numbers: [],
        providers: [],
        trusted_metadata: metadata,
        password: { hash: BCRYPT },
      }),
    },
  ],
  clerk: [
    {
      begin: 'id,first_name,last_name,verified_email_addresses,password_digest,password_hasher\n',
      record: (n, email) => `user_${n},Grace,Hopper,${email},${BCRYPT},bcrypt`,
    },
  ],
  supabase: [
    {
      begin: 'id,email,email_confirmed_at,encrypted_password,raw_user_meta_data,created_at\n',
      record: (n, email) => `${uuid(n)},${email},${TIME},${BCRYPT},${cell(metadata)},${TIME}`,
    },
    {
      begin: 'provider_id,user_id,identity_data,provider,created_at\n',
      record: (n, email) => `${uuid(n)},${uuid(n)},${cell({ email })},email,${TIME}`,
    },
  ],
  firebase: [
    {
      ...JSON_LIST,
      begin: '{"users":[',
      end: ']}',
      record: (n, email) => ({
        localId: `firebase-${n}`,
        displayName: 'Grace Hopper',
        email,
        emailVerified: true,
        createdAt: String(SECONDS * 1_000),
        passwordHash: 'c2FsdCBvZiB0aGUgdXNlciwgYW5kIGhhc2g=',
        salt: 'c2FsdA==',
        customAttributes: JSON.stringify(metadata),
        providerUserInfo: [],
      }),
    },
    {
      begin:
        'hash_config { algorithm: SCRYPT, base64_signer_key: c2lnbmVyIGtleSBvZiB0aGUgcHJvamVjdA==, base64_salt_separator: Bw==, rounds: 8, mem_cost: 14, }',
      record: () => '',
    },
  ],
  keycloak: [
    {
      ...JSON_LIST,
      begin: '{"realm":"bench","users":[',
      end: ']}',
      record: (n, email) => ({
        id: uuid(n),
        firstName: 'Grace',
        lastName: 'Hopper',
        email,
        emailVerified: true,
        enabled: true,
        createdTimestamp: SECONDS * 1_000,
        attributes: { plan: ['pro'] },
        credentials: [
          {
            type: 'password',
            secretData: JSON.stringify({ value: 'c2FsdCBvZiB0aGUgdXNlciwgYW5kIGhhc2g=', salt: 'c2FsdA==' }),
            credentialData: JSON.stringify({ hashIterations: 210_000, algorithm: 'pbkdf2-sha512' }),
          },
        ],
      }),
    },
  ],
});

export function textOf({ begin = '', between = '', end = '', record }: VendorFile, emails: readonly string[]): string {
  const texts = emails
    .map((email, n) => record(n, email))
    .map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))
    .filter((text) => text !== '');
  return `${begin}${texts.map((text, n) => `${n > 0 ? between : ''}${text}\n`).join('')}${end}`;
}
