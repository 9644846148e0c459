import { createHash } from 'node:crypto';
import pg from 'pg';
import { newId } from '../../../src/kernel/ids.js';
import { PostgresRetention } from '../../../src/postgres/retention.js';
import { recipientKey } from '../../../src/services/limits/client-network.js';
import type { Answer, TestApp } from '../../support/app.js';
import { type GivenApp, unique } from '../../support/given.js';
import { startIdentityProvider } from '../../support/identity-provider.js';
import type { Observer } from '../../support/observer.js';
import { eventually } from '../../support/eventually.js';
import { textsOf } from '../../support/statements.js';
import { codeIn, type Inbox, tokenIn } from '../../support/inbox.js';
import { address, describeProofs, expectRefused, MailingApps, phone, tally } from '../mailed-proofs.js';
import { signRows } from '../../support/row-macs.js';

let apps: MailingApps;
let app: TestApp;
let inbox: Inbox;
let observer: Observer;
let shop: GivenApp;
let other: GivenApp;

beforeAll(async () => {
  // A high limit, so that a test may send many codes to one address.
  apps = await MailingApps.start({ limits: { recipient_sends_per_ten_minutes: 200 } });
  ({ app, inbox, observer, shop, other } = apps);
});
afterAll(() => apps?.stop());

type Channel = 'sms' | 'email';
const recipientOf = (channel: Channel) => (channel === 'sms' ? phone() : address());
const post: MailingApps['post'] = (path, body, options) => apps.post(path, body, options);
const manage = (userId: string, what: 'deactivate' | 'reactivate') =>
  app.call('POST', `/management/v1/apps/${shop.id}/users/${userId}/${what}`, { key: app.managementKey });

const ask = (
  how: 'login_or_create' | 'send',
  recipient: string,
  fields: Record<string, unknown> = {},
  options: { key?: string; by?: TestApp } = {},
) => {
  const [channel, field] = recipient.startsWith('+') ? ['sms', 'phone_number'] : ['email', 'email'];
  return post(`otps/${channel}/${how}`, { [field]: recipient, ...fields }, options);
};
const logIn = (recipient: string, fields = {}, options = {}) => ask('login_or_create', recipient, fields, options);
const send = (recipient: string, fields = {}, options = {}) => ask('send', recipient, fields, options);

interface Sent {
  readonly recipient: string;
  readonly user_id: string;
  readonly method_id: string;
  readonly otp: string;
}
/** Requests a passcode and reads it from the inbox. */
async function sent(recipient: string, fields: Record<string, unknown> = {}, key = shop.secretKey): Promise<Sent> {
  const { answer, message } = await inbox.after(recipient, () =>
    logIn(recipient, { expires_in: 10, ...fields }, { key }),
  );
  expect(answer.status).toBe(200);
  const { user_id, email_id, phone_number_id } = answer.body;
  return { recipient, user_id, method_id: email_id ?? phone_number_id, otp: codeIn(message) };
}

const verify = (
  { method_id, otp }: Pick<Sent, 'method_id' | 'otp'>,
  fields: Record<string, unknown> = {},
  options: { key?: string; by?: TestApp } = {},
) => post('otps/verify', { method_id, otp, ...fields }, options);
const wrong = ({ otp, ...rest }: Sent): Sent => ({
  ...rest,
  otp: String((Number(otp) + 1) % 1_000_000).padStart(6, '0'),
});

const getUser = (userId: string) => apps.user(userId);
const attach = (userId: string, body: object) => apps.attach(userId, body);
const sessionOf = (session_token: string) => apps.sessionOf(session_token);
const signedIn = (userId: string) => apps.signedIn(userId);
const together = <T>(count: number, call: (by: TestApp, n: number) => Promise<T>) => apps.together('otps', count, call);

const triesOf = async ({ method_id }: Sent) =>
  (await observer.rows<{ tries: number }>(`select tries from otps where method_id = $1`, [method_id]))[0]?.tries;
const keyOf = (recipient: string): string =>
  recipientKey({ kind: recipient.startsWith('+') ? 'phone_number' : 'email', canonical: recipient });
