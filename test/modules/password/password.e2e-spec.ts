import type { AppId } from '../../../src/kernel/ids.js';
import { ProveAddress } from '../../../src/modules/identity/index.js';
import { type Answer, MANAGEMENT_KEY, startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { type GivenApp, unique } from '../../support/given.js';
import { Observer } from '../../support/observer.js';
import { signRows } from '../../support/row-macs.js';
import { VirtualAuthenticator } from '../../support/virtual-authenticator.js';
import { ORIGIN, PasskeyApp, RP_ID } from '../passkey/passkeys.js';
import { givePassword, importedUser, PASSWORD, passwordOf, SETTINGS } from './passwords.js';

// Users of a former vendor sign in by the passwords that they had there.

let service: TestApp;
let observer: Observer;
let app: GivenApp;
beforeAll(async () => {
  service = await startApp();
  observer = await Observer.of(service);
  app = await newApp();
});
afterAll(async () => {
  await observer.close();
  await service.stop();
});

const newApp = (): Promise<GivenApp> =>
  service.given.app({ default_wallet_type: 'none', webauthn: { rp_id: RP_ID, origins: [ORIGIN] }, ...SETTINGS });
const verify = (body: object, of = app): Promise<Answer> =>
  service.call('POST', '/v1/auth/passwords/verify', { key: of.secretKey, body });
const typeOf = ({ status, body }: Answer): string => `${status} ${body.error_type ?? ''}`;
const patch = (of: GivenApp, body: object): Promise<Answer> =>
  service.call('PATCH', `/management/v1/apps/${of.id}`, { key: MANAGEMENT_KEY, body });

describe('an imported password', () => {
  it('signs in by email or user id, as a factor of its own', async () => {
    const { email, userId } = await importedUser(service, app);
    const { body } = await verify({ email: email.toUpperCase(), password: PASSWORD, session_expires_in: 60 });
    expect(body).toMatchObject({ user_id: userId, method_type: 'email', session: { user_id: userId } });
    expect(body.session.factors).toMatchObject([
      { type: 'password', delivery_channel: 'password', method: { method_type: 'email', email } },
    ]);
    const byId = await verify({ user_id: userId, password: PASSWORD, session_token: body.session_token });
    expect(byId.body).toMatchObject({ method_type: 'user', method_id: userId, session: { id: body.session.id } });
    expect(await observer.events(app.id, userId)).toContain('session.created');
  });

  it('is refused alike where it is wrong, where there is none, and where there is no user', async () => {
    const { email } = await importedUser(service, app);
    const { email: without } = await importedUser(service, app, { password: undefined });
    const answers = [];
    for (const named of [
      { email },
      { email: without },
      { email: `${unique()}@example.com` },
      { user_id: `user_${'0'.repeat(26)}` },
    ])
      answers.push(await verify({ ...named, password: 'wrong' }));
    expect(answers.map(typeOf)).toEqual(Array(4).fill('400 invalid_password'));
    expect(
      new Set(answers.map(({ body: { request_id: _, instance: __, ...body } }) => JSON.stringify(body))).size,
    ).toBe(1);
    // The decoy of a user without a password opens no account.
    expect(typeOf(await verify({ email: without, password: PASSWORD }))).toBe('400 invalid_password');
  });

  it('is locked after too many wrong tries, and a right one gives its try back', async () => {
    const own = await newApp();
    await patch(own, { limits: { wrong_tries_per_hour: 3 } });
    const { email, userId } = await importedUser(service, own);
    for (let n = 0; n < 5; n += 1) expect(typeOf(await verify({ email, password: PASSWORD }, own))).toBe('200 ');
    for (let n = 0; n < 3; n += 1) expect((await verify({ email, password: 'wrong' }, own)).status).toBe(400);
    expect(typeOf(await verify({ email, password: PASSWORD }, own))).toBe('429 too_many_requests');
    expect(typeOf(await verify({ user_id: userId, password: PASSWORD }, own))).toBe('429 too_many_requests');
    const unknown = `${unique()}@example.com`;
    for (let n = 0; n < 3; n += 1) await verify({ email: unknown, password: 'wrong' }, own);
    expect(typeOf(await verify({ email: unknown, password: 'wrong' }, own))).toBe('429 too_many_requests');
    await eventually(async () => expect(await observer.events(own.id)).toContain('login.failed'));
  });

  it('that is right and leads to another user than the expected one spends no try', async () => {
    const own = await newApp();
    await patch(own, { limits: { wrong_tries_per_hour: 3 } });
    const { email, userId } = await importedUser(service, own);
    const other = await importedUser(service, own);
    for (const named of [{ email }, { user_id: userId }])
      for (let n = 0; n < 3; n += 1) {
        const answer = await verify({ ...named, password: PASSWORD, expected_user_id: other.userId }, own);
        expect(typeOf(answer)).toBe('409 address_of_other_account');
      }
    expect(typeOf(await verify({ email, password: PASSWORD, expected_user_id: userId }, own))).toBe('200 ');
    // A wrong password says nothing about the user.
    const wrong = { email, password: 'wrong', expected_user_id: other.userId };
    expect(typeOf(await verify(wrong, own))).toBe('400 invalid_password');
  });

  it('gives back its own try only, while the address is unverified: the owner of the address may be another person', async () => {
    const own = await newApp();
    await patch(own, { limits: { wrong_tries_per_hour: 3 } });
    const email = `${unique()}@example.com`;
    await importedUser(service, own, { emails: [{ email }] });
    const answers = [];
    for (const password of ['wrong', 'wrong', PASSWORD, PASSWORD, 'wrong', PASSWORD])
      answers.push((await verify({ email, password }, own)).status);
    expect(answers).toEqual([400, 400, 403, 403, 400, 429]);
  });

  it('signs in until the time that the app sets', async () => {
    const own = await newApp();
    const { email } = await importedUser(service, own);
    expect((await patch(own, { password_login_until: 1_600_000_000 })).body.password_login_until).toBe(1_600_000_000);
    expect(typeOf(await verify({ email, password: PASSWORD }, own))).toBe('403 password_login_closed');
    expect((await patch(own, { password_login_until: null })).body.password_login_until).toBe(0);
    expect(typeOf(await verify({ email, password: PASSWORD }, own))).toBe('403 password_login_closed');
    expect((await patch(own, { password_login_until: 'soon' })).status).toBe(400);
  });

  it('of a user without a verified method begins no session, and is erased when the account gets its owner', async () => {
    const email = `${unique()}@example.com`;
    const { userId } = await importedUser(service, app, { emails: [{ email }] });
    expect(typeOf(await verify({ email, password: 'wrong' }))).toBe('400 invalid_password');
    expect(typeOf(await verify({ email, password: PASSWORD, session_expires_in: 60 }))).toBe('403 address_unverified');
    const proved = await service.nest.get(ProveAddress, { strict: false }).email(app.id as AppId, email);
    expect(proved.userId).toBe(userId);
    expect(typeOf(await verify({ email, password: PASSWORD }))).toBe('400 invalid_password');
    // A replica of an earlier release passes the account on and leaves the password there.
    await givePassword(service, app, userId);
    expect(typeOf(await verify({ email, password: PASSWORD, session_expires_in: 60 }))).toBe('400 invalid_password');
  });

  it('signs in no deactivated or deleted user', async () => {
    const { email, userId } = await importedUser(service, app);
    const at = `/management/v1/apps/${app.id}/users/${userId}/deactivate`;
    await service.ok('POST', at, { key: MANAGEMENT_KEY, body: {} });
    expect(typeOf(await verify({ email, password: PASSWORD, session_expires_in: 60 }))).toBe('403 user_inactive');
    await service.call('DELETE', `/v1/auth/users/${userId}/delete`, { key: app.secretKey });
    expect(typeOf(await verify({ user_id: userId, password: PASSWORD }))).toBe('400 invalid_password');
  });

  it('lets its session add the first passkey for 30 days, and nothing else', async () => {
    const { userId } = await importedUser(service, app, { created_at: 1_600_000_000 });
    const passkeys = PasskeyApp.at(service, app);
    const register = async (user = userId) => {
      const { body } = await verify({ user_id: user, password: PASSWORD, session_expires_in: 60 });
      return service.call('POST', '/v1/auth/webauthn/registrations/create', {
        key: app.secretKey,
        body: {
          user_id: user,
          public_key_credential: await passkeys.attestation(user, new VirtualAuthenticator(ORIGIN)),
          session_token: String(body.session_token),
        },
      });
    };
    const aged = async (days: number): Promise<void> => {
      await observer.rows(
        `update imported_passwords set created_at = now() - make_interval(days => $2) where user_id = $1 returning id`,
        [userId, days],
      );
      await signRows(service, 'imported_passwords');
    };
    await aged(31);
    expect(typeOf(await register())).toBe('401 step_up_required');
    await aged(29);
    expect((await register()).status).toBe(200);
    expect(typeOf(await register())).toBe('401 step_up_required');
    // Signs in by the wallet, and has no verified address.
    const wallets = [{ wallet_type: 'ETH', public_address: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC' }];
    const without = await importedUser(service, app, { created_at: 1_600_000_000, emails: [], wallets });
    expect(typeOf(await register(without.userId))).toBe('401 step_up_required');
  });
});

describe('the row of an import', () => {
  it('is refused with a hash beyond the bounds, and exported as it was stated', async () => {
    const from = await newApp();
    const path = `/management/v1/apps/${from.id}/users`;
    const password = await passwordOf();
    const users = [{ password: { ...password, hash: password.hash.replace('$04$', '$31$') } }, { password }];
    const { results } = await service.ok('POST', `${path}/import`, { key: MANAGEMENT_KEY, body: { users } });
    expect(results[0]).toMatchObject({ outcome: 'failed', errors: [{ field: 'password.hash', rule: 'cost' }] });
    const exported = async (query: Record<string, string>) =>
      (await service.call('GET', `${path}/export`, { key: MANAGEMENT_KEY, query })).text;
    expect(await exported({})).not.toContain('password');
    expect(JSON.parse(await exported({ include_secrets: 'true' }))).toMatchObject({ password });
  });

  it('with another user’s hash in its place signs no user in', async () => {
    const [victim, thief] = [await importedUser(service, app), await importedUser(service, app)];
    await observer.rows(
      `update imported_passwords t set sealed_hash = o.sealed_hash from imported_passwords o
        where t.user_id = $1 and o.user_id = $2 returning t.id`,
      [victim.userId, thief.userId],
    );
    expect((await verify({ email: victim.email, password: PASSWORD })).status).toBeGreaterThanOrEqual(500);
  });

  it('that cannot be opened or compared fails no call about a user without a password', async () => {
    const own = await newApp();
    const [first] = [await importedUser(service, own), await importedUser(service, own)];
    const { email: without } = await importedUser(service, own, { password: undefined });
    expect(typeOf(await verify({ email: without, password: PASSWORD }, own))).toBe('400 invalid_password');
    // Each row has the hash of the other user.
    await observer.rows(
      `update imported_passwords t set sealed_hash = o.sealed_hash from imported_passwords o
        where t.app_id = $1 and o.app_id = t.app_id and o.id <> t.id returning t.id`,
      [own.id],
    );
    expect(typeOf(await verify({ email: without, password: PASSWORD }, own))).toBe('400 invalid_password');
    expect((await verify({ email: first.email, password: PASSWORD }, own)).status).toBeGreaterThanOrEqual(500);
    expect((await verify({ user_id: `user_${'0'.repeat(26)}`, password: PASSWORD }, own)).status).toBe(400);
  });
});
