import { generateSync } from 'otplib';
import { newId } from '../../../src/kernel/ids.js';
import { ProveAddress } from '../../../src/modules/identity/index.js';
import { PostgresRetention } from '../../../src/postgres/retention.js';
import { type Answer, startApp, type TestApp } from '../../support/app.js';
import { type GivenApp, unique } from '../../support/given.js';
import { statementsOf } from '../../support/statements.js';
import { Observer, openConnections } from '../../support/observer.js';
import { readQrCode } from './qr-reader.js';
import { signedInAs } from '../../support/sign-in.js';

interface Enrolment {
  readonly user_id: string;
  readonly secret: string;
  readonly totp_id: string;
  readonly recovery_codes: string[];
  readonly qr_base64: string;
}

let service: TestApp;
let replica: TestApp;
let observer: Observer;
let app: GivenApp;
beforeAll(async () => {
  service = await startApp({ env: { DATABASE_POOL_SIZE: '30' } });
  replica = await startApp({ databaseUrl: service.databaseUrl, env: { DATABASE_POOL_SIZE: '30', ROLE: 'api' } });
  observer = await Observer.of(service);
  for (const each of [service, replica]) await openConnections(each, 25);
  app = await service.given.app({ default_wallet_type: 'none' });
});
afterAll(async () => {
  await observer?.close();
  await replica?.stop();
  await service?.stop();
});

const refusal = ({ status, body }: Answer): [number, string] => [status, body.error_type];
const outcomes = (answers: readonly Answer[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const outcome = status === 200 ? '200' : `${status} ${body.error_type}`;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
};

type Fields = Readonly<Record<string, unknown>>;
const post =
  (path: string) =>
  (body: Fields, { at = service, of = app }: { at?: TestApp; of?: GivenApp } = {}): Promise<Answer> =>
    at.call('POST', `/v1/auth/totps/${path}`, { key: of.secretKey, body });
const create = post('create');
const verify = post('verify');
const recover = post('recovery');
const listCodes = post('recovery_codes');
const remove = (totpId: string, of = app) =>
  service.call('DELETE', `/v1/auth/users/totps/${totpId}/delete`, { key: of.secretKey });
const userOf = async (userId: string) =>
  (await service.call('GET', `/v1/auth/users/${userId}`, { key: app.secretKey })).body;

async function pending(fields: Fields = {}): Promise<Enrolment> {
  const { user_id } = await service.given.user(app, fields);
  const { status, body } = await create({ user_id });
  expect(status).toBe(200);
  return body as Enrolment;
}
/** An authenticator whose first code was verified so long ago that every current step is unspent. */
async function active(fields: Fields = {}): Promise<Enrolment> {
  const enrolment = await pending(fields);
  expect((await verify({ user_id: enrolment.user_id, totp: await codeOf(enrolment) })).status).toBe(200);
  await observer.rows(`update totps set last_used_step = last_used_step - 100 where id = $1`, [enrolment.totp_id]);
  return enrolment;
}

/** Verifies the email on the account, as a proof in a session of the user does. */
async function proveEmailOf(userId: string): Promise<void> {
  const [{ email }] = (await userOf(userId)).emails;
  const proof = service.nest.get(ProveAddress, { strict: false });
  await proof.email(app.id as never, email, signedInAs(userId));
}

/** The code that an authenticator app shows `steps` steps from now by the database's clock. */
async function codeOf({ secret }: Enrolment, steps = 0): Promise<string> {
  const [row] = await observer.rows<{ now: number }>(`select extract(epoch from clock_timestamp())::float8 as now`);
  return generateSync({ secret, epoch: Math.floor(row!.now) + 30 * steps });
}
/** A well-formed code that the authenticator does not show in any step near now. */
async function wrongCodeOf(enrolment: Enrolment): Promise<string> {
  const near = new Set<string>();
  for (let steps = -3; steps <= 5; steps++) near.add(await codeOf(enrolment, steps));
  for (let code = 0; ; code++) {
    const text = String(code).padStart(6, '0');
    if (!near.has(text)) return text;
  }
}
/** Carries out `work` within one step: again when a step ended meanwhile, because on a slow machine it may outlast the rest of one. */
async function withinOneStep<T>(work: () => Promise<T>): Promise<T> {
  const stepNow = async () =>
    (await observer.rows(`select floor(extract(epoch from clock_timestamp()) / 30)::int as step`))[0]![
      'step'
    ] as number;
  for (;;) {
    await observer.rows(
      `select pg_sleep(case when left_over < 12 then left_over + 0.1 else 0 end)
         from (select 30 - extract(epoch from clock_timestamp())::numeric % 30 as left_over) as step`,
    );
    const step = await stepNow();
    const result = await work();
    if ((await stepNow()) === step) return result;
  }
}
const times = <T>(count: number, of: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => of(index)));
const resetTries = async (userId: string) => {
  await observer.rows(`update totps set tries = 0 where user_id = $1`, [userId]);
  await observer.rows(`delete from wrong_tries where user_id = $1`, [userId]);
};

