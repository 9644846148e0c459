import { pbkdf2Sync } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AppId } from '../../../src/kernel/ids.js';
import { type FilesToImport, ImportFiles, type Progress } from '../../../src/modules/migration/import-files.js';
import { rowInFile } from '../../../src/modules/migration/http/import-users.dto.js';
import { SOURCES, type SourceName } from '../../../src/modules/migration/sources/index.js';
import { MANAGEMENT_KEY, startApp, type TestApp } from '../../support/app.js';
import type { GivenApp } from '../../support/given.js';

// Files of other vendors are imported. The samples are made from the documented formats.

let service: TestApp;
let directory: string;
beforeAll(async () => {
  [service, directory] = [await startApp(), await mkdtemp(join(tmpdir(), 'import-'))];
});
afterAll(async () => {
  await service.stop();
  await rm(directory, { recursive: true });
});

const sample = (name: string): string => join(__dirname, 'samples', name);
const newApp = async (): Promise<GivenApp> => {
  const webauthn = { rp_id: 'example.com', origins: ['https://example.com'] };
  const app = await service.given.app({ default_wallet_type: 'none', password_login_until: 4_000_000_000, webauthn });
  await service.given.connection(app, { provider: 'google', client_id: 'id', client_secret: 'secret' });
  return app;
};
const by = { actor: 'cli', requestId: null, ip: null };

function run(
  app: GivenApp,
  from: SourceName,
  files: string[],
  other: Partial<FilesToImport> = {},
  watch = (_: Progress) => {},
) {
  const source = SOURCES[from];
  const report = join(directory, `${app.id}.ndjson`);
  const asked = { appId: app.id as AppId, source, files, report, isDryRun: false, ...other };
  return service.nest
    .get(ImportFiles, { strict: false })
    .execute(by, asked, (row) => rowInFile(row, from === 'native'), watch);
}
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- rows are read as clients read them
type Line = Record<string, any>;
const linesIn = (text: string): Line[] =>
  text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]));
const reportOf = async (app: GivenApp) => linesIn(await readFile(join(directory, `${app.id}.ndjson`), 'utf8'));
const exported = async (app: GivenApp): Promise<Line[]> => {
  const path = `/management/v1/apps/${app.id}/users/export`;
  return linesIn((await service.call('GET', path, { key: MANAGEMENT_KEY, query: { include_secrets: 'true' } })).text);
};