/** The wrong tries at an address that is not verified. */
const wrongTriesOf = async ({ recipient }: Sent) =>
  (
    await observer.rows<{ tries: number }>(`select cardinality(tries) as tries from wrong_tries where user_id = $1`, [
      keyOf(recipient),
    ])
  )[0]?.tries ?? 0;

describe.each<[Channel, string]>([
  ['sms', 'phone_number_id'],
  ['email', 'email_id'],
])('a passcode by %s', (channel, id) => {
  it('login_or_create sends a passcode to the holder of the address, or to a new user', async () => {
    const recipient = recipientOf(channel);
    const first = await inbox.after(recipient, () => logIn(recipient));
    expect(first.answer.body).toEqual({
      user_id: expect.stringMatching(/^user_/),
      [id]: expect.stringMatching(/^(pn|email)_/),
      user_created: true,
      status: 'active',
    });
    const second = await inbox.after(recipient, () => logIn(recipient));
    expect(second.answer.body).toEqual({ ...first.answer.body, user_created: false });
    const third = await inbox.after(recipient, () => send(recipient));
    const { user_created: _c, status: _s, ...whom } = second.answer.body;
    expect(third.answer.body).toEqual(whom);
    for (const { answer, message } of [first, second, third]) expect(answer.text).not.toContain(codeIn(message));
  });

  it('send sends a passcode only to an existing user', async () => {
    const recipient = recipientOf(channel);
    expectRefused(await send(recipient), 'user_not_found', 404);
    await logIn(recipient, {}, { key: other.secretKey });
    expectRefused(await send(recipient), 'user_not_found', 404);
    expect(await inbox.untilThereAre(1, recipient)).toHaveLength(1);
  });

  it('requires_verification leaves a new user pending until the passcode is verified', async () => {
    const recipient = recipientOf(channel);
    const passcode = await sent(recipient, { requires_verification: true });
    expect(await getUser(passcode.user_id)).toMatchObject({ status: 'pending', active: false });
    const { answer } = await inbox.after(recipient, () => logIn(recipient));
    expect(answer.body).toMatchObject({ user_created: false, status: 'pending' });
    const { body } = await verify(await sent(recipient));
    expect(body).toEqual({
      user_id: passcode.user_id,
      method_id: passcode.method_id,
      method_type: channel === 'sms' ? 'phone_number' : 'email',
      user_created: false,
      account_prepared: { at: expect.any(Number), fields: [] },
      session: null,
      session_token: '',
      session_jwt: '',
    });
    expect(await getUser(passcode.user_id)).toMatchObject({ status: 'active', active: true });
    expect((await logIn(recipient, { requires_verification: true })).body).toMatchObject({ status: 'active' });
  });

  it('verify starts a requested session with the factor and the device', async () => {
    const recipient = recipientOf(channel);
    const passcode = await sent(recipient);
    const device_fingerprint = { ip: '203.0.113.7', user_agent: 'Browser/1' };
    const { body } = await verify(passcode, { session_expires_in: 30, device_fingerprint });
    const [type, field] = channel === 'sms' ? ['phone_number', 'phone_number'] : ['email', 'email'];
    expect(body.session).toMatchObject({
      user_id: passcode.user_id,
      device_fingerprint,
      factors: [
        {
          type: 'otp',
          delivery_channel: channel,
          method: { method_type: type, method_id: passcode.method_id, [id]: passcode.method_id, [field]: recipient },
        },
      ],
    });
    expect((await sessionOf(body.session_token)).status).toBe(200);
    const user = await getUser(passcode.user_id);
    expect([...user.emails, ...user.phone_numbers]).toMatchObject([{ id: passcode.method_id, verified: true }]);
  });

  it.each(['login_or_create', 'send'] as const)(
    'a passcode lives 1 to 10 minutes, by default 10 by mail and 5 by SMS (%s)',
    async (how) => {
      const recipient = recipientOf(channel);
      const { method_id } = await sent(recipient);
      const minutes = async (fields: object) => {
        expect((await ask(how, recipient, { ...fields })).status).toBe(200);
        const [row] = await observer.rows<{ minutes: number }>(
          `select extract(epoch from expires_at - created_at)::int / 60 as minutes from otps where method_id = $1`,
          [method_id],
        );
        return row!.minutes;
      };
      const standard = channel === 'email' ? 10 : 5;
      expect(await minutes({})).toBe(standard);
      expect(await minutes({ expires_in: null })).toBe(standard);
      expect(await minutes({ expires_in: 1 })).toBe(1);
      expect(await minutes({ expires_in: 10 })).toBe(10);
      expect(await minutes({ expires_in: '2' })).toBe(2);
      for (const expires_in of [0, 11, 1.5, '1m', '']) {
        expectRefused(await ask(how, recipient, { expires_in }), 'invalid_request');
      }
    },
  );

  it('no passcode is sent to a deactivated user', async () => {
    const recipient = recipientOf(channel);
    const passcode = await sent(recipient);
    await verify(passcode);
    await manage(passcode.user_id, 'deactivate');
    expectRefused(await logIn(recipient), 'user_inactive', 403);
    expectRefused(await send(recipient), 'user_inactive', 403);
  });
});