describe('create', () => {
  it('create returns the secret, 16 recovery codes and a QR code of exactly that secret', async () => {
    const address = `${unique()}@example.com`;
    const { user_id } = await service.given.user(app, { email: address });
    const answer = await create({ user_id });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-api-stability')).toBe('beta');
    expect(Object.keys(answer.body).sort()).toEqual(['qr_base64', 'recovery_codes', 'secret', 'totp_id', 'user_id']);
    expect(answer.body).toMatchObject({ user_id, secret: expect.stringMatching(/^[A-Z2-7]{32}$/) });
    expect(answer.body.totp_id).toMatch(/^totp_/);
    expect(answer.body.recovery_codes).toHaveLength(16);
    const [, png] = /^data:image\/png;base64,(.+)$/.exec(answer.body.qr_base64)!;
    expect(readQrCode(Buffer.from(png!, 'base64'))).toBe(
      `otpauth://totp/Acme:${encodeURIComponent(address)}?secret=${answer.body.secret}&issuer=Acme&algorithm=SHA1&digits=6&period=30`,
    );
  });

  it('create names the account by phone number when the user has no email', async () => {
    const { qr_base64 } = await pending({ email: undefined, phone_number: '+4915112345670' });
    expect(readQrCode(Buffer.from(qr_base64.split(',')[1]!, 'base64'))).toContain(
      'otpauth://totp/Acme:%2B4915112345670?',
    );
  });

  it.each<[unknown, number]>([
    [undefined, 30],
    [5, 5],
    ['2160', 2160],
  ])('create with expires_in %j leaves %d minutes to verify', async (expires_in, minutes) => {
    const { user_id } = await service.given.user(app);
    const { body } = await create({ user_id, expires_in });
    const [row] = await observer.rows<{ minutes: number }>(
      `select extract(epoch from expires_at - created_at)::int / 60 as minutes from totps where id = $1`,
      [body.totp_id],
    );
    expect(row!.minutes).toBe(minutes);
  });

  it.each([4, 2161, '30m', '', 30.5, '1e2'])('create refuses expires_in %j', async (expires_in) => {
    const { user_id } = await service.given.user(app);
    expect(refusal(await create({ user_id, expires_in }))).toEqual([400, 'invalid_request']);
    expect((await userOf(user_id)).totps).toEqual([]);
  });

  it.each([undefined, '', 'email_00000000000000000000000000', 7])('create refuses user_id %j', async (user_id) => {
    expect(refusal(await create({ user_id }))).toEqual([400, 'invalid_request']);
  });

  it('create replaces a pending enrolment, and its codes and recovery codes become invalid', async () => {
    const first = await pending();
    const { body: second } = await create({ user_id: first.user_id });
    expect(second.secret).not.toBe(first.secret);
    expect(refusal(await verify({ user_id: first.user_id, totp: await codeOf(first) }))).toEqual([400, 'invalid_totp']);
    expect((await userOf(first.user_id)).totps).toMatchObject([{ id: second.totp_id, verified: false }]);
    expect((await verify({ user_id: first.user_id, totp: await codeOf(second) })).body.totp_id).toBe(second.totp_id);
  });

  it('create is refused while an authenticator is active, which stays unchanged', async () => {
    const enrolment = await active();
    expect(refusal(await create({ user_id: enrolment.user_id }))).toEqual([409, 'active_totp_exists']);
    expect((await verify({ user_id: enrolment.user_id, totp: await codeOf(enrolment) })).status).toBe(200);
  });

  it('several concurrent creates leave exactly one enrolment, which works', async () => {
    const { user_id } = await service.given.user(app);
    const answers = await times(20, (index) => create({ user_id }, { at: index % 2 ? replica : service }));
    expect(outcomes(answers)).toEqual({ '200': 20 });
    const { totps } = await userOf(user_id);
    expect(totps).toHaveLength(1);
    const kept = answers.find(({ body }) => body.totp_id === totps[0].id)!.body as Enrolment;
    expect((await verify({ user_id, totp: await codeOf(kept) })).status).toBe(200);
  });

  it('a concurrent create never replaces an authenticator that becomes active', async () => {
    for (let round = 0; round < 3; round++) {
      const first = await pending();
      const totp = await codeOf(first);
      const [verified, ...created] = await Promise.all([
        verify({ user_id: first.user_id, totp }),
        ...Array.from({ length: 10 }, () => create({ user_id: first.user_id })),
      ]);
      const { totps } = await userOf(first.user_id);
      expect(totps).toHaveLength(1);
      const isActivated = verified!.status === 200;
      expect(totps[0]).toMatchObject({ verified: isActivated });
      expect(totps[0].id === first.totp_id).toBe(isActivated);
      expect(created.every(({ status }) => status === 200 || status === 409)).toBe(true);
    }
  });
});

