import { type Answer, startApp, type TestApp } from '../support/app.js';
import type { AppId, OauthConnectionId } from '../../src/kernel/ids.js';
import { SealAltered } from '../../src/kernel/vault.js';
import { ProveAddress, SignInWithProvider } from '../../src/modules/identity/index.js';
import { WalletRepository } from '../../src/modules/wallet/domain/wallets/wallet.repository.js';
import { unique } from '../support/given.js';
import { PasskeyApp } from '../modules/passkey/passkeys.js';
import { Observer } from '../support/observer.js';
import { signIn } from '../support/sign-in.js';

let service: TestApp;
let observer: Observer;
let acme: PasskeyApp;
beforeAll(async () => {
  service = await startApp();
  observer = await Observer.of(service);
  acme = await PasskeyApp.of(service);
});
afterAll(async () => {
  await observer?.close();
  await service?.stop();
});

const REFUSED = [500, 'seal_broken'];
const outcome = ({ status, body }: Answer) => [status, body.error_type];
const post = (path: string, body: object) => service.call('POST', path, { key: acme.app.secretKey, body });
const sql = (text: string, parameters: unknown[]) => observer.rows(text, parameters);
const session = async (user_id: string) => {
  const issued = await signIn(service, acme.app, { user_id });
  return { id: issued.session!.id, session_token: issued.session_token, session_jwt: issued.session_jwt };
};

