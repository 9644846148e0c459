import type { AppId } from '../../../src/kernel/ids.js';
import type { ManagementRole } from '../../../src/kernel/management-role.js';
import { AppNotFound, ManagementKeys } from '../../../src/modules/apps/index.js';
import { ProveAddress } from '../../../src/modules/identity/index.js';
import { ImportUsers } from '../../../src/modules/migration/application/import-users.js';
import { ImportUsersRequest } from '../../../src/modules/migration/http/import-users.dto.js';
import { Database } from '../../../src/postgres/database.js';
import { type Answer, MANAGEMENT_KEY, startApp, type TestApp } from '../../support/app.js';
import { type GivenApp, unique } from '../../support/given.js';
import { openConnections, Observer } from '../../support/observer.js';
import { roundTripsOf } from '../../support/statements.js';
import { VirtualAuthenticator } from '../../support/virtual-authenticator.js';
import { ORIGIN, PasskeyApp, RP_ID } from '../passkey/passkeys.js';

// Operators move users into an app and out of it.

let service: TestApp;
let observer: Observer;
let app: GivenApp;
beforeAll(async () => {
  service = await startApp({ env: { DATABASE_POOL_SIZE: '25' } });
  await openConnections(service, 20);
  observer = await Observer.of(service);
  app = await newApp();
});
afterAll(async () => {
  await observer.close();
  await service.stop();
});

type Row = Record<string, unknown>;

const newApp = (): Promise<GivenApp> =>
  service.given.app({ default_wallet_type: 'none', webauthn: { rp_id: RP_ID, origins: [ORIGIN] } });
const email = (): string => `${unique()}@example.com`;
const importInto = (to: GivenApp, users: unknown[], options: object = {}, key = MANAGEMENT_KEY): Promise<Answer> =>
  service.call('POST', `/management/v1/apps/${to.id}/users/import`, { key, body: { users, ...options } });
const importOne = async (row: unknown, options: object = {}, to = app) =>
  (await importInto(to, [row], options)).body.results[0];
const exportOf = (from: GivenApp, query: Record<string, string> = {}, key = MANAGEMENT_KEY): Promise<Answer> =>
  service.call('GET', `/management/v1/apps/${from.id}/users/export`, { key, query });