describe('verify', () => {
  it('the first code activates the enrolment with one event, and later codes are accepted', async () => {
    const { user_id, totp_id, first, totps, later } = await withinOneStep(async () => {
      const enrolment = await pending();
      const first = await verify({ user_id: enrolment.user_id, totp: await codeOf(enrolment, -1) });
      const { totps } = await userOf(enrolment.user_id);
      const later = await verify({ user_id: enrolment.user_id, totp: await codeOf(enrolment) });
      return { ...enrolment, first, totps, later };
    });
    const withoutSession = { session: null, session_token: '', session_jwt: '' };
    expect(first.body).toEqual({ totp_id, user_id, user_created: false, account_prepared: null, ...withoutSession });
    expect(totps).toMatchObject([{ id: totp_id, verified: true }]);
    expect(later.status).toBe(200);
    expect(await observer.events(app.id, user_id)).toEqual(['user.created', 'totp.activated', 'factor.added']);
  });

  it('verify accepts only the previous, the current and the next step', async () => {
    const tried = await withinOneStep(async () => {
      const enrolment = await active();
      const statuses: number[] = [];
      for (const steps of [-2, 2, -1, 0, 1])
        statuses.push((await verify({ user_id: enrolment.user_id, totp: await codeOf(enrolment, steps) })).status);
      return statuses;
    });
    expect(tried).toEqual([400, 400, 200, 200, 200]);
  });

  it('verify accepts no step twice, and no step before the last', async () => {
    const tried = await withinOneStep(async () => {
      const enrolment = await active();
      const answers: Answer[] = [];
      for (const steps of [0, 0, -1, 1])
        answers.push(await verify({ user_id: enrolment.user_id, totp: await codeOf(enrolment, steps) }));
      return answers;
    });
    const refused = [400, 'invalid_totp'];
    expect(tried.map(refusal)).toEqual([[200, undefined], refused, refused, [200, undefined]]);
  });

  it('verify refuses malformed codes and does not count them as tries', async () => {
    const enrolment = await active();
    const { user_id } = enrolment;
    const code = await codeOf(enrolment);
    for (const junk of [
      `${code}x`,
      ` ${code.slice(1)}`,
      `+${code.slice(1)}`,
      code.slice(1),
      Number(code),
      [code],
      '',
      null,
    ]) {
      expect(refusal(await verify({ user_id, totp: junk }))).toEqual([400, 'invalid_request']);
    }
    const typed = ` ${code.slice(0, 3)}\u00a0${code.slice(3)}\r\n`;
    expect((await verify({ user_id, totp: typed })).status).toBe(200);
  });

  it('an expired enrolment does not exist for any endpoint', async () => {
    const enrolment = await pending();
    const { user_id, totp_id, recovery_codes } = enrolment;
    await observer.rows(`update totps set expires_at = now() where id = $1`, [totp_id]);
    expect(refusal(await verify({ user_id, totp: await codeOf(enrolment) }))).toEqual([400, 'invalid_totp']);
    expect(refusal(await recover({ user_id, recovery_code: recovery_codes[0] }))).toEqual([
      400,
      'invalid_recovery_code',
    ]);
    expect((await userOf(user_id)).totps).toEqual([]);
    expect((await listCodes({ user_id })).body).toEqual({ user_id, totps: [] });
    expect(refusal(await remove(totp_id))).toEqual([404, 'totp_not_found']);
    expect((await create({ user_id })).status).toBe(200);
  });

  it('verify uses the clock of the database, not of the replica', async () => {
    const untouched = [
      'nextTick',
      'setImmediate',
      'clearImmediate',
      'setTimeout',
      'clearTimeout',
      'setInterval',
    ] as const;
    const tried = await withinOneStep(async () => {
      const enrolment = await active();
      const codes = [await codeOf(enrolment, 4), await codeOf(enrolment)];
      jest.useFakeTimers({
        now: Date.now() + 120_000,
        doNotFake: [...untouched, 'clearInterval', 'queueMicrotask', 'performance', 'hrtime'],
      });
      try {
        const answers: Answer[] = [];
        for (const totp of codes) answers.push(await verify({ user_id: enrolment.user_id, totp }));
        return answers;
      } finally {
        jest.useRealTimers();
      }
    });
    expect(tried.map(refusal)).toEqual([
      [400, 'invalid_totp'],
      [200, undefined],
    ]);
  });

  it('verify refuses an unknown user, a user without an authenticator, and a deactivated user', async () => {
    expect(refusal(await verify({ user_id: newId('user'), totp: '123456' }))).toEqual([404, 'user_not_found']);
    const { user_id: bare } = await service.given.user(app);
    expect(refusal(await verify({ user_id: bare, totp: '123456' }))).toEqual([400, 'invalid_totp']);
    const enrolment = await active();
    const { user_id, recovery_codes } = enrolment;
    await service.call('POST', `/management/v1/apps/${app.id}/users/${user_id}/deactivate`, {
      key: service.managementKey,
    });
    expect(refusal(await verify({ user_id, totp: await codeOf(enrolment) }))).toEqual([403, 'user_inactive']);
    expect(refusal(await recover({ user_id, recovery_code: recovery_codes[0] }))).toEqual([403, 'user_inactive']);
    expect(refusal(await create({ user_id }))).toEqual([403, 'user_inactive']);
    await service.call('POST', `/management/v1/apps/${app.id}/users/${user_id}/reactivate`, {
      key: service.managementKey,
    });
    expect((await verify({ user_id, totp: await codeOf(enrolment) })).status).toBe(200);
  });
});