describe('sends', () => {
  /** @see CVE-2026-73420 */
  it('one mailbox gets at most ten passcodes in ten minutes over all spellings and endpoints', async () => {
    const { secretKey: key } = other;
    const email = address();
    const answers: Answer[] = [];
    for (let n = 0; n < 12; n++)
      answers.push(await (n % 3 ? logIn : send)(n % 2 ? ` ${email.toUpperCase()}` : email, {}, { key }));
    // The first call finds no holder, and counts nevertheless.
    expect(tally(answers)).toEqual({ user_not_found: 1, ok: 9, too_many_requests: 2 });
    const refused = answers[11]!;
    expect(refused.headers.get('ratelimit-policy')).toContain('"recipient";q=10;w=600');
    expect(refused.headers.get('ratelimit')).toContain('"recipient";r=0;t=');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await logIn(address(), {}, { key })).status).toBe(200);
  });

  it('sends count for the client network that the app reports', async () => {
    const { secretKey: key } = await app.given.app({ limits: { network_sends_per_ten_minutes: 3 } });
    const from = (ip: string) => logIn(address(), { device_fingerprint: { ip } }, { key });
    const answers = [
      await from('2001:db8:1:2::1'),
      await from('2001:db8:1:2::2'),
      await from('2001:db8:1:2:ffff::3'),
      await from('2001:db8:1:2::4'),
    ];
    expect(tally(answers)).toEqual({ ok: 3, too_many_requests: 1 });
    expect(answers[3]!.headers.get('ratelimit-policy')).toContain('"network"');
    expect((await from('2001:db8:1:3::1')).status).toBe(200);
    expect((await logIn(address(), {}, { key })).status).toBe(200);
  });

  it('sends count for the app over all recipients', async () => {
    const { secretKey: key } = await app.given.app({ limits: { sends_per_hour: 2 } });
    const answers = [
      await logIn(phone(), {}, { key }),
      await logIn(address(), {}, { key }),
      await logIn(phone(), {}, { key }),
    ];
    expect(tally(answers)).toEqual({ ok: 2, too_many_requests: 1 });
    expect(answers[2]!.headers.get('ratelimit-policy')).toContain('"app";q=2;w=3600');
  });

  it('an SMS is sent only to countries that the app allows, and a live app allows none by default', async () => {
    const live = await app.given.app({ mode: 'live', default_wallet_type: 'none' });
    const [german, american] = [phone(), '+14155552671'];
    const key = live.secretKey;
    expectRefused(await logIn(german, {}, { key }), 'sms_country_not_allowed', 403);
    expect(await observer.rows(`select from phone_numbers where app_id = $1`, [live.id])).toEqual([]);
    await app.call('PATCH', `/management/v1/apps/${live.id}`, {
      key: app.managementKey,
      body: { limits: { sms_countries: ['DE'] } },
    });
    expect((await logIn(german, {}, { key })).status).toBe(200);
    expectRefused(await logIn(american, {}, { key }), 'sms_country_not_allowed', 403);
    expect((await logIn(address(), {}, { key })).status).toBe(200);
  });

  it('sends require an address of their kind', async () => {
    for (const [path, body] of [
      ['sms/login_or_create', { phone_number: '15112345678' }],
      ['sms/send', { phone_number: '+49 151 12345678' }],
      ['sms/send', { email: address() }],
      ['email/login_or_create', { email: 'a@example.com,b@example.com' }],
      ['email/send', { email: 'no-domain' }],
      ['email/send', { phone_number: phone() }],
    ] as const) {
      expectRefused(await post(`otps/${path}`, body), 'invalid_request');
    }
    // The second number is too short without its leading 0.
    for (const phone_number of ['+999999999999', '+4301077'])
      for (const path of ['login_or_create', 'send'])
        expectRefused(await post(`otps/sms/${path}`, { phone_number }), 'invalid_phone_number');
  });
});