const linesOf = ({ text }: Answer): Row[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
const get = async (userId: string, of = app) =>
  (await service.call('GET', `/v1/auth/users/${userId}`, { key: of.secretKey })).body;
const prove = (address: string, of = app) =>
  service.nest.get(ProveAddress, { strict: false }).email(of.id as AppId, address);
const keyOf = async (role: ManagementRole): Promise<string> => {
  const by = { actor: 'cli', requestId: null, ip: null };
  return (await service.nest.get(ManagementKeys).create(by, { name: role, role, expiresAt: null })).key;
};
const faultsOf = ({ errors }: { errors: { field: string; rule: string }[] }): string[] =>
  errors.map(({ field, rule }) => `${field} ${rule}`);
const google = (of: GivenApp) =>
  service.given.connection(of, { provider: 'google', client_id: 'id', client_secret: 'secret' });

const byText = (a: string, b: string): number => (a < b ? -1 : 1);

const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const WALLET = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';

describe('an import', () => {
  it('adds a user with all that the row states', async () => {
    const connection = await google(app);
    const [external_id, address] = [unique(), email()];
    const row = {
      external_id,
      first_name: 'Grace',
      last_name: 'Hopper',
      created_at: 1_600_000_000,
      metadata: { plan: 'pro' },
      emails: [{ email: address, verified: true, verified_at: 1_600_000_100 }, { email: email() }],
      phone_numbers: [{ phone_number: '+4915112340001', verified: true }],
      identities: [
        { provider: 'google', subject: external_id },
        { connection: connection.id, subject: `2${external_id}` },
      ],
      totps: [{ secret: SECRET, verified: true, recovery_codes: ['ckss-2skx-ebow', 'abcde-12345'] }],
      wallets: [{ wallet_type: 'ETH', public_address: WALLET.toLowerCase() }],
      wallet_type: 'ethereum',
    };
    const result = await importOne(row);
    expect(result).toMatchObject({ index: 0, external_id, outcome: 'imported', errors: [] });
    const user = await get(result.user_id);
    expect(user).toMatchObject({
      external_id,
      first_name: 'Grace',
      status: 'active',
      active: true,
      created_at: 1_600_000_000,
      metadata: { plan: 'pro' },
      emails: [{ email: address, verified: true }, { verified: false }],
      phone_numbers: [{ verified: true }],
      idp_providers: [{ provider: 'google' }, { provider: 'google' }],
      totps: [{ verified: true }],
      wallets: [
        { public_address: WALLET, is_read_only: true },
        { wallet_type: 'ethereum', is_read_only: false, is_default: true },
      ],
    });
    expect((await prove(address)).userId).toBe(result.user_id);
    const recovery = { user_id: result.user_id, recovery_code: 'CKSS 2skx ebow', session_expires_in: 60 };
    const { body } = await service.call('POST', '/v1/auth/totps/recovery', { key: app.secretKey, body: recovery });
    expect(body.session.user_id).toBe(result.user_id);
    const rows = await observer.rows(
      `select extract(epoch from first_proved_at)::int as first, claim from users where id = $1`,
      [result.user_id],
    );
    expect(rows).toEqual([{ first: 1_600_000_000, claim: 'closed' }]);
    expect(await observer.events(app.id, result.user_id)).not.toContain('user.created');
  });

  it('publishes events only on request', async () => {
    const quiet = await newApp();
    await importInto(quiet, [{ external_id: unique() }]);
    const { user_id } = await importOne({ external_id: unique() }, { publish: true }, quiet);
    expect((await observer.events(quiet.id)).filter((type) => type === 'user.created')).toEqual(['user.created']);
    expect(await observer.events(quiet.id, user_id)).toEqual(['user.created']);
  });

  it('publishes the wallets that it makes, and the addresses that leave other users', async () => {
    const address = email();
    const { user_id: loser } = await service.given.user(app, { email: address });
    const row = { emails: [{ email: address, verified: true }], wallet_type: 'ethereum' };
    const { user_id } = await importOne(row, { publish: true });
    expect(await observer.events(app.id, user_id)).toEqual(['user.created', 'wallet.created']);
    expect(await observer.events(app.id, loser)).toContain('address.moved');
  });

  it('ignores former ids of any form, unless it keeps them', async () => {
    const row = { user_id: 'user-test-16d9ba61', emails: [{ id: 'email-test-1', email: email(), verified: true }] };
    expect((await importOne(row)).outcome).toBe('imported');
    expect(faultsOf(await importOne(row, { keep_ids: true }))).toEqual(['user_id format']);
    expect(faultsOf(await importOne({ emails: row.emails }, { keep_ids: true }))).toEqual(['id format']);
  });

  it('changes nothing when it is repeated, and nothing in a dry run', async () => {
    const row = { external_id: unique(), emails: [{ email: email(), verified: true }] };
    expect(await importOne(row, { dry_run: true })).toMatchObject({ outcome: 'imported', user_id: '' });
    const { user_id } = await importOne(row);
    const again = { outcome: 'skipped', user_id, errors: [] };
    expect(await importOne({ ...row, first_name: 'Eve' })).toMatchObject(again);
    expect(await importOne(row, { on_conflict: 'skip' })).toMatchObject(again);
    expect(await importOne(row, { dry_run: true })).toMatchObject({ ...again, user_id: '' });
    expect((await get(user_id)).first_name).toBe('');
  });

  const later = Math.floor(Date.now() / 1000) + 86_400;
  it.each<[string, unknown, string]>([
    ['that is no object', 'text', ' type'],
    ['with an address that is none', { emails: [{ email: 'nobody' }] }, 'emails[0].email format'],
    [
      'with a phone number that is none',
      { phone_numbers: [{ phone_number: '+999' }] },
      'phone_numbers[0].phone_number format',
    ],
    ['with a time in milliseconds', { created_at: 1_600_000_000_000 }, 'created_at max'],
    ['created in the future', { created_at: later }, 'created_at future'],
    [
      'verified in the future',
      { emails: [{ email: 'a@example.com', verified: true, verified_at: later }] },
      'emails[0].verified_at future',
    ],
    ['of an unknown provider', { identities: [{ provider: 'github', subject: '1' }] }, 'identities[0].provider exists'],
    ['without a provider', { identities: [{ subject: '1' }] }, 'identities[0].provider required'],
    [
      'with a secret that is no base32',
      { totps: [{ secret: '1'.repeat(32), verified: true }] },
      'totps[0].secret format',
    ],
    [
      'with a short secret',
      { totps: [{ secret: 'JBSWY3DP'.repeat(1) + 'AAAAAAA', verified: true }] },
      'totps[0].secret too_short',
    ],
    ['with two authenticators', { totps: [{ secret: SECRET }, { secret: SECRET }] }, 'totps too_many'],
    ['with metadata that are too large', { metadata: { text: 'x'.repeat(5_000) } }, 'metadata too_large'],
    [
      'with an address of no wallet',
      { wallets: [{ wallet_type: 'solana', public_address: WALLET }] },
      'wallets[0].public_address format',
    ],
    [
      'with an address twice',
      { emails: [{ email: 'Twice@example.com' }, { email: 'twice@EXAMPLE.com' }] },
      'emails[1].email duplicate',
    ],
    [
      'with a negative counter',
      { webauthn_credentials: [{ credential_id: 'AQID', public_key: 'AQID', rp_id: RP_ID, counter: -1 }] },
      'webauthn_credentials[0].counter min',
    ],
    [
      'with a key that is none',
      { webauthn_credentials: [{ credential_id: 'AQID', public_key: 'AQID', rp_id: RP_ID }] },
      'webauthn_credentials[0].public_key key',
    ],
    [
      'with a passkey of another domain',
      { webauthn_credentials: [{ credential_id: 'AQID', public_key: 'AQID', rp_id: 'example.org' }] },
      'webauthn_credentials[0].rp_id rp_id',
    ],
    [
      'with more than five unverified addresses',
      { emails: [1, 2, 3, 4, 5, 6].map((n) => ({ email: `n${n}@example.com` })) },
      'emails too_many',
    ],
    [
      'that is pending with a verified address',
      { status: 'pending', emails: [{ email: 'p@example.com', verified: true }] },
      'status one_of',
    ],
  ])('refuses a row %s, and imports the others', async (_, row, fault) => {
    const { body } = await importInto(app, [row, { external_id: unique() }]);
    expect(body).toMatchObject({ imported: 1, skipped: 0, failed: 1 });
    expect(faultsOf(body.results[0])).toEqual([fault]);
    expect(body.results[0]).toMatchObject({ outcome: 'failed', user_id: '' });
  });

  it('takes no connection, id or user of another app', async () => {
    const other = await newApp();
    const connection = await google(other);
    const address = email();
    const { user_id } = await importOne(
      { external_id: 'shared', emails: [{ email: address, verified: true }] },
      {},
      other,
    );
    expect(faultsOf(await importOne({ identities: [{ connection: connection.id, subject: '1' }] }))).toEqual([
      'identities[0].connection exists',
    ]);
    const row = { user_id, external_id: 'shared', emails: [{ email: address, verified: true }] };
    const own = await importOne(row, { keep_ids: true });
    expect(own).toMatchObject({ outcome: 'imported', user_id });
    expect((await get(user_id, other)).emails[0].id).not.toBe((await get(user_id)).emails[0].id);
  });

  it('refuses ids of the app that are in use, also those of deleted users', async () => {
    const { user_id } = await importOne({ emails: [{ email: email(), verified: true }] });
    const { emails } = await get(user_id);
    const taken = { user_id, emails: [{ id: emails[0].id, email: email() }] };
    expect(faultsOf(await importOne(taken, { keep_ids: true }))).toEqual([
      'user_id duplicate',
      'emails[0].email duplicate',
    ]);
    expect((await importOne(taken)).outcome).toBe('imported');
    await service.call('DELETE', `/v1/auth/users/${user_id}/delete`, { key: app.secretKey });
    expect(faultsOf(await importOne({ user_id }, { keep_ids: true }))).toEqual(['user_id duplicate']);
  });
});

describe('an address that another user holds', () => {
  it('leads to no other user: an unverified one is left out, a verified one fails or skips the row', async () => {
    const address = email();
    const { user_id: holder } = await importOne({ emails: [{ email: address, verified: true }] });
    const label = await importOne({ first_name: 'Eve', emails: [{ email: address.toUpperCase() }] });
    expect([label.outcome, faultsOf(label)]).toEqual(['imported', ['emails[0].email duplicate']]);
    expect((await get(label.user_id)).emails).toEqual([]);
    const row = { external_id: unique(), emails: [{ email: address, verified: true }] };
    expect(await importOne(row)).toMatchObject({ outcome: 'failed', user_id: '' });
    expect(await importOne(row, { on_conflict: 'skip' })).toMatchObject({ outcome: 'skipped', user_id: '' });
    expect((await prove(address)).userId).toBe(holder);
  });

  it('leaves a user who has not verified it for a row that says verified', async () => {
    const address = email();
    const squatter = await service.given.user(app, { email: address });
    const { user_id } = await importOne({ emails: [{ email: address, verified: true }] });
    expect((await get(squatter.user_id)).emails).toEqual([]);
    expect((await prove(address)).userId).toBe(user_id);
  });

  it('belongs to the row that says verified, also within one import', async () => {
    const address = email();
    const { body } = await importInto(app, [
      { emails: [{ email: address }] },
      { emails: [{ email: address, verified: true }] },
      { emails: [{ email: address }] },
      { emails: [{ email: address, verified: true }] },
    ]);
    expect(body.results.map(({ outcome }: Row) => outcome)).toEqual(['imported', 'imported', 'imported', 'failed']);
    expect(body.results.map(faultsOf)).toEqual([
      ['emails[0].email duplicate'],
      [],
      ['emails[0].email duplicate'],
      ['emails[0].email duplicate'],
    ]);
    const [first, second, third] = body.results as { user_id: string }[];
    expect([(await get(first!.user_id)).emails, (await get(third!.user_id)).emails]).toEqual([[], []]);
    expect((await prove(address)).userId).toBe(second!.user_id);
  });

  it('passes an imported account without a verified method to its prover, and no other account', async () => {
    const [open, held] = [email(), email()];
    const { user_id } = await importOne({ first_name: 'Ada', emails: [{ email: open }] });
    const proved = await prove(open);
    expect([proved.userId, proved.prepared?.fields]).toEqual([user_id, ['first_name']]);
    const wallet = { wallet_type: 'ethereum', public_address: `0x${'5a'.repeat(20)}` };
    const { user_id: owner } = await importOne({ emails: [{ email: held }], wallets: [wallet] });
    expect((await prove(held)).userId).not.toBe(owner);
    const ends = await importOne({
      emails: [{ email: email() }],
      wallets: [{ ...wallet, public_address: `0x${'5b'.repeat(20)}` }],
    });
    const [row] = await observer.rows(
      `select unverified_until > now() + interval '6 days' as ends from emails where user_id = $1`,
      [ends.user_id],
    );
    expect(row).toEqual({ ends: true });
  });
});

describe('an external id', () => {
  it('is imported once, also within one import', async () => {
    const external_id = unique();
    const { body } = await importInto(app, [
      { external_id },
      { external_id, emails: [{ email: 'invalid' }] },
      { external_id },
    ]);
    expect(body).toMatchObject({ imported: 1, skipped: 1, failed: 1 });
    expect(body.results[2].user_id).toBe(body.results[0].user_id);
  });

  it('of a deleted user is skipped, unless the import revives it', async () => {
    const row = { external_id: unique() };
    const { user_id } = await importOne(row);
    await service.call('DELETE', `/v1/auth/users/${user_id}/delete`, { key: app.secretKey });
    const skipped = await importOne(row);
    expect([skipped.outcome, skipped.user_id, faultsOf(skipped)]).toEqual(['skipped', '', ['external_id deleted']]);
    expect((await importOne(row, {}, await newApp())).outcome).toBe('imported');
    expect((await importOne(row, { revive: true })).outcome).toBe('imported');
  });
});

describe('simultaneous imports', () => {
  it('of the same rows make one user of each', async () => {
    const rows = Array.from({ length: 20 }, () => ({
      external_id: unique(),
      emails: [{ email: email(), verified: true }],
    }));
    const answers = await observer.together('users', [
      () => importInto(app, rows),
      () => importInto(app, rows.toReversed()),
    ]);
    expect(answers.map(({ body }) => `${body.imported} ${body.skipped} ${body.failed}`).toSorted(byText)).toEqual([
      '0 20 0',
      '20 0 0',
    ]);
    const ids = answers.map(({ body }) => body.results.map((each: Row) => each['user_id']).toSorted());
    expect(ids[0]).toEqual(ids[1]);
  });

  it('with a deletion of the app stores nothing in the deleted app', async () => {
    const [deleted, importing] = [await newApp(), service.nest.get(ImportUsers, { strict: false })];
    const [appId, by] = [deleted.id as AppId, { actor: 'cli', requestId: null, ip: null }];
    const [row] = ImportUsersRequest.rows({ users: [{ external_id: unique() }] } as never);
    const options = { onConflict: 'fail', isDryRun: false, publishes: false, keepsIds: false, revives: false } as const;
    const candidate = (await importing.check(appId, options))(row!);
    await service.ok('DELETE', `/management/v1/apps/${appId}`, { key: MANAGEMENT_KEY });
    await expect(importing.store(by, appId, [candidate], options)).rejects.toThrow(AppNotFound);
    expect(await service.nest.get(Database).list('select id from users where app_id = $1', [appId])).toEqual([]);
  });

  it('of one address give it to one of them, and never deadlock with a proof', async () => {
    const address = email();
    await service.given.user(app, { email: address });
    const row = (): Row => ({ external_id: unique(), emails: [{ email: address, verified: true }] });
    const [one, other] = await observer.together('emails', [
      () => importInto(app, [row()]),
      () => importInto(app, [row()]),
    ]);
    const outcomes = [one, other].map((answer) => answer!.body.results[0].outcome);
    expect(outcomes.toSorted(byText)).toEqual(['failed', 'imported']);
    const winner = [one, other].find((answer) => answer!.body.imported === 1)!.body.results[0].user_id;
    expect((await prove(address)).userId).toBe(winner);
  });
});

describe('an import of 1,000 rows', () => {
  const rowsOf = (count: number): Row[] =>
    Array.from({ length: count }, () => ({
      external_id: unique(),
      emails: [{ email: email(), verified: true }],
      identities: [{ provider: 'google', subject: unique() }],
      totps: [{ secret: SECRET, verified: true, recovery_codes: ['abcde-12345'] }],
    }));

  it('takes as many statements as an import of ten, and no row twice', async () => {
    const to = await newApp();
    await google(to);
    const sent = async (rows: Row[]): Promise<number> => {
      const trips = await roundTripsOf(async () => expect((await importInto(to, rows)).body.failed).toBe(0));
      return trips.flat().length;
    };
    await sent(rowsOf(10));
    const few = await sent(rowsOf(10));
    const rows = rowsOf(998);
    expect(await sent([...rows, rows[0]!, rows[997]!])).toBeLessThanOrEqual(few + 2);
    expect(few).toBeLessThan(40);
    expect(linesOf(await exportOf(to))).toHaveLength(1_018);
  });

  it('has at most 1,000 rows and 8 MiB', async () => {
    expect((await importInto(app, [])).status).toBe(400);
    expect((await importInto(app, Array<Row>(1_001).fill({}))).status).toBe(400);
    const large = (kilobytes: number) =>
      Array.from({ length: 1_000 }, () => ({ first_name: 'x'.repeat(kilobytes * 1_000) }));
    const { status, body } = await importInto(app, large(1));
    expect([status, body.failed, faultsOf(body.results[0])]).toEqual([200, 1_000, ['first_name too_long']]);
    expect((await importInto(app, large(9))).status).toBe(413);
  });
});

describe('an export', () => {
  const row = (): Row => {
    const external_id = unique();
    return {
      external_id,
      first_name: 'Grace',
      created_at: 1_600_000_000,
      metadata: { b: 1.5, a: { 2: 'two', 1: null }, list: [1e21, ''] },
      emails: [{ email: email(), verified: true, verified_at: 1_600_000_100 }, { email: email() }],
      phone_numbers: [{ phone_number: `+4915${String(Number.parseInt(external_id.slice(-4), 36)).padStart(9, '2')}` }],
      identities: [{ provider: 'google', subject: external_id }],
      totps: [{ secret: SECRET, verified: true, recovery_codes: ['ckss-2skx-ebow'] }],
      wallets: [
        {
          wallet_type: 'ethereum',
          public_address: `0x${Buffer.from(external_id).toString('hex').padEnd(40, '7').slice(-40)}`,
        },
      ],
      wallet_type: 'solana',
    };
  };
  const withoutIds = ({ text }: Answer): string => text.replace(/"(user_id|id)":"\w+"/g, '');

  it('imported into an empty app exports the same bytes again, with or without its ids', async () => {
    const [from, kept, anew] = [await newApp(), await newApp(), await newApp()];
    for (const each of [from, kept, anew]) await google(each);
    const passkeys = PasskeyApp.at(service, from);
    const holder = await passkeys.holder(new VirtualAuthenticator(ORIGIN));
    await importInto(from, [row(), row(), { deactivated: true, status: 'pending' }, { metadata: {} }]);
    const first = await exportOf(from, { include_secrets: 'true' });
    expect(first.headers.get('content-type')).toContain('application/x-ndjson');
    const rows = linesOf(first);
    expect(rows).toHaveLength(5);
    expect((await importInto(kept, rows, { keep_ids: true })).body).toMatchObject({ imported: 5 });
    expect((await exportOf(kept, { include_secrets: 'true' })).text).toBe(first.text);
    const { body } = await importInto(anew, rows);
    expect(body).toMatchObject({ imported: 5 });
    const again = await exportOf(anew, { include_secrets: 'true' });
    expect(withoutIds(again)).toBe(withoutIds(first));
    expect(again.text).not.toBe(first.text);
    for (const [to, userId] of [
      [kept, holder.userId],
      [anew, body.results[0].user_id],
    ] as const) {
      const elsewhere = PasskeyApp.at(service, to);
      const session = await elsewhere.verify(await elsewhere.assertion({ ...holder, userId }), {
        session_expires_in: 60,
      });
      expect([session.status, session.body.user_id]).toEqual([200, userId]);
    }
  });

  it('continues after a user, and has secrets only on request, which the audit log records', async () => {
    const from = await newApp();
    await google(from);
    await importInto(from, [row(), row(), row()]);
    const [first, ...rest] = linesOf(await exportOf(from));
    expect(linesOf(await exportOf(from, { starting_after: String(first!['user_id']) }))).toEqual(rest);
    expect(first).not.toHaveProperty('totps');
    const exported = async (): Promise<number> => {
      const path = `/management/v1/apps/${from.id}/audit_log`;
      const { body } = await service.call('GET', path, { key: MANAGEMENT_KEY, query: { action: 'users.exported' } });
      return body.entries.length;
    };
    expect(await exported()).toBe(0);
    expect(linesOf(await exportOf(from, { include_secrets: 'true' }))[0]).toHaveProperty('totps');
    expect(await exported()).toBe(1);
  });

  it('leaves out rows that are not as the service wrote them, which an import would make right', async () => {
    const from = await newApp();
    const { body } = await importInto(from, [{ emails: [{ email: email(), verified: true }] }, { first_name: 'Ann' }]);
    const [victim, altered] = body.results.map(({ user_id }: Row) => user_id);
    const thief = email();
    await observer.rows('update emails set text = $3, canonical = $3 where app_id = $1 and user_id = $2 returning id', [
      from.id,
      victim,
      thief,
    ]);
    await observer.rows(`update users set mac = '\\x00' where app_id = $1 and id = $2 returning id`, [
      from.id,
      altered,
    ]);
    const [row, ...more] = linesOf(await exportOf(from));
    expect([row!['user_id'], row!['emails'], more]).toEqual([victim, undefined, []]);
  });

  it('leaves out a secret that does not open, and goes on', async () => {
    const from = await newApp();
    const totps = [{ secret: SECRET, verified: true }];
    const { body } = await importInto(from, [{ totps }, { totps }]);
    await observer.rows(
      `update totps set sealed_secret = set_byte(sealed_secret, length(sealed_secret) - 1, get_byte(sealed_secret, length(sealed_secret) - 1) # 1)
        where app_id = $1 and user_id = $2 returning id`,
      [from.id, body.results[0].user_id],
    );
    const rows = linesOf(await exportOf(from, { include_secrets: 'true' }));
    expect(rows.map(({ totps: kept }) => (kept as unknown[] | undefined)?.length)).toEqual([undefined, 1]);
  });

  it('is for owners, and an import for operators', async () => {
    const [operator, support] = [await keyOf('operator'), await keyOf('support')];
    expect((await exportOf(app, {}, operator)).status).toBe(403);
    expect((await importInto(app, [{}], {}, support)).status).toBe(403);
    expect((await importInto(app, [{}], {}, operator)).body.imported).toBe(1);
    const nowhere = { ...app, id: `app_${'0'.repeat(26)}` };
    expect([(await exportOf(nowhere)).status, (await importInto(nowhere, [{}])).status]).toEqual([404, 404]);
  });
});

describe('an imported passkey', () => {
  it('signs in with another backup flag than the row states, and without a suspicion if the row states none', async () => {
    const from = PasskeyApp.at(service, await newApp());
    const holder = await from.holder(new VirtualAuthenticator(ORIGIN));
    const [exported] = linesOf(await exportOf(from.app));
    const [{ backup_eligible: flag, ...passkey }] = exported!['webauthn_credentials'] as [Row];
    const suspicions = async (credential: Row): Promise<number> => {
      const to = PasskeyApp.at(service, await newApp());
      const { user_id: userId } = await importOne({ webauthn_credentials: [credential] }, {}, to.app);
      const assertion = await to.assertion({ ...holder, userId }, { isBackupEligible: flag !== true });
      expect((await to.verify(assertion, { session_expires_in: 60 })).status).toBe(200);
      return (await observer.events(to.app.id)).filter((type) => type === 'factor.suspicious').length;
    };
    expect(await suspicions(passkey)).toBe(0);
    expect(await suspicions({ ...passkey, backup_eligible: flag })).toBe(1);
  });
});