describe('sessions', () => {
  const factor = ({ totp_id }: Enrolment, delivery_channel: string) => ({
    type: 'totp',
    delivery_channel,
    method: { method_id: totp_id, method_type: 'totp', totp_id, last_verified_at: expect.any(Number) },
  });

  it('a code begins a session, and a recovery code joins it as second factor', async () => {
    const enrolment = await active();
    const { user_id, recovery_codes } = enrolment;
    const first = await verify({ user_id, totp: await codeOf(enrolment), session_expires_in: 60 });
    expect(first.body.session.factors).toEqual([factor(enrolment, 'totp_authenticator')]);
    const { session_token } = first.body;
    const second = await recover({ user_id, recovery_code: recovery_codes[3], session_token });
    expect(second.body).toMatchObject({ user_id, totp_id: enrolment.totp_id, session_token });
    expect(second.body.session.id).toBe(first.body.session.id);
    expect(second.body.session.factors).toEqual([
      factor(enrolment, 'totp_authenticator'),
      factor(enrolment, 'totp_recovery_code'),
    ]);
    const published = ['user.created', 'totp.activated', 'factor.added', 'session.created', 'factor.added'];
    expect(await observer.events(app.id, user_id)).toEqual(published);
  });

  it('an unknown session or a session of another user is refused before anything is spent or counted', async () => {
    const other = await active();
    const theirs = await verify({ user_id: other.user_id, totp: await codeOf(other), session_expires_in: 60 });
    const enrolment = await active();
    const { user_id, recovery_codes } = enrolment;
    const totp = await codeOf(enrolment);
    const attempts: Fields[] = [
      { session_token: 'x'.repeat(48) },
      { session_token: theirs.body.session_token },
      { session_jwt: theirs.body.session_jwt },
    ];
    for (let round = 0; round < 3; round++) {
      for (const session of attempts) {
        expect(refusal(await verify({ user_id, totp, ...session }))).toEqual([401, 'invalid_session']);
        expect(refusal(await recover({ user_id, recovery_code: recovery_codes[0], ...session }))).toEqual([
          401,
          'invalid_session',
        ]);
      }
      expect(refusal(await verify({ user_id, totp, session_expires_in: 4 }))).toEqual([400, 'invalid_request']);
    }
    expect((await recover({ user_id, recovery_code: recovery_codes[0] })).status).toBe(200);
    expect((await verify({ user_id, totp })).status).toBe(200);
  });
});