describeProofs<Sent>({
  name: 'passcode',
  refusal: 'invalid_otp',
  apps: () => apps,
  recipient: phone,
  send: sent,
  verify,
  unknown: (passcode) => ({ ...passcode, method_id: newId('phoneNumber') }),
});

describe('a passcode', () => {
  /** @see CVE-2026-1035 */
  it('exactly one of several concurrent verifications at two replicas succeeds, and the rest are not wrong tries', async () => {
    const passcode = await sent(phone());
    const answers = await together(50, (by) => verify(passcode, { session_expires_in: 5 }, { by }));
    const { ok, invalid_otp = 0, otp_attempts_exceeded = 0 } = tally(answers);
    expect(ok).toBe(1);
    expect(invalid_otp + otp_attempts_exceeded).toBe(49);
    expect(await wrongTriesOf(passcode)).toBe(0);
  });

  it('a newer passcode voids the previous one', async () => {
    const recipient = phone();
    const older = await sent(recipient);
    let newer = await sent(recipient);
    while (newer.otp === older.otp) newer = await sent(recipient);
    expectRefused(await verify(older), 'invalid_otp');
    expect((await verify(newer)).status).toBe(200);
  });

  it('a newer passcode voids the previous one even during its verification', async () => {
    const recipient = phone();
    const older = await sent(recipient);
    const gate = new pg.Client({ connectionString: app.databaseUrl });
    await gate.connect();
    await gate.query(`begin; lock table wrong_tries in access exclusive mode`);
    const answer = verify(older);
    await observer.untilWaiting('wrong_tries', () => 1);
    const newer = await sent(recipient);
    await gate.query('commit');
    await gate.end();
    expectRefused(await answer, 'invalid_otp');
    expect((await verify(newer)).status).toBe(200);
  });

  it('several concurrent sends leave one valid passcode', async () => {
    const recipient = phone();
    const first = await sent(recipient);
    expect(tally(await together(20, (by) => send(recipient, { expires_in: 10 }, { by })))).toEqual({ ok: 20 });
    const codes = [...new Set((await inbox.untilThereAre(21, recipient)).map(codeIn))];
    const answers: Answer[] = [];
    for (const otp of codes) {
      await observer.rows(`update otps set tries = 0 where method_id = $1`, [first.method_id]);
      await observer.rows(`delete from wrong_tries where user_id = $1`, [keyOf(recipient)]);
      answers.push(await verify({ ...first, otp }));
    }
    expect(tally(answers)).toEqual({ ok: 1, invalid_otp: codes.length - 1 });
  });

  it('a passcode is refused after its lifetime by the clock of the database', async () => {
    const passcode = await sent(phone());
    await observer.rows(`update otps set expires_at = now() where method_id = $1`, [passcode.method_id]);
    expectRefused(await verify(passcode), 'invalid_otp');
    await observer.rows(`update otps set expires_at = now() - interval '61 minutes' where method_id = $1`, [
      passcode.method_id,
    ]);
    await app.nest.get(PostgresRetention, { strict: false }).removeAll();
    expect(await triesOf(passcode)).toBeUndefined();
  });

  it("another app's key counts no try", async () => {
    const passcode = await sent(phone());
    const foreign = await verify(passcode, {}, { key: other.secretKey });
    const { instance: _i, request_id: _r, ...problem } = (await verify(wrong(passcode))).body;
    expect(foreign.body).toMatchObject(problem);
    expect(await triesOf(passcode)).toBe(1);
  });

  it('an invalid request or session does not count as a try', async () => {
    const passcode = await sent(phone());
    for (const fields of [
      { otp: '12345' },
      { otp: '1234567' },
      { otp: '12345a' },
      { otp: '12.34.56' },
      { otp: '' },
      { otp: ' - ' },
      { otp: `${passcode.otp}${' '.repeat(1_024)}` },
      { otp: 123456 },
      { method_id: passcode.user_id },
      { method_id: '' },
    ]) {
      expectRefused(await verify(passcode, fields), 'invalid_request');
    }
    const unknown = { session_token: 'unknown' };
    expectRefused(await verify(wrong(passcode), unknown), 'invalid_session', 401);
    expect([await triesOf(passcode), await wrongTriesOf(passcode)]).toEqual([0, 0]);
    expect((await verify(passcode)).status).toBe(200);
  });

  it.each<[string, (digits: string[]) => string]>([
    ['with a blank in the middle', (d) => `${d.slice(0, 3).join('')} ${d.slice(3).join('')}`],
    ['with a hyphen', (d) => `${d.slice(0, 3).join('')}-${d.slice(3).join('')}`],
    ['with a line end', (d) => `${d.join('')}\r\n`],
    ['in lines', (d) => `\n${d.join('\n')}\t`],
    ['with non-breaking and narrow blanks', (d) => `\u00a0${d.join('\u202f')}\u2007`],
    ['with a dash, a minus and a non-breaking hyphen', (d) => `${d[0]}–${d[1]}−${d[2]}\u2011${d.slice(3).join('')}`],
    ['with marks that are not seen', (d) => `\u200e${d.join('\u200b')}\ufeff`],
    ['in full-width digits', (d) => d.map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join('\u3000')],
    ['in Arabic digits', (d) => d.map((digit) => String.fromCodePoint(0x660 + Number(digit))).join('')],
    ['in Persian digits', (d) => d.map((digit) => String.fromCodePoint(0x6f0 + Number(digit))).join('')],
    ['in Devanagari digits', (d) => d.map((digit) => String.fromCodePoint(0x966 + Number(digit))).join('')],
  ])('a passcode that is typed %s counts', async (_, typed) => {
    const passcode = await sent(phone());
    expect((await verify({ ...passcode, otp: typed([...passcode.otp]) })).status).toBe(200);
  });

  it('the database contains the passcode only sealed, and not at all once it is spent', async () => {
    const passcode = await sent(phone());
    const row = async () =>
      (
        await observer.rows<{ sealed_code: Buffer | null; user_id: string; address: string }>(
          `select sealed_code, user_id, address from otps where method_id = $1`,
          [passcode.method_id],
        )
      )[0]!;
    const { sealed_code } = await row();
    expect(sealed_code!.includes(passcode.otp)).toBe(false);
    for (const text of [passcode.otp, `${passcode.method_id}${passcode.otp}`, `${passcode.user_id}${passcode.otp}`]) {
      for (const algorithm of ['md5', 'sha1', 'sha256', 'sha512'])
        expect(sealed_code!.includes(createHash(algorithm).update(text).digest())).toBe(false);
    }
    const events = await observer.rows<{ data: object }>(`select data from stored_events where app_id = $1`, [shop.id]);
    expect(JSON.stringify(events)).not.toContain(`"${passcode.otp}"`);
    await verify(passcode);
    expect((await row()).sealed_code).toBeNull();
  });
});

