import type { AppId, UserId } from '../../../src/kernel/ids.js';
import { PersonalData, PersonalDataStore } from '../../../src/kernel/personal-data.js';
import type { ManagementRole } from '../../../src/kernel/management-role.js';
import { ManagementKeys } from '../../../src/modules/apps/index.js';
import { ErasePerson } from '../../../src/modules/privacy/application/erase-person.js';
import { type Answer, MANAGEMENT_KEY, startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { type GivenApp, unique } from '../../support/given.js';
import { codeIn, Inbox } from '../../support/inbox.js';
import { Observer } from '../../support/observer.js';
import { Chains } from '../audit/chains.js';

// A person gets a copy of all that the service keeps, and is erased.

let service: TestApp;
let inbox: Inbox;
let observer: Observer;
let app: GivenApp;
beforeAll(async () => {
  inbox = await Inbox.start();
  service = await startApp({ env: inbox.env });
  observer = await Observer.of(service);
  app = await service.given.app();
});
afterAll(async () => {
  await observer.close();
  await service.stop();
  await inbox.stop();
});

const AGENT = 'PrivateBrowser/7.1';
const IP = '203.0.113.77';

const at = (userId: string, what: string): string => `/management/v1/apps/${app.id}/users/${userId}/${what}`;
const manage = (method: string, userId: string, what: string, key = MANAGEMENT_KEY): Promise<Answer> =>
  service.call(method, at(userId, what), { key });
const exported = async (userId: string) => JSON.parse((await manage('GET', userId, 'export')).text);
const keyOf = async (role: ManagementRole): Promise<string> => {
  const by = { actor: 'cli', requestId: null, ip: null };
  return (await service.nest.get(ManagementKeys).create(by, { name: role, role, expiresAt: null })).key;
};
/** What is the same for two persons who did the same. Events are in the log a moment after they happened. */
const outcomesOf = ({ lines }: Answer['body']) =>
  (lines as { name: string; outcome: string; rows: number | null }[])
    .filter(({ name }) => name !== 'events')
    .map(({ name, outcome, rows }) => [name, outcome, rows]);

/** A person who has signed in, and by what the service knows that person. */
async function person() {
  const key = app.secretKey;
  const name = unique();
  const [email, phone] = [
    `${name}@example.com`,
    `+49151${String(Date.now()).slice(-4)}${String(Math.random()).slice(2, 6)}`,
  ];
  const { user_id: userId } = await service.given.user(app, {
    email,
    phone_number: phone,
    first_name: `First${name}`,
    last_name: `Last${name}`,
    external_id: `external-${name}`,
    metadata: { note: `meta-${name}` },
    wallet_type: 'ethereum',
  });
  const sent = await inbox.after(email, () =>
    service.ok('POST', '/v1/auth/otps/email/login_or_create', { key, body: { email } }),
  );
  const proof = { method_id: sent.answer.method_id ?? sent.answer.email_id, otp: codeIn(sent.message) };
  await service.ok('POST', '/v1/auth/otps/verify', {
    key,
    body: { ...proof, session_expires_in: 60, device_fingerprint: { ip: IP, user_agent: AGENT } },
  });
  await service.ok('PATCH', `/management/v1/apps/${app.id}/users/${userId}`, {
    key: MANAGEMENT_KEY,
    body: { middle_name: `Middle${name}` },
  });
  // A message about the person that waits for the erasure, and a wrong try.
  await service.call('POST', '/v1/auth/otps/verify', { key, body: { ...proof, otp: '000000' } });
  await eventually(async () => expect(await observer.rows('select from unsequenced_events')).toEqual([]));
  return { userId, name, said: [email, phone, name] };
}

/** Where the values stand: tables with a row that has one. */
async function tablesWith(values: readonly string[]): Promise<string[]> {
  const tables = await observer.rows<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const pattern = `'%' || value || '%'`;
    const rows = await observer.rows(
      `select from ${name} t where exists (select from unnest($1::text[]) value where t::text like ${pattern}) limit 1`,
      [values],
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}

describe('the export of a person', () => {
  it('has all that the service keeps, without secrets', async () => {
    const { userId, name, said } = await person();
    const body = await exported(userId);
    expect(body).toMatchObject({ app_id: app.id, user_id: userId });
    const { data } = body;
    expect(Object.keys(data)).toEqual(PersonalData.rows.filter(({ shows }) => shows).map((each) => each.name));
    expect(data.user).toMatchObject([{ id: userId, first_name: `First${name}`, metadata: { note: `meta-${name}` } }]);
    expect(data.emails).toMatchObject([{ email: said[0] }]);
    expect(data.phone_numbers).toMatchObject([{ phone_number: said[1] }]);
    expect(data.sessions).toMatchObject([{ ip: IP, user_agent: AGENT, started_at: expect.any(Number) }]);
    expect(data.wallets).toMatchObject([{ wallet_type: 'ethereum' }]);
    expect(data.messages).toMatchObject([{ recipient: said[0], status: expect.any(String) }]);
    expect(data.audit_entries.map(({ action }: { action: string }) => action)).toEqual([
      'user.updated',
      'user.exported',
    ]);
    expect(data.events.map(({ event }: { event: { type: string } }) => event.type)).toContain('session.created');
    expect(JSON.stringify(body)).not.toMatch(/hash|sealed|secret|"mac"/);
  });

  it('has no messages to an address that the person has not proved: it may be that of another', async () => {
    const { userId, said } = await person();
    await observer.rows(
      `insert into messages (app_id, id, channel, kind, recipient) values ($1, $2, 'sms', 'one_time_code', $3)`,
      [app.id, `message_${unique()}`, said[1]],
    );
    const recipients = async () =>
      (await exported(userId)).data.messages.map(({ recipient }: { recipient: string }) => recipient);
    expect(await recipients()).toEqual([said[0]]);
    await manage('POST', userId, 'erase');
    expect(await tablesWith(said)).toEqual([]);
  });

  it('has every row of a long list, and none of another person', async () => {
    const [{ userId }, other] = [await person(), await person()];
    await observer.rows(
      `insert into event_log (app_id, id, position, type, user_id, body, created_at, sequenced_at)
       select $1, 'event_many' || i, 1000000 + i, 'user.updated', $2, '{"n":' || i || '}', now(), now() from generate_series(1, 1200) i`,
      [app.id, userId],
    );
    const { data } = await exported(userId);
    const numbers = data.events.flatMap(({ event }: { event: { n?: number } }) => event.n ?? []);
    expect(numbers).toEqual(Array.from({ length: 1200 }, (_, index) => index + 1));
    expect(JSON.stringify(data)).not.toContain(other.name);
    expect(JSON.stringify(data)).not.toContain(other.userId);
  });

  it('is for owners, and for users of the app', async () => {
    const { userId } = await person();
    for (const role of ['operator', 'support', 'auditor'] as const) {
      const key = await keyOf(role);
      for (const [method, what] of [
        ['GET', 'export'],
        ['POST', 'erase'],
      ] as const)
        expect((await manage(method, userId, what, key)).body).toMatchObject({ error_type: 'missing_role' });
    }
    const stranger = await service.given.user(await service.given.app());
    for (const [method, what, type] of [
      ['GET', 'export', 'user_not_found'],
      ['POST', 'erase', 'user_not_found'],
      ['GET', 'erase', 'erasure_not_found'],
    ] as const)
      expect((await manage(method, stranger.user_id, what)).body).toMatchObject({ status_code: 404, error_type: type });
  });
});

describe('the erasure of a person', () => {
  it('leaves nothing that the person said, keeps the chain of the audit log, and says what stays and why', async () => {
    const { userId, said } = await person();
    expect(await tablesWith(said)).toEqual(
      expect.arrayContaining(['users', 'emails', 'phone_numbers', 'messages', 'sessions']),
    );
    const erased = await manage('POST', userId, 'erase');
    expect(erased.body).toMatchObject({
      user_id: userId,
      status: 'done',
      percent: 100,
      finished_at: expect.any(Number),
    });
    expect(await tablesWith(said)).toEqual([]);
    expect(await observer.rows('select from sessions where app_id = $1 and user_id = $2', [app.id, userId])).toEqual(
      [],
    );
    const outcomes = Object.fromEntries(outcomesOf(erased.body).map(([name, ...rest]) => [name, rest]));
    expect(outcomes).toMatchObject({
      user: ['anonymised', 1],
      emails: ['removed', 1],
      phone_numbers: ['removed', 1],
      sessions: ['removed', 1],
      messages: ['removed', 1],
      wallets: ['kept', 1],
      deleted_external_id: ['kept', null],
    });
    for (const { outcome, reason } of erased.body.lines)
      if (outcome !== 'removed') expect(reason).toMatch(/^[A-Z].*\.$/);
    const chains = new Chains(service);
    await chains.sign();
    expect(await chains.fault(app.id)).toBeUndefined();
    const { data } = await exported(userId);
    expect(data).toMatchObject({
      user: [{ id: userId, first_name: '', external_id: null, metadata: {} }],
      emails: [],
      sessions: [],
    });
    expect(data.audit_entries.map(({ action }: { action: string }) => action)).toContain('user.erased');
  });

  it('keeps the external_id from coming back by an import', async () => {
    const { userId, name } = await person();
    await manage('POST', userId, 'erase');
    const { body } = await service.call('POST', `/management/v1/apps/${app.id}/users/import`, {
      key: MANAGEMENT_KEY,
      body: { users: [{ external_id: `external-${name}` }] },
    });
    expect(body.results).toMatchObject([{ outcome: 'skipped', errors: [{ rule: 'deleted' }] }]);
  });

  it('is done once by two callers at the same time, with one entry of the audit log', async () => {
    const { userId } = await person();
    const answers = await observer.together('users', [
      () => manage('POST', userId, 'erase'),
      () => manage('POST', userId, 'erase'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(outcomesOf(answers[0]!.body)).toEqual(outcomesOf(answers[1]!.body));
    const entries = `select from audit_log where app_id = $1 and target_id = $2 and action = 'user.erased'`;
    expect(await observer.rows(entries, [app.id, userId])).toHaveLength(1);
    expect((await manage('GET', userId, 'erase')).body).toEqual((await manage('POST', userId, 'erase')).body);
  });

  it('reaches a user who was deleted before', async () => {
    const { userId } = await person();
    await service.ok('DELETE', `/v1/auth/users/${userId}/delete`, { key: app.secretKey });
    expect((await manage('GET', userId, 'erase')).status).toBe(404);
    expect((await manage('POST', userId, 'erase')).body).toMatchObject({ status: 'done' });
    expect(await observer.rows('select from sessions where app_id = $1 and user_id = $2', [app.id, userId])).toEqual(
      [],
    );
  });

  it('is refused while a payment of the user is under way, as a deletion is', async () => {
    const { userId, name } = await person();
    const { data } = await exported(userId);
    const source = data.wallets[0];
    await observer.rows(
      `insert into transfers (app_id, id, user_id, status, stage, source, source_address, dest, chain, network, currency, symbol, decimals,
                              amount, fee_cap, notes, expires_at)
       values ($1, $2, $3, 'pending', 'signed', $4, $5, 'x', 'ethereum', '1', 'ethereum', 'ETH', 18, 1, 1, $6, now() + interval '1 day')`,
      [app.id, `transfer_${unique()}`, userId, source.id, source.public_address, `notes of ${name}`],
    );
    expect((await manage('POST', userId, 'erase')).body).toMatchObject({ status_code: 409, error_type: 'user_in_use' });
    expect((await exported(userId)).data.user).toMatchObject([{ first_name: `First${name}` }]);
    expect((await manage('GET', userId, 'erase')).status).toBe(404);
    await observer.rows(`update transfers set status = 'failed', stage = null where app_id = $1 and user_id = $2`, [
      app.id,
      userId,
    ]);
    expect((await manage('POST', userId, 'erase')).body).toMatchObject({ status: 'done' });
    expect((await exported(userId)).data.transfers).toMatchObject([{ notes: '', amount: '1' }]);
  });

  it('goes on where it was, wherever it stops', async () => {
    const store = service.nest.get(PersonalDataStore, { strict: false });
    const erasing = service.nest.get(ErasePerson, { strict: false });
    const whole = await person();
    const expected = outcomesOf((await manage('POST', whole.userId, 'erase')).body);
    const steps = PersonalData.rows.filter(({ isUnlinked }) => !isUnlinked).length;
    const { userId, said } = await person();
    const names = await store.person(app.id as AppId, userId as UserId, 'all');
    const original = store.erase.bind(store);
    const lost = new Set<string>();
    const spy = jest.spyOn(store, 'erase').mockImplementation(async (...call) => {
      const done = await original(...call);
      const [of, { name }] = call;
      // After the statement, before the COMMIT: once for each kind of rows.
      if (of.userId !== userId || lost.has(name)) return done;
      lost.add(name);
      throw new Error('The process ends here.');
    });
    try {
      void manage('POST', userId, 'erase');
      await eventually(async () => expect((await manage('GET', userId, 'erase')).status).toBe(200));
      for (let ended = false; !ended;)
        ended = await erasing.erase(names).then(
          () => true,
          () => false,
        );
      expect(lost.size).toBe(steps);
    } finally {
      spy.mockRestore();
    }
    const { body } = await manage('POST', userId, 'erase');
    expect(body).toMatchObject({ status: 'done' });
    expect(outcomesOf(body)).toEqual(expected);
    expect(await tablesWith(said)).toEqual([]);
  });

  it('begins each kind of rows at its first one, also where a replica of another release was at other rows', async () => {
    const store = service.nest.get(PersonalDataStore, { strict: false });
    const { userId } = await person();
    const names = await store.person(app.id as AppId, userId as UserId, 'all');
    const spy = jest.spyOn(store, 'erase').mockRejectedValue(new Error('Not yet.'));
    try {
      void manage('POST', userId, 'erase');
      await eventually(async () => expect((await manage('GET', userId, 'erase')).status).toBe(200));
    } finally {
      spy.mockRestore();
    }
    const done = PersonalData.rows.map(({ name }) => name).filter((name) => name !== 'sessions');
    await observer.rows(`update erasures set done = $2, cursor = '{zzzz,zzzz}' where user_id = $1`, [userId, done]);
    await service.nest.get(ErasePerson, { strict: false }).erase(names);
    const { body } = await manage('GET', userId, 'erase');
    expect(body.status).toBe('done');
    expect(body.lines.find(({ name }: { name: string }) => name === 'sessions')).toMatchObject({ rows: 1 });
  });

  it('goes on by a repeated call where a replica of an earlier release ended it, which knew fewer tables', async () => {
    const { userId } = await person();
    await manage('POST', userId, 'erase');
    const ended = (await manage('POST', userId, 'erase')).body;
    await observer.rows(
      `update erasures set done = array_remove(done, 'sessions') where user_id = $1 returning user_id`,
      [userId],
    );
    const columns = 'app_id, id, user_id, token_hash, expires_at, revoked_at, factors, user_agent, ip';
    await observer.rows(
      `insert into sessions (${columns}) values ($1, $2, $3, sha256($2::text::bytea), now(), now(), '{}', '', '') returning id`,
      [app.id, `sess_${unique()}`, userId],
    );
    const { body } = await manage('POST', userId, 'erase');
    expect(body).toMatchObject({ status: 'done' });
    const sessionsOf = ({ lines }: { lines: { name: string; rows: number }[] }) =>
      lines.find(({ name }) => name === 'sessions')!.rows;
    expect(sessionsOf(body)).toBe(sessionsOf(ended) + 1);
    expect(await observer.rows('select from sessions where app_id = $1 and user_id = $2', [app.id, userId])).toEqual(
      [],
    );
  });
});