describe('recovery codes', () => {
  it('each recovery code works once, in both fields and in every accepted spelling', async () => {
    const { user_id, totp_id, recovery_codes } = await active();
    expect((await listCodes({ user_id })).body).toEqual({
      user_id,
      totps: [{ id: totp_id, verified: true, recovery_codes }],
    });
    const [first, second, third, ...unused] = recovery_codes as [string, string, string];
    expect((await recover({ user_id, recovery_code: first })).body).toMatchObject({ user_id, totp_id });
    expect((await recover({ user_id, totp: second })).status).toBe(200);
    expect((await recover({ user_id, recovery_code: ` ${third.toUpperCase().replace('-', '\u00a0')}\n` })).status).toBe(
      200,
    );
    for (const used of [first, second, third])
      expect(refusal(await recover({ user_id, recovery_code: used }))).toEqual([400, 'invalid_recovery_code']);
    expect((await listCodes({ user_id })).body.totps[0].recovery_codes).toEqual(unused);
  });

  it('recovery codes of a pending enrolment are listed but do not work', async () => {
    const { user_id, totp_id, recovery_codes } = await pending();
    expect(refusal(await recover({ user_id, recovery_code: recovery_codes[0] }))).toEqual([
      400,
      'invalid_recovery_code',
    ]);
    expect((await listCodes({ user_id })).body.totps).toEqual([{ id: totp_id, verified: false, recovery_codes }]);
  });

  it('recovery codes of another authenticator, and codes of the authenticator, are refused', async () => {
    const one = await active();
    const other = await active();
    const strange = await recover({ user_id: one.user_id, recovery_code: other.recovery_codes[0] });
    expect(refusal(strange)).toEqual([400, 'invalid_recovery_code']);
    const { user_id } = one;
    expect(refusal(await recover({ user_id, totp: await codeOf(one) }))).toEqual([400, 'invalid_request']);
    expect(refusal(await verify({ user_id, totp: one.recovery_codes[0] }))).toEqual([400, 'invalid_request']);
    expect((await recover({ user_id: other.user_id, recovery_code: other.recovery_codes[0] })).status).toBe(200);
  });

  it.each([{}, { recovery_code: '' }, { recovery_code: 'aaaaa' }, { totp: 12345 }])(
    'recovery refuses the fields %j',
    async (fields) => {
      const { user_id } = await service.given.user(app);
      expect(refusal(await recover({ user_id, ...fields }))).toEqual([400, 'invalid_request']);
    },
  );

  it('recovery codes of an unknown user answer 404', async () => {
    expect(refusal(await listCodes({ user_id: newId('user') }))).toEqual([404, 'user_not_found']);
    const { user_id } = await service.given.user(app);
    expect((await listCodes({ user_id })).body).toEqual({ user_id, totps: [] });
  });
});

// At two replicas on one database.
describe('fifty concurrent calls', () => {
  const either = (index: number) => ({ at: index % 2 ? replica : service });

  it.each(['pending', 'active'] as const)(
    'exactly one of fifty calls with the same code of a %s enrolment succeeds',
    async (state) => {
      const enrolment = state === 'pending' ? await pending() : await active();
      const totp = await codeOf(enrolment);
      const { user_id } = enrolment;
      const { '200': successes, ...refusals } = outcomes(
        await times(50, (index) => verify({ user_id, totp, session_expires_in: 60 }, either(index))),
      );
      expect(successes).toBe(1);
      expect(Object.keys(refusals).every((name) => /^(400 invalid_totp|429 too_many_requests)$/.test(name))).toBe(true);
      const [row] = await observer.rows<{ count: string }>(`select count(*) from sessions where user_id = $1`, [
        user_id,
      ]);
      expect(row!.count).toBe('1');
    },
  );

  it('exactly one of fifty calls with the same recovery code succeeds', async () => {
    const { user_id, recovery_codes } = await active();
    const { '200': successes } = outcomes(
      await times(50, (index) => recover({ user_id, recovery_code: recovery_codes[0] }, either(index))),
    );
    expect(successes).toBe(1);
    expect((await listCodes({ user_id })).body.totps[0].recovery_codes).toEqual(recovery_codes.slice(1));
  });

  it('exactly one of fifty calls with the same step succeeds, even without the limit of tries', async () => {
    const enrolment = await active();
    const { user_id, recovery_codes } = enrolment;
    const totp = await codeOf(enrolment);
    // Four at a time stay below the limit, so each of them is compared.
    for (const spend of [
      (index: number) => verify({ user_id, totp }, either(index)),
      (index: number) => recover({ user_id, recovery_code: recovery_codes[1] }, either(index)),
    ]) {
      await resetTries(user_id);
      const { '200': successes, ...refusals } = outcomes(await times(4, spend));
      expect([successes, ...Object.values(refusals)]).toEqual([1, 3]);
    }
  });

  it.each(['codes', 'recovery codes'])('at most five of fifty calls with wrong %s are compared', async (kind) => {
    const enrolment = await active();
    const { user_id } = enrolment;
    const wrong = await wrongCodeOf(enrolment);
    const answers = await times(50, (index) =>
      kind === 'codes'
        ? verify({ user_id, totp: wrong }, either(index))
        : recover({ user_id, recovery_code: 'aaaaa-aaaaa' }, either(index)),
    );
    expect(outcomes(answers)).toEqual({
      [kind === 'codes' ? '400 invalid_totp' : '400 invalid_recovery_code']: 5,
      '429 too_many_requests': 45,
    });
  });
});