describe('a row that was altered by SQL grants nothing', () => {
  it.each([
    ['its user', `user_id = $2`],
    ['its end', `expires_at = expires_at + interval '1 year', user_id = case when $2 = '' then '' else user_id end`],
    ['its factors', `factors = factors || jsonb_build_object($2::text, '{}'::jsonb)`],
  ])('a session: %s', async (_, assignment) => {
    const [victim, thief] = [await acme.user(), await session(await acme.user())];
    await sql(`update sessions set ${assignment} where id = $1`, [thief.id, victim]);
    const { session_token, session_jwt } = thief;
    expect(outcome(await post('/v1/auth/sessions/verify', { session_token }))).toEqual(REFUSED);
    expect(outcome(await post('/v1/auth/sessions/verify', { session_token, session_expires_in: 60 }))).toEqual(REFUSED);
    const byJwt = await post('/v1/auth/sessions/verify', { session_jwt });
    expect(byJwt.status).not.toBe(200);
    const listed = await service.call('GET', '/v1/auth/sessions/list', {
      key: acme.app.secretKey,
      query: { user_id: victim },
    });
    expect([listed.status, listed.body.sessions]).toEqual([200, []]);
  });

  it('a session that was revoked, and is made live again', async () => {
    const { id, session_token } = await session(await acme.user());
    await service.call('DELETE', '/v1/auth/sessions/delete', { key: acme.app.secretKey, body: { session_token } });
    await sql('update sessions set revoked_at = null where id = $1', [id]);
    expect(outcome(await post('/v1/auth/sessions/verify', { session_token }))).toEqual(REFUSED);
  });

  it('a session that one of the user takes along when another factor joins it', async () => {
    const [victim, thief] = [await acme.holder(), await acme.holder()];
    const session_token = await acme.sessionOf(thief);
    await sql('update sessions set user_id = $2 where user_id = $1', [thief.userId, victim.userId]);
    expect(outcome(await acme.verify(await acme.assertion(victim), { session_token }))).toEqual(REFUSED);
  });

  it.each([
    ['is moved to another user', `user_id = v.user_id`],
    ['gets the key of another', `public_key = t.public_key`],
  ])('a passkey that %s', async (_, assignment) => {
    const [victim, thief] = [await acme.holder(), await acme.holder()];
    const [altered, owner, authenticator] = assignment.startsWith('user_id')
      ? [thief, victim, thief.authenticator]
      : [victim, victim, thief.authenticator];
    await sql(
      `update webauthn_credentials c set ${assignment} from webauthn_credentials v, webauthn_credentials t
        where c.id = $1 and v.id = $2 and t.id = $3`,
      [altered.passkeyId, victim.passkeyId, thief.passkeyId],
    );
    const answer = await acme.assertion({ ...altered, userId: owner.userId, authenticator });
    expect(
      outcome(
        await acme.verify({
          ...answer,
          id: (await acme.assertion(altered)).id,
          rawId: (await acme.assertion(altered)).id,
        }),
      ),
    ).toEqual(REFUSED);
  });

  const provenEmail = (email: string) =>
    service.nest.get(ProveAddress, { strict: false }).email(acme.app.id as AppId, email);

  it.each([
    ['is moved to another user', `user_id = $2`],
    ['gets another text', `canonical = 'x' || canonical, text = 'x' || text`],
    ['is verified', `verified_at = now()`],
    ['loses its MAC', `mac = null, verified_at = null`],
  ])('an email address that %s', async (_, assignment) => {
    const email = `${unique()}@example.com`;
    const [victim] = [await acme.user(), await acme.user({ email })];
    await sql(
      `update emails set ${assignment}, updated_at = case when $2 = '' then now() else updated_at end where canonical = $1`,
      [email, victim],
    );
    const proved = assignment.startsWith('canonical') ? `x${email}` : email;
    await expect(provenEmail(proved)).rejects.toThrow(SealAltered);
  });

  it('a phone number that is moved to another user', async () => {
    const phone_number = `+49151${String(Date.now()).slice(-8)}`;
    const [victim] = [await acme.user(), await acme.user({ phone_number })];
    await sql(`update phone_numbers set user_id = $2 where canonical = $1`, [phone_number, victim]);
    const proving = service.nest.get(ProveAddress, { strict: false }).phoneNumber(acme.app.id as AppId, phone_number);
    await expect(proving).rejects.toThrow(SealAltered);
  });

  it.each([
    ['is moved to another user', `user_id = $2`],
    ['gets the subject of another', `subject = subject || 'x', user_id = case when $2 = '' then '' else user_id end`],
  ])('an identity at a provider that %s', async (_, assignment) => {
    const subject = unique();
    const signIn = (of: string) =>
      service.nest.get(SignInWithProvider, { strict: false }).execute(acme.app.id as AppId, {
        connectionId: 'conn_1' as OauthConnectionId,
        provider: 'acme',
        subject: of,
      });
    await signIn(subject);
    await sql(`update provider_identities set ${assignment} where subject = $1`, [subject, await acme.user()]);
    await expect(signIn(assignment.startsWith('user_id') ? subject : `${subject}x`)).rejects.toThrow(SealAltered);
  });

  it('a wallet that is inserted as a sign-in method, or moved to another user', async () => {
    const address = `0x${unique()}`;
    await sql(
      `insert into wallets (app_id, id, user_id, wallet_type, public_address, verified, is_default, is_read_only, is_imported)
       values ($1, $2, $3, 'ethereum', $4, true, false, true, true)`,
      [acme.app.id, `wallet_${unique()}`, await acme.user(), address],
    );
    const login = service.nest.get(WalletRepository, { strict: false }).findLogin(acme.app.id as AppId, address);
    await expect(login).rejects.toThrow(SealAltered);
  });

  it('a user who was deactivated, and is made active again', async () => {
    const holder = await acme.holder();
    await acme.manage('POST', `/users/${holder.userId}/deactivate`);
    await sql('update users set deactivated_at = null where id = $1', [holder.userId]);
    for (const fields of [{}, { session_expires_in: 60 }])
      expect(outcome(await acme.verify(await acme.assertion(holder), fields))).toEqual(REFUSED);
  });

  it('an account that is opened for the person who proves its address', async () => {
    const email = `${unique()}@example.com`;
    const userId = await acme.user({ email });
    await session(userId);
    await sql(`update users set claim = 'open' where id = $1`, [userId]);
    await expect(provenEmail(email)).rejects.toThrow(SealAltered);
  });
});