describe('a refused passcode', () => {
  const failuresOf = (userId: string) =>
    observer.rows<{ data: Record<string, unknown> }>(
      `select data from stored_events where app_id = $1 and type = 'login.failed' and data ->> 'user_id' = $2 order by position, seq`,
      [shop.id, userId],
    );
  /** The only event of the user that has this reason. */
  const reported = (userId: string, reason: string) =>
    eventually(async () => {
      const [failure] = (await failuresOf(userId)).filter(({ data }) => data['reason'] === reason);
      if (!failure) throw new Error(`No failure of the user is ${reason}.`);
      return failure.data;
    });
  const different = async (recipient: string, { otp }: Sent): Promise<Sent> => {
    for (;;) {
      const next = await sent(recipient);
      if (next.otp !== otp) return next;
    }
  };
  const endedAgo = (methodId: string, seconds: number) =>
    observer.rows(
      `update otps set expires_at = now() - make_interval(secs => $2),
              created_at = now() - make_interval(secs => $2) - interval '10 minutes' where method_id = $1`,
      [methodId, seconds],
    );

  it('is an event with its user and the reason, and looks the same to the caller', async () => {
    const recipient = phone();
    const answers: Answer[] = [];
    const refused = async (passcode: Sent) => {
      const answer = await verify(passcode);
      answers.push(answer);
      return answer.headers.get('x-request-id');
    };

    const spent = await sent(recipient);
    const { user_id } = (await verify(spent)).body;
    const spentIn = await refused(spent);
    expect(await reported(user_id, 'spent')).toMatchObject({ request_id: spentIn, class: 'invalid_otp' });

    const replaced = await different(recipient, spent);
    const expired = await different(recipient, replaced);
    const replacedIn = await refused(replaced);
    expect(await reported(user_id, 'replaced')).toMatchObject({ request_id: replacedIn });
    const wrongIn = await refused(wrong(expired));
    expect(await reported(user_id, 'wrong')).toEqual({
      class: 'invalid_otp',
      user_id,
      reason: 'wrong',
      request_id: wrongIn,
    });

    await endedAgo(expired.method_id, 14);
    const expiredIn = await refused(expired);
    const late = await reported(user_id, 'expired');
    expect(late).toMatchObject({ request_id: expiredIn, user_id });
    expect(late['ended_seconds_ago']).toBeGreaterThanOrEqual(14);
    expect(late['ended_seconds_ago']).toBeLessThan(60);

    const { phone_number_id, user_id: silent } = await app.given.user(shop, { phone_number: phone(), email: null });
    const nothingSentIn = await refused({ ...expired, method_id: phone_number_id });
    expect(await reported(silent, 'none_sent')).toEqual({
      class: 'invalid_otp',
      user_id: silent,
      reason: 'none_sent',
      request_id: nothingSentIn,
    });

    const shown = answers.map(({ status, body: { instance: _i, request_id: _r, ...body }, headers }) => ({
      status,
      body,
      headers: [...headers.keys()],
    }));
    expect(new Set(shown.map((each) => JSON.stringify(each))).size).toBe(1);
  });

  it('takes as many statements for each reason', async () => {
    const recipient = phone();
    const first = await sent(recipient);
    const second = await different(recipient, first);
    const { phone_number_id } = await app.given.user(shop, { phone_number: phone(), email: null });
    const statements = async (passcode: Sent) => (await textsOf(() => verify(passcode))).length;
    await statements(wrong(second));
    const ofWrong = await statements(wrong(second));
    expect(await statements(first)).toBe(ofWrong);
    expect(await statements({ ...second, method_id: phone_number_id })).toBe(ofWrong);
    await endedAgo(second.method_id, 1);
    expect(await statements(second)).toBe(ofWrong);
    expect(await statements(first)).toBe(ofWrong);
  });

  it('is refused alike while the codes of its user are locked, and counts no further try', async () => {
    const passcode = await sent(phone());
    const { user_id } = (await verify(passcode)).body;
    await observer.rows(
      `insert into wrong_tries (app_id, user_id, tries, locked_until) values ($1, $2, '{}', now() + interval '15 minutes')
         on conflict (app_id, user_id) do update set locked_until = excluded.locked_until`,
      [shop.id, user_id],
    );
    expectRefused(await verify(passcode), 'too_many_requests', 429);
    expectRefused(await verify(wrong(await sent(passcode.recipient))), 'too_many_requests', 429);
  });

  it('keeps the hashes of the last three codes of an address, and ends them with its row', async () => {
    const recipient = phone();
    let passcode = await sent(recipient);
    for (let n = 0; n < 4; n++) passcode = await different(recipient, passcode);
    const row = async () =>
      (
        await observer.rows<{ hashes: number; whole: string }>(
          `select cardinality(former_hashes) as hashes, to_jsonb(otps)::text as whole from otps where method_id = $1`,
          [passcode.method_id],
        )
      )[0];
    expect(await row()).toMatchObject({ hashes: 2 });
    // An hour after their end they are forgotten.
    await observer.rows(
      `update otps set former_ends = array(select e - interval '61 minutes' from unnest(former_ends) e)
                          where method_id = $1`,
      [passcode.method_id],
    );
    await different(recipient, passcode);
    expect(await row()).toMatchObject({ hashes: 1 });
    await endedAgo(passcode.method_id, 3_700);
    await app.nest.get(PostgresRetention, { strict: false }).removeAll();
    expect(await row()).toBeUndefined();
  });

  it('reveals nothing to another app', async () => {
    const passcode = await sent(phone());
    const stranger = await app.given.app();
    const answer = await verify(passcode, {}, { key: stranger.secretKey });
    expectRefused(answer, 'invalid_otp');
    const [event] = await eventually(async () => {
      const found = await observer.rows<{ data: Record<string, unknown> }>(
        `select data from stored_events where app_id = $1 and type = 'login.failed' and data ->> 'request_id' = $2`,
        [stranger.id, answer.headers.get('x-request-id')],
      );
      expect(found).toHaveLength(1);
      return found;
    });
    expect(event!.data['user_id']).toBeUndefined();
    expect(event!.data['reason']).toBe('none_sent');
  });
});