const BCRYPT = '$2a$10$PGOvOjfsXoHEeUY5Y7Op.edDytksMl9nutXDeGP5a/5rVyexSH25.';
const GOOGLE = [{ provider: 'google' }];
const SECRET = [{ secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', verified: true }];

describe('an import of the files of', () => {
  it.each<[SourceName, string[], Progress, Line[], string[]]>([
    [
      'stytch',
      ['stytch.json'],
      { records: 2, imported: 1, skipped: 0, failed: 1 },
      [
        {
          external_id: 'user-test-16d9ba61-97a1-4ba4-9720-b03761dc50c6',
          first_name: 'Grace',
          middle_name: 'B.',
          created_at: 1_640_781_189,
          emails: [{ email: 'grace@stytch-sample.example', verified: true }],
          phone_numbers: [{ phone_number: '+14155550101', verified: false }],
          identities: GOOGLE,
          totps: [{ ...SECRET[0], recovery_codes: ['ckss-2skx-ebow'] }],
          wallets: [{ public_address: '0x6df2dB4Fb3DA35d241901Bd53367770BF03123f1' }],
          metadata: { plan: 'pro', color: 'blue' },
          password: { algorithm: 'bcrypt', hash: BCRYPT },
        },
      ],
      ['1 webauthn_credentials left_out', '2 emails[0].email format'],
    ],
    [
      'clerk',
      ['clerk.csv'],
      { records: 3, imported: 3, skipped: 0, failed: 0 },
      [
        {
          external_id: 'user_2YDryYFVMM1W1plDDKz7Gzf4we6',
          emails: [
            { email: 'grace@clerk-sample.example', verified: true },
            { email: 'hopper@clerk-sample.example', verified: true },
            { email: 'new@clerk-sample.example', verified: false },
          ],
          phone_numbers: [{ phone_number: '+14155550102', verified: true }],
          totps: SECRET,
          password: { algorithm: 'bcrypt' },
        },
        { first_name: 'Ada, Countess', emails: [{ verified: true }, { verified: true }] },
        { first_name: 'Alan', emails: [{ verified: false }] },
      ],
      ['3 password left_out'],
    ],
    [
      'supabase',
      ['supabase-users.csv', 'supabase-identities.csv', 'supabase-mfa-factors.csv'],
      { records: 3, imported: 2, skipped: 0, failed: 1 },
      [
        {
          external_id: '11111111-1111-4111-8111-111111111111',
          first_name: 'Grace Hopper',
          created_at: 1_675_418_340,
          emails: [{ verified: true, verified_at: 1_675_418_400 }],
          phone_numbers: [{ phone_number: '+14155550103', verified: true }],
          identities: [{ provider: 'google', subject: '107691503500061507151' }],
          totps: SECRET,
          password: { algorithm: 'bcrypt' },
        },
        {
          deactivated: true,
          wallets: [{ wallet_type: 'ethereum', public_address: '0x6df2dB4Fb3DA35d241901Bd53367770BF03123f1' }],
          password: { algorithm: 'scrypt-firebase', rounds: 8, mem_cost: 14 },
        },
      ],
      ['3 totps left_out', '4 banned_until format'],
    ],
    [
      'firebase',
      ['firebase.json', 'firebase-hash-config.txt'],
      { records: 3, imported: 2, skipped: 0, failed: 1 },
      [
        {
          external_id: '8PQ9WCvZRPUZh1ZJAzhgjMQ2Pgv1',
          created_at: 1_600_000_000,
          emails: [{ verified: true }],
          phone_numbers: [{ verified: true }],
          identities: GOOGLE,
          metadata: { plan: 'pro' },
          password: { algorithm: 'scrypt-firebase', rounds: 8, mem_cost: 14 },
        },
        { deactivated: true, emails: [{ verified: false }], phone_numbers: [{ verified: true }] },
      ],
      ['3 disabled format'],
    ],
    [
      'auth0',
      ['auth0.ndjson', 'auth0-hashes.ndjson'],
      { records: 4, imported: 3, skipped: 0, failed: 1 },
      [
        {
          external_id: 'auth0|5dea9f9c82dd7c0e76e4ec93',
          created_at: 1_575_657_372,
          identities: [{ subject: '107691503500061507153' }],
          metadata: { plan: 'pro' },
          password: { algorithm: 'bcrypt' },
        },
        { external_id: 'auth0|euclid', deactivated: true, password: { algorithm: 'bcrypt' } },
        { first_name: 'Ada Lovelace', identities: GOOGLE, password: { algorithm: 'bcrypt' } },
      ],
      ['3  format'],
    ],
    [
      'keycloak',
      ['keycloak.json'],
      { records: 3, imported: 2, skipped: 0, failed: 1 },
      [
        {
          external_id: '0d46eabb-e97f-4c5c-8c43-2f0d6a3a1c11',
          created_at: 1_600_000_000,
          identities: GOOGLE,
          metadata: { plan: ['pro'] },
          // base32 of the text
          totps: [{ secret: 'N5GEONLLMJMHUV2OPFXUYURSNNKDI52J', verified: true }],
          password: {
            algorithm: 'argon2id',
            hash: '$argon2id$v=19$m=7168,t=5,p=1$c2FsdCBvZiB0aGUgdXNlcg$vsuE7jzHRs0vdFXMXHnP7a28GG6HsOyhXmXcb3tz0Xw',
          },
        },
        { deactivated: true, totps: SECRET, password: { algorithm: 'pbkdf2-sha256' } },
      ],
      ['1 serviceAccountClientId format', '3 totps left_out'],
    ],
    [
      'native',
      ['native.ndjson'],
      { records: 2, imported: 2, skipped: 0, failed: 0 },
      [
        { user_id: 'user_01k0000000000000000000s001', external_id: 'native-1', password: { algorithm: 'bcrypt' } },
        { user_id: 'user_01k0000000000000000000s002' },
      ],
      [],
    ],
  ])('%s makes users of them, and reports what was left out', async (from, files, progress, rows, faults) => {
    const app = await newApp();
    expect(await run(app, from, files.map(sample))).toEqual(progress);
    const users = await exported(app);
    expect(users).toHaveLength(rows.length);
    for (const row of rows) expect(users).toContainEqual(expect.objectContaining(matching(row)));
    const report = await reportOf(app);
    expect(report.map(({ line, field, rule }) => `${line} ${field} ${rule}`)).toEqual(faults);
    for (const { message } of report) expect(message).toMatch(/^\S.* .*\.$/);
    expect(SOURCES[from].leavesOut.length).toBeGreaterThan(0);
  });

  it('firebase lets users sign in by their passwords', async () => {
    const app = await newApp();
    await run(app, 'firebase', [sample('firebase.json'), sample('firebase-hash-config.txt')]);
    const body = { email: 'grace@firebase-sample.example', password: 'user1password', session_expires_in: 60 };
    const { status } = await service.call('POST', '/v1/auth/passwords/verify', { key: app.secretKey, body });
    expect(status).toBe(200);
  });

  it.each(['\n', '\r\n'])('supabase finds records of any length in the further files (%j)', async (end) => {
    const app = await newApp();
    const [users, identities] = [join(directory, 'long-users.csv'), join(directory, 'long-identities.csv')];
    const ids = [0, 1, 2, 3].map((digit) => `${digit}1111111-1111-4111-8111-111111111111`);
    const csv = (...lines: string[]) => `\uFEFF${lines.join(end)}${end}`;
    await writeFile(users, csv('id,email', ...ids.map((id, index) => `${id},${index}@long.example`)));
    const long = (length: number) => 'ü'.repeat(length);
    // The provider is the last column: a record that is cut has none.
    const rows = ids.map((id, index) => `${id},${long([10, 1_500, 30_000, 400_000][index]!)},sub-${index},google`);
    await writeFile(identities, csv('user_id,identity_data,provider_id,provider', ...rows));
    expect(await run(app, 'supabase', [users, identities])).toMatchObject({ imported: 4 });
    const found = (await exported(app)).flatMap(({ identities: list }) => (list ?? []) as Line[]);
    expect(found.map(({ provider, subject }) => `${provider} ${subject}`).toSorted()).toEqual(
      ids.map((_, index) => `google sub-${index}`),
    );
  });

  it('a vendor rejects a record without its id and a row of another number of columns, and reads the next', async () => {
    const app = await newApp();
    const users = join(directory, 'odd.csv');
    const rows = [
      'id,first_name,last_name',
      'user_1,Ada,Lovelace',
      ',Eve,None',
      'user_3,Mallory',
      '',
      'user_4,Alan,Turing',
      '',
    ];
    await writeFile(users, rows.join('\n'));
    expect(await run(app, 'clerk', [users])).toMatchObject({ records: 4, imported: 2, failed: 2 });
    expect((await reportOf(app)).map(({ line, message }) => `${line} ${message}`)).toEqual([
      '3 id is missing.',
      '4 The record has another number of columns than the header.',
    ]);
  });

  it('a vendor rejects a record with text that the database does not store, and imports the next', async () => {
    const [app, users] = [await newApp(), join(directory, 'texts.ndjson')];
    const texts = [
      { given_name: 'a\0' },
      { user_metadata: { a: ['\ud800'] } },
      { user_metadata: { '\0': 1 } },
      { identities: [{ provider: 'google-oauth2', user_id: '\0' }] },
      { identities: [{ provider: 'google-oauth2', user_id: '語'.repeat(1_000) }] },
      { given_name: 'Ada' },
    ];
    const rows = texts.map((text, n) => JSON.stringify({ user_id: `auth0|${n}`, identities: [], ...text }));
    const latin1 = Buffer.from('{"user_id":"auth0|9","given_name":"André"}', 'latin1');
    await writeFile(users, Buffer.concat([Buffer.from(`${rows.join('\n')}\n`), latin1]));
    expect(await run(app, 'auth0', [users])).toMatchObject({ records: 7, imported: 1, failed: 6 });
    expect((await reportOf(app)).map(({ field, rule }) => `${field} ${rule}`)).toEqual([
      'first_name characters',
      'metadata.a[0] characters',
      expect.stringMatching(/^metadata\..* characters$/),
      'identities[0].subject characters',
      'identities[0].subject too_long',
      ' format',
    ]);
  });

  it('a vendor names another further file than expected, before it imports a user without his password', async () => {
    const [app, users, other] = [await newApp(), join(directory, 'users.ndjson'), join(directory, 'other')];
    await writeFile(users, '{"user_id":"auth0|1","identities":[]}');
    for (const text of ['{"user_id":"auth0|1"}', 'id,hash\n1,2\n']) {
      await writeFile(other, text);
      await expect(run(app, 'auth0', [users, other])).rejects.toThrow('its first record has no passwordHash.');
    }
    await writeFile(other, 'id,email\n1,a@swapped.example\n');
    const factors = sample('supabase-mfa-factors.csv');
    await expect(run(app, 'supabase', [other, factors])).rejects.toThrow('its first record has no provider.');
    await writeFile(other, 'hash_config { algorithm: BCRYPT }');
    await expect(run(app, 'firebase', [sample('firebase.json'), other])).rejects.toThrow(
      'has no signer_key of scrypt.',
    );
    expect(await exported(app)).toEqual([]);
  });

  it('clerk finds salt and hash of each kind of PBKDF2, and takes no password with a pepper for one without', async () => {
    const [app, users] = [await newApp(), join(directory, 'pbkdf2.csv')];
    const salt = Buffer.from('c2FsdCE=');
    const bytes = (digest: string, of: Buffer = salt) => pbkdf2Sync('sesame', of, 1_000, 32, digest);
    const decoded = Buffer.from('c2FsdCE=', 'base64');
    const digests = [
      ['pbkdf2_sha256', `pbkdf2_sha256$1000$c2FsdCE=$${bytes('sha256', decoded).toString('base64')}`],
      ['pbkdf2_sha256_django', `pbkdf2_sha256$1000$c2FsdCE=$${bytes('sha256').toString('base64')}`],
      ['pbkdf2_sha1', `pbkdf2_sha1$1000$c2FsdCE=$${bytes('sha1').toString('hex')}`],
      ['pbkdf2_sha512', `pbkdf2_sha512$1000$c2FsdCE=$${bytes('sha512').toString('hex')}`],
      ['pbkdf2_sha512_hex', `pbkdf2_sha512$1000$${salt.toString('hex')}$${bytes('sha512').toString('hex')}`],
      ['bcrypt_peppered', `${BCRYPT}$pepper`],
    ];
    const rows = digests.map(
      ([hasher, digest], n) => `${n},${n}@pbkdf2.example,"[""${n}@PBKDF2.example""]",${digest},${hasher}`,
    );
    const header = 'id,primary_email_address,verified_email_addresses,password_digest,password_hasher';
    await writeFile(users, [header, ...rows].join('\n'));
    expect(await run(app, 'clerk', [users])).toMatchObject({ imported: 6 });
    const statuses: number[] = [];
    for (const n of digests.keys()) {
      const body = { email: `${n}@pbkdf2.example`, password: 'sesame' };
      statuses.push((await service.call('POST', '/v1/auth/passwords/verify', { key: app.secretKey, body })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 400]);
    expect((await reportOf(app)).map(({ line, rule }) => `${line} ${rule}`)).toEqual(['7 left_out']);
  });

  it('a vendor brings no deleted user, no password that must be reset and no passkey of another domain', async () => {
    const [app, file] = [await newApp(), join(directory, 'former')];
    await writeFile(file, 'id,email,deleted_at\n1,a@former.example,2023-02-03 10:00:00+00\n');
    expect(await run(app, 'supabase', [file])).toMatchObject({ imported: 0, failed: 1 });
    const email = (text: string) => [{ email: `${text}@former.example`, verified: true }];
    const passkey = { domain: 'other.example', credential_id: 'AQID', public_key: 'AQID' };
    const user = { user_id: 'user-1', emails: email('b'), webauthn_registrations: [passkey] };
    await writeFile(file, JSON.stringify([{ ...user, password: { hash: BCRYPT, requires_reset: true } }]));
    expect(await run(app, 'stytch', [file])).toMatchObject({ imported: 1 });
    expect((await reportOf(app)).map(({ field, rule }) => `${field} ${rule}`)).toEqual([
      'webauthn_credentials left_out',
      'password left_out',
    ]);
    const credential = { type: 'password', secretData: '{}', credentialData: '{"algorithm":"argon2"}' };
    const temporary = { id: '2', requiredActions: ['UPDATE_PASSWORD'], credentials: [credential] };
    await writeFile(file, JSON.stringify([temporary]));
    expect(await run(app, 'keycloak', [file])).toMatchObject({ imported: 1 });
    for (const row of await exported(app)) expect(row).not.toHaveProperty('password');
  });

  it.each<[string, SourceName, string, string]>([
    ['of another vendor', 'stytch', '[{"id":"1"}]', 'no file of users of stytch: its first record has no user_id.'],
    ['of another form', 'auth0', 'id,email', 'no file of users of auth0: its first record is no JSON.'],
    ['without a list of users', 'keycloak', '{"realm":"sample"}', 'has no records, or no list of users.'],
    ['without a record', 'clerk', 'id,first_name\n', 'has no records.'],
  ])('no vendor: a file %s ends the command', async (_, from, text, message) => {
    const [app, file] = [await newApp(), join(directory, 'other')];
    await writeFile(file, text);
    await expect(run(app, from, [file])).rejects.toThrow(message);
    expect(await exported(app)).toEqual([]);
  });

  it('a vendor that has a broken place ends the command, and the report names it', async () => {
    const [app, users, identities] = [await newApp(), join(directory, 'whole.csv'), join(directory, 'broken.csv')];
    await writeFile(users, 'id,email\n1,ada@broken.example\n');
    await writeFile(identities, `user_id,provider\n1,google\n1,a\rb\n`);
    await expect(run(app, 'supabase', [users, identities])).rejects.toThrow('cannot be read as csv: line 3 has');
    expect(await reportOf(app)).toEqual([
      expect.objectContaining({ file: identities, line: 3, outcome: 'failed', rule: 'line_end' }),
    ]);
    expect(await exported(app)).toEqual([]);
  });

  it('a vendor never writes its report over them', async () => {
    const [app, report] = [await newApp(), join(directory, 'own.ndjson')];
    await writeFile(report, '{"user_id":"auth0|1","email":"own@own.example"}');
    await expect(run(app, 'auth0', [report], { report: join(directory, '.', 'own.ndjson') })).rejects.toThrow(
      'is to be the report',
    );
    expect(await readFile(report, 'utf8')).toContain('own@own.example');
  });

  it('a vendor writes no report that another import writes, unless that one was killed', async () => {
    const app = await newApp();
    const lock = join(directory, `${app.id}.ndjson.lock`);
    await writeFile(lock, String(process.ppid));
    await expect(run(app, 'stytch', [sample('stytch.json')])).rejects.toThrow(`Process ${process.ppid} writes`);
    expect(await exported(app)).toEqual([]);
    await writeFile(lock, '4194305');
    expect(await run(app, 'stytch', [sample('stytch.json')])).toMatchObject({ imported: 1 });
    await expect(readFile(lock)).rejects.toThrow('ENOENT');
  });

  it('a vendor in a dry run ends like the import, also where records of different batches share a name', async () => {
    const [app, path] = [await newApp(), join(directory, 'dry.ndjson')];
    const user = (n: number | string, email = `${n}@dry.example`, verified = true) =>
      JSON.stringify({ user_id: `auth0|${n}`, email, email_verified: verified, identities: [] });
    const rows = Array.from({ length: 600 }, (_, n) => user(n, `${n}@dry.example`, n !== 2));
    // The same user, a proved address of another, a label that is proved later, and a label of a proved address.
    rows.push(user(0), user('a', '1@DRY.example'), user('b', '2@dry.example'), user('c', '2@dry.example', false));
    rows.push(user('d', '2@dry.example'));
    await writeFile(path, rows.join('\n'));
    const dry = await run(app, 'auth0', [path], { isDryRun: true });
    const dryReport = await reportOf(app);
    expect(await exported(app)).toEqual([]);
    expect(dry).toEqual({ records: 605, imported: 602, skipped: 1, failed: 2 });
    expect(await run(app, 'auth0', [path])).toEqual(dry);
    expect(await reportOf(app)).toEqual(dryReport);
    expect(dryReport.map(({ line }) => line)).toEqual([602, 604, 605]);
  });

  it('a vendor in a dry run changes nothing', async () => {
    const app = await newApp();
    expect(await run(app, 'stytch', [sample('stytch.json')], { isDryRun: true })).toMatchObject({
      imported: 1,
      failed: 1,
    });
    expect(await exported(app)).toEqual([]);
  });
});

/** Expects the members of each object within, whatever else it has. */
function matching(value: unknown): Line {
  if (Array.isArray(value)) return value.map(matching);
  if (typeof value !== 'object' || value === null) return value as Line;
  const members = Object.entries(value).map(([name, member]) => [name, nested(member)]);
  return Object.fromEntries(members) as Line;
}
const nested = (member: unknown): unknown =>
  Array.isArray(member)
    ? member.map((each: unknown) => (typeof each === 'object' ? expect.objectContaining(matching(each)) : each))
    : typeof member === 'object' && member !== null
      ? expect.objectContaining(matching(member))
      : member;

describe('an import that was ended', () => {
  const COUNT = 2_500;
  const file = async (): Promise<string> => {
    const path = join(directory, 'many.ndjson');
    const rows = Array.from({ length: COUNT }, (_, index) =>
      JSON.stringify({
        user_id: `auth0|${index}`,
        email: index === 700 ? 'none' : `${index}@many.example`,
        email_verified: true,
        identities: [],
      }),
    );
    await writeFile(path, rows.join('\n'));
    return path;
  };
  const endAfter = (batches: number) => {
    let seen = 0;
    return (): void => {
      if ((seen += 1) === batches) throw new Error('killed');
    };
  };

  it('continues after its last batch, and reports each row once', async () => {
    const [app, path] = [await newApp(), await file()];
    await expect(run(app, 'auth0', [path], {}, endAfter(1))).rejects.toThrow('killed');
    await expect(run(app, 'auth0', [path], {}, endAfter(1))).rejects.toThrow('killed');
    const progress = await run(app, 'auth0', [path]);
    expect(progress).toEqual({ records: COUNT, imported: COUNT - 1, skipped: 0, failed: 1 });
    expect(await reportOf(app)).toEqual([expect.objectContaining({ line: 701, external_id: 'auth0|700' })]);
    expect(await exported(app)).toHaveLength(COUNT - 1);
  });

  it('after a batch was stored and before its state was counts each row once', async () => {
    const [app, path] = [await newApp(), await file()];
    const state = join(directory, `${app.id}.ndjson.state`);
    // The state cannot take the place of a directory.
    for (const stored of [200, 400, 600, 800]) {
      await rm(state, { force: true });
      await mkdir(state);
      await expect(run(app, 'auth0', [path])).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
      await rm(state, { recursive: true });
      expect(await exported(app)).toHaveLength(stored - (stored > 700 ? 1 : 0));
    }
    const progress = await run(app, 'auth0', [path]);
    expect(progress).toEqual({ records: COUNT, imported: COUNT - 1, skipped: 0, failed: 1 });
    expect(await reportOf(app)).toEqual([expect.objectContaining({ line: 701, external_id: 'auth0|700' })]);
  });

  it('by a disk that took no state stored nothing of the batch', async () => {
    const [app, path] = [await newApp(), await file()];
    const state = join(directory, `${app.id}.ndjson.state.new`);
    await mkdir(state);
    await expect(run(app, 'auth0', [path])).rejects.toThrow('EISDIR');
    await rm(state, { recursive: true });
    expect(await exported(app)).toEqual([]);
    expect(await run(app, 'auth0', [path])).toMatchObject({ imported: COUNT - 1, skipped: 0, failed: 1 });
    expect(await reportOf(app)).toHaveLength(1);
  });

  it('and whose report was moved away begins another report', async () => {
    const [app, path] = [await newApp(), await file()];
    await expect(run(app, 'auth0', [path], {}, endAfter(4))).rejects.toThrow('killed');
    expect(await reportOf(app)).toHaveLength(1);
    await rm(join(directory, `${app.id}.ndjson`));
    expect(await run(app, 'auth0', [path])).toMatchObject({ imported: COUNT - 1, skipped: 0, failed: 1 });
    expect(await readFile(join(directory, `${app.id}.ndjson`), 'utf8')).toBe('');
  });

  it('before its state was stored skips the users whom it has added', async () => {
    const [app, path] = [await newApp(), await file()];
    await expect(run(app, 'auth0', [path], {}, endAfter(1))).rejects.toThrow('killed');
    await rm(join(directory, `${app.id}.ndjson.state`));
    const progress = await run(app, 'auth0', [path]);
    expect(progress).toEqual({ records: COUNT, imported: COUNT - 201, skipped: 200, failed: 1 });
    expect(await exported(app)).toHaveLength(COUNT - 1);
  });
});