describe('wrong tries', () => {
  it('five consecutive wrong tries block even the right code for 90 seconds, and then the count restarts', async () => {
    const enrolment = await active();
    const { user_id, recovery_codes, totp_id } = enrolment;
    const totp = await wrongCodeOf(enrolment);
    for (let i = 0; i < 5; i++) expect((await verify({ user_id, totp })).status).toBe(400);
    const refused = await verify({ user_id, totp: await codeOf(enrolment) });
    expect(refusal(refused)).toEqual([429, 'too_many_requests']);
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(60);
    expect(retryAfter).toBeLessThanOrEqual(90);
    expect(refused.headers.get('ratelimit-policy')).toContain('"totp-tries";q=5;w=90');
    expect((await recover({ user_id, recovery_code: recovery_codes[0] })).status).toBe(429);
    // Refused tries do not extend the pause.
    await observer.rows(
      `update totps set last_tried_at = ((last_tried_at at time zone 'UTC') - interval '91 seconds') at time zone 'UTC' where id = $1`,
      [totp_id],
    );
    expect((await verify({ user_id, totp: await codeOf(enrolment) })).status).toBe(200);
  });

  it('a right code resets the consecutive wrong tries', async () => {
    const enrolment = await active();
    const { user_id, recovery_codes } = enrolment;
    const totp = await wrongCodeOf(enrolment);
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 4; i++) expect((await verify({ user_id, totp })).status).toBe(400);
      expect((await recover({ user_id, recovery_code: recovery_codes[round] })).status).toBe(200);
    }
  });

  it('20 wrong tries within an hour lock all codes of the user, and right codes do not count', async () => {
    const enrolment = await active();
    const { user_id, recovery_codes } = enrolment;
    const totp = await wrongCodeOf(enrolment);
    for (let i = 0; i < 19; i++) {
      if (i % 4 === 0) expect((await recover({ user_id, recovery_code: recovery_codes[i / 4] })).status).toBe(200);
      expect((await verify({ user_id, totp })).status).toBe(400);
    }
    expect((await recover({ user_id, recovery_code: recovery_codes[10] })).status).toBe(200);
    expect((await verify({ user_id, totp })).status).toBe(400);
    const locked = await recover({ user_id, recovery_code: recovery_codes[11] });
    expect(refusal(locked)).toEqual([429, 'too_many_requests']);
    expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(14 * 60);
    await resetTries(user_id);
    expect((await recover({ user_id, recovery_code: recovery_codes[11] })).status).toBe(200);
  });
});