/** @see CVE-2025-64102 */
describe('wrong tries', () => {
  it('five wrong tries void a passcode, even for the right value, until a new one is sent', async () => {
    const recipient = phone();
    const passcode = await sent(recipient);
    for (let n = 0; n < 5; n++) expectRefused(await verify(wrong(passcode)), 'invalid_otp');
    expectRefused(await verify(passcode), 'otp_attempts_exceeded');
    expect((await verify(await sent(recipient))).status).toBe(200);
  });

  it('at most five of several concurrent wrong tries at two replicas are compared', async () => {
    const passcode = await sent(phone());
    const answers = await together(50, (by) => verify(wrong(passcode), {}, { by }));
    expect(tally(answers)).toEqual({ invalid_otp: 5, otp_attempts_exceeded: 45 });
    expect(await wrongTriesOf(passcode)).toBe(5);
    expectRefused(await verify(passcode), 'otp_attempts_exceeded');
  });

  it('a wrong try stays counted when the call fails later', async () => {
    const passcode = await sent(phone());
    const session_token = await signedIn(passcode.user_id);
    await observer.rows(`update users set deactivated_at = now() where id = $1`, [passcode.user_id]);
    for (let n = 0; n < 4; n++) expectRefused(await verify(passcode, { session_token }), 'user_inactive', 403);
    expect([await triesOf(passcode), await wrongTriesOf(passcode)]).toEqual([4, 4]);
    await observer.rows(`update users set deactivated_at = null where id = $1`, [passcode.user_id]);
    await signRows(app, 'users');
    expect((await verify(passcode)).status).toBe(200);
  });

  it('tries of a void passcode do not lock the user', async () => {
    const recipient = phone();
    const passcode = await sent(recipient);
    for (let n = 0; n < 30; n++) await verify(wrong(passcode));
    expect(await wrongTriesOf(passcode)).toBe(5);
    expect((await verify(await sent(recipient))).status).toBe(200);
  });

  /** @see CVE-2026-110861 */
  it('20 wrong tries over all codes lock the codes of the user for a while, and nothing else', async () => {
    const [recipient, email] = [phone(), address()];
    const first = await verify(await sent(recipient), { session_expires_in: 60 });
    const { user_id, session_token: session } = first.body;
    await attach(user_id, { emails: [{ email }] });
    expect((await verify(await sent(email), { session_token: session })).status).toBe(200);
    for (let code = 0; code < 4; code++) {
      const passcode = await sent(code % 2 ? recipient : email);
      const answers = await together(5, (by) => verify(wrong(passcode), {}, { by }));
      expect(tally(answers)).toEqual({ invalid_otp: 5 });
    }
    const passcode = await sent(recipient);
    const locked = await verify(passcode);
    expectRefused(locked, 'too_many_requests', 429);
    expect(locked.headers.get('ratelimit-policy')).toContain('"wrong-tries";q=20;w=3600');
    const seconds = Number(locked.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(800);
    expect(seconds).toBeLessThanOrEqual(900);
    expectRefused(await verify(await sent(email)), 'too_many_requests', 429);
    await post('totps/create', { user_id });
    expectRefused(await post('totps/verify', { user_id, totp: '000000' }), 'too_many_requests', 429);
    expect((await sessionOf(session)).status).toBe(200);
    expect(await signedIn(user_id)).not.toBe('');

    await observer.rows(`update wrong_tries set locked_until = now() where user_id = $1`, [user_id]);
    expectRefused(await verify(wrong(passcode)), 'invalid_otp');
    expect((await verify(passcode)).status).toBe(200);
  });
});

describe('wrong tries at an address that its holder has not proved', () => {
  it('neither count for the holder nor are refused because the holder is locked', async () => {
    const [own, recipient] = [address(), phone()];
    const { user_id } = (await verify(await sent(own))).body;
    await attach(user_id, { phone_numbers: [{ phone_number: recipient }] });
    for (let code = 0; code < 4; code++) {
      const passcode = await sent(own);
      expect(tally(await together(5, (by) => verify(wrong(passcode), {}, { by })))).toEqual({ invalid_otp: 5 });
    }
    expectRefused(await verify(await sent(own)), 'too_many_requests', 429);
    expect((await verify(await sent(recipient))).status).toBe(200);

    const holder = (await verify(await sent(address()))).body.user_id;
    const other = phone();
    await attach(holder, { phone_numbers: [{ phone_number: other }] });
    for (let code = 0; code < 4; code++) {
      const passcode = await sent(other);
      expect(tally(await together(5, (by) => verify(wrong(passcode), {}, { by })))).toEqual({ invalid_otp: 5 });
    }
    expectRefused(await verify(await sent(other)), 'too_many_requests', 429);
    await post('totps/create', { user_id: holder });
    expectRefused(await post('totps/verify', { user_id: holder, totp: '000000' }), 'invalid_totp');
  });
});

it('a link and a passcode join the session of a provider login as second and third factor', async () => {
  const provider = await startIdentityProvider();
  try {
    for (const kind of ['login', 'registration'] as const)
      await app.given.redirectUrl(shop, kind, 'https://shop.example/in');
    const client = { client_id: unique(), client_secret: 'secret' };
    const { callback_url } = await app.given.connection(shop, { provider: 'acme', issuer: provider.issuer, ...client });
    await provider.register({ ...client, redirect_uris: [callback_url] });
    const email = address();
    const begun = await app.call('GET', '/v1/auth/oauth/acme/begin', { query: { public_token: shop.publicToken } });
    const back = await provider.signIn(begun.body.redirect_url, { sub: unique(), email, email_verified: true });
    const returned = await app.call('GET', back.url.slice(new URL(back.url).origin.length));
    const token = new URL(returned.headers.get('location')!).searchParams.get('token')!;

    const first = (await post('oauth/verify', { token, session_expires_in: 30 })).body;
    const { session_token } = first;
    const mailed = await inbox.after(email, () => post('magic_links/email/login_or_create', { email }));
    const second = (await post('magic_links/verify', { token: tokenIn(mailed.message), session_token })).body;
    const recipient = phone();
    await attach(first.user_id, { phone_numbers: [{ phone_number: recipient }] });
    const passcode = await sent(recipient);
    const third = (await verify(passcode, { session_jwt: second.session_jwt })).body;

    expect([first.user_id, second.user_id, third.user_id]).toEqual(Array(3).fill(passcode.user_id));
    expect([second.session.id, third.session.id]).toEqual([first.session.id, first.session.id]);
    expect([second.session_token, third.session_token]).toEqual([session_token, '']);
    expect(third.session.expires_at).toBe(first.session.expires_at);
    const { factors } = (await sessionOf(session_token)).body.session;
    expect(factors.map(({ delivery_channel }: { delivery_channel: string }) => delivery_channel).sort()).toEqual([
      'acme_oauth',
      'email',
      'sms',
    ]);

    // Verifying a factor again adds no second entry.
    const again = (await verify(await sent(recipient), { session_token, session_expires_in: 60 })).body;
    expect(again.session.factors).toHaveLength(3);
    expect(again.session.expires_at).toBeGreaterThan(first.session.expires_at);
  } finally {
    await provider.stop();
  }
});