describe('an authenticator', () => {
  it('a deleted authenticator is gone with its codes, and another can be enrolled', async () => {
    const enrolment = await active();
    const { user_id, totp_id, recovery_codes } = enrolment;
    // An unverified email is no sign-in method: a stranger may prove it.
    expect(refusal(await remove(totp_id))).toEqual([409, 'last_way_to_sign_in']);
    await proveEmailOf(user_id);
    expect((await remove(totp_id)).body).toMatchObject({ user_id });
    expect(refusal(await remove(totp_id))).toEqual([404, 'totp_not_found']);
    expect(refusal(await verify({ user_id, totp: await codeOf(enrolment) }))).toEqual([400, 'invalid_totp']);
    expect(refusal(await recover({ user_id, recovery_code: recovery_codes[0] }))).toEqual([
      400,
      'invalid_recovery_code',
    ]);
    expect((await userOf(user_id)).totps).toEqual([]);
    expect((await create({ user_id })).status).toBe(200);
    const published = [
      'user.created',
      'totp.activated',
      'factor.added',
      'user.updated',
      'totp.deleted',
      'factor.removed',
      'user.updated',
    ];
    const stored = await observer.events(app.id, user_id);
    expect(stored.filter((type) => type !== 'login.failed')).toEqual(published);
  });

  it('an active authenticator is a sign-in method, and the last sign-in method cannot be deleted', async () => {
    const { user_id, email_id } = await service.given.user(app);
    const removeEmail = () =>
      service.call('DELETE', `/v1/auth/users/emails/${email_id}/delete`, { key: app.secretKey });
    const { body: enrolment } = await create({ user_id });
    expect(refusal(await removeEmail())).toEqual([409, 'last_way_to_sign_in']);
    expect((await verify({ user_id, totp: await codeOf(enrolment) })).status).toBe(200);
    expect((await removeEmail()).status).toBe(200);
    expect(refusal(await remove(enrolment.totp_id))).toEqual([409, 'last_way_to_sign_in']);
    expect((await userOf(user_id)).totps).toHaveLength(1);
  });

  it('a pending enrolment can be deleted even when the user has no sign-in method', async () => {
    const { user_id, totp_id } = await pending();
    await observer.rows(`delete from emails where user_id = $1`, [user_id]);
    expect((await remove(totp_id)).status).toBe(200);
    expect((await userOf(user_id)).totps).toEqual([]);
  });

  it('concurrent deletions of the authenticator and the email leave one of them', async () => {
    for (let round = 0; round < 5; round++) {
      const { user_id, totp_id } = await active();
      await proveEmailOf(user_id);
      const [{ id: emailId }] = (await userOf(user_id)).emails;
      const answers = await Promise.all([
        remove(totp_id),
        service.call('DELETE', `/v1/auth/users/emails/${emailId}/delete`, { key: app.secretKey }),
      ]);
      expect(outcomes(answers)).toEqual({ '200': 1, '409 last_way_to_sign_in': 1 });
    }
  });

  it('an account with an active authenticator is kept when another person proves its unverified email', async () => {
    const address = `${unique()}@example.com`;
    const enrolment = await active({ email: address });
    const proven = await service.nest.get(ProveAddress, { strict: false }).email(app.id as never, address);
    expect(proven.userId).not.toBe(enrolment.user_id);
    expect((await userOf(enrolment.user_id)).emails).toEqual([]);
    expect((await verify({ user_id: enrolment.user_id, totp: await codeOf(enrolment) })).status).toBe(200);
  });

  /** @see CVE-2026-53516 */
  it('a pending enrolment of a pre-registered account is deleted once the owner of the email proves it', async () => {
    const address = `${unique()}@example.com`;
    const enrolment = await pending({ email: address });
    const proven = await service.nest.get(ProveAddress, { strict: false }).email(app.id as never, address);
    expect(proven.userId).toBe(enrolment.user_id);
    expect(refusal(await verify({ user_id: enrolment.user_id, totp: await codeOf(enrolment) }))).toEqual([
      400,
      'invalid_totp',
    ]);
  });

  it('an enrolment never becomes active on an account that passes to another person concurrently', async () => {
    for (let round = 0; round < 8; round++) {
      const address = `${unique()}@example.com`;
      const enrolment = await pending({ email: address });
      const totp = await codeOf(enrolment);
      const [verified, proven] = await Promise.all([
        verify({ user_id: enrolment.user_id, totp }),
        service.nest.get(ProveAddress, { strict: false }).email(app.id as never, address),
      ]);
      expect([200, 400]).toContain(verified.status);
      const passed = proven.userId === enrolment.user_id;
      expect(passed).toBe(verified.status === 400);
      expect((await userOf(enrolment.user_id)).totps).toHaveLength(passed ? 0 : 1);
    }
  });

  it('a verification during the deletion of its user makes neither call fail', async () => {
    for (let round = 0; round < 5; round++) {
      const enrolment = await active();
      const { user_id, recovery_codes } = enrolment;
      const totp = await codeOf(enrolment);
      const [deleted, ...answers] = await Promise.all([
        service.call('DELETE', `/v1/auth/users/${user_id}/delete`, { key: app.secretKey }),
        verify({ user_id, totp, session_expires_in: 60 }),
        ...recovery_codes.slice(0, 3).map((recovery_code) => recover({ user_id, recovery_code })),
      ]);
      expect(deleted.status).toBe(200);
      expect(answers.map(({ status }) => status).filter((status) => ![200, 400, 404].includes(status))).toEqual([]);
    }
  });

  it('an authenticator is deleted with its user', async () => {
    const { user_id, totp_id } = await active();
    await service.call('DELETE', `/v1/auth/users/${user_id}/delete`, { key: app.secretKey });
    expect(await observer.rows(`select from totps where id = $1`, [totp_id])).toEqual([]);
    expect(refusal(await create({ user_id }))).toEqual([404, 'user_not_found']);
  });

  it('a user search finds users by authenticator', async () => {
    const one = await active();
    const other = await pending();
    const search = async (field: string, value: unknown) => {
      const body = { limit: 100, filters: { fields: [{ field, operator: 'eq', value }] } };
      const { body: page } = await service.call('POST', '/v1/auth/users/search', { key: app.secretKey, body });
      return page.users.map(({ user_id }: { user_id: string }) => user_id) as string[];
    };
    expect(await search('totp_id', one.totp_id)).toEqual([one.user_id]);
    const [verified, unverified] = [await search('totp_verified', true), await search('totp_verified', false)];
    expect([verified.includes(one.user_id), verified.includes(other.user_id)]).toEqual([true, false]);
    expect([unverified.includes(one.user_id), unverified.includes(other.user_id)]).toEqual([false, true]);
    await observer.rows(`update totps set expires_at = now() where id = $1`, [other.totp_id]);
    expect(await search('totp_id', other.totp_id)).toEqual([]);
  });
});

it('an authenticator is unknown to another app, and stays valid for its own', async () => {
  const of = await service.given.app({ default_wallet_type: 'none' });
  const enrolment = await active();
  const { user_id, totp_id, recovery_codes } = enrolment;
  const totp = await codeOf(enrolment);
  expect(refusal(await create({ user_id }, { of }))).toEqual([404, 'user_not_found']);
  expect(refusal(await verify({ user_id, totp }, { of }))).toEqual([404, 'user_not_found']);
  expect(refusal(await recover({ user_id, recovery_code: recovery_codes[0] }, { of }))).toEqual([
    404,
    'user_not_found',
  ]);
  expect(refusal(await listCodes({ user_id }, { of }))).toEqual([404, 'user_not_found']);
  expect(refusal(await remove(totp_id, of))).toEqual([404, 'totp_not_found']);
  expect((await verify({ user_id, totp })).status).toBe(200);
  expect((await recover({ user_id, recovery_code: recovery_codes[0] })).status).toBe(200);
});

it('create returns the same enrolment for the same idempotency key', async () => {
  const { user_id } = await service.given.user(app);
  const headers = { 'Idempotency-Key': unique() };
  const call = () => service.call('POST', '/v1/auth/totps/create', { key: app.secretKey, body: { user_id }, headers });
  const [first, second] = [await call(), await call()];
  expect(second.body).toEqual(first.body);
  expect((await listCodes({ user_id })).body.totps[0].recovery_codes).toEqual(first.body.recovery_codes);
});

it('the retention job deletes only ended enrolments', async () => {
  const [ended, waiting, verified] = [await pending(), await pending(), await active()];
  const ids = [ended, waiting, verified].map(({ totp_id }) => totp_id);
  await observer.rows(`update totps set expires_at = now() where id = any($1)`, [[ids[0], ids[2]]]);
  await service.nest.get(PostgresRetention, { strict: false }).removeAll();
  const left = await observer.rows<{ id: string }>(`select id from totps where id = any($1) order by id`, [ids]);
  expect(left.map(({ id }) => id)).toEqual(ids.slice(1).sort());
});

it('no table contains a secret or a code in plaintext', async () => {
  const enrolment = await active();
  const { user_id, secret, recovery_codes } = enrolment;
  await verify({ user_id, totp: await codeOf(enrolment), session_expires_in: 60 });
  await recover({ user_id, recovery_code: recovery_codes[0], session_expires_in: 60 });
  await verify({ user_id, totp: await wrongCodeOf(enrolment) });
  const bits = [...secret]
    .map((c) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0'))
    .join('');
  const bytes = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
  const canaries = [secret, ...recovery_codes, ...recovery_codes.map((code) => code.replace('-', ''))].flatMap(
    (text) => [text, Buffer.from(text).toString('hex'), Buffer.from(text).toString('base64')],
  );
  canaries.push(bytes.toString('hex'), bytes.toString('base64'));
  const tables = await observer.rows<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public'`,
  );
  let dump = '';
  for (const { name } of tables) {
    const [row] = await observer.rows<{ dump: string | null }>(
      `select string_agg(t::text, ' ') as dump from ${name} t`,
    );
    dump += row!.dump ?? '';
  }
  expect(dump).toContain(enrolment.totp_id);
  expect(canaries.filter((canary) => dump.toLowerCase().includes(canary.toLowerCase()))).toEqual([]);
});

describe('statements', () => {
  const ours = async (work: () => Promise<unknown>) =>
    (await statementsOf(work))
      .map(({ text }) => text.trim().replace(/\s+/g, ' '))
      .filter((text) => !/\bidempotency_keys\b|pg_try_advisory/.test(text));

  it('listing recovery codes takes one read and one write', async () => {
    const { user_id } = await active();
    expect(await ours(() => listCodes({ user_id }))).toHaveLength(2);
  });

  it('beginning an enrolment takes one read and a transaction of two statements', async () => {
    const { user_id } = await service.given.user(app);
    expect(await ours(() => create({ user_id }))).toHaveLength(5);
  });

  it('verifying a code counts the try, and then takes one transaction', async () => {
    const enrolment = await active();
    const totp = await codeOf(enrolment);
    const sent = await ours(() => verify({ user_id: enrolment.user_id, totp, session_expires_in: 60 }));
    expect(
      sent.map((text) =>
        /hold_user|update totps|wrong_tries|make_room_for_login|insert into sessions|from users|update sessions|insert into unsequenced_events|^begin|^start|^commit/i
          .exec(text)?.[0]
          .toLowerCase(),
      ),
    ).toEqual([
      'update totps',
      'wrong_tries',
      expect.stringMatching(/begin|start/),
      'hold_user',
      'update totps',
      'wrong_tries',
      'make_room_for_login',
      'insert into sessions',
      'from users',
      'update sessions',
      'insert into unsequenced_events',
      'commit',
    ]);
  });

  it('an invalid request takes no statement', async () => {
    const { user_id } = await active();
    expect(await ours(() => verify({ user_id, totp: '19421x' }))).toEqual([]);
  });
});
