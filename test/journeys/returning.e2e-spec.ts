import { decodeJwt } from 'jose';
import { generateSync } from 'otplib';
import { VirtualAuthenticator } from '../support/virtual-authenticator.js';
import { newEmail, newPhone, type Shop, Town } from './shop.js';

const ORIGIN = 'https://login.example.com';

let town: Town;
let shop: Shop;
beforeAll(async () => {
  town = await Town.start();
  shop = await town.shop({ webauthn: { rp_id: 'example.com', origins: [ORIGIN] } });
});
afterAll(() => town?.stop());

const sessionsOf = async (userId: string): Promise<string[]> =>
  (await shop.ok('GET', `/v1/auth/sessions/list?user_id=${userId}`)).sessions.map(({ id }: { id: string }) => id);
const signOut = (session_token: string) => shop.ok('DELETE', '/v1/auth/sessions/delete', { session_token });

/** An authenticator app, and its enrolment in this session. */
async function authenticatorOf({ user_id, session_token }: { user_id: string; session_token: string }) {
  const enrolment = await shop.ok('POST', '/v1/auth/totps/create', { user_id });
  const totp = generateSync({ secret: enrolment.secret });
  await shop.ok('POST', '/v1/auth/totps/verify', { user_id, totp, session_token });
  return enrolment as { totp_id: string; secret: string; recovery_codes: string[] };
}

describe('a person with two devices', () => {
  it('signs out on one of them and stays signed in on the other', async () => {
    const email = newEmail();
    const [phone, laptop] = [await shop.signIn(email), await shop.signIn(email)];
    expect(await sessionsOf(phone.user_id)).toHaveLength(2);
    await signOut(phone.session_token);
    expect(await shop.isSignedIn(phone.session_token)).toBe(false);
    expect(await shop.isSignedIn(laptop.session_token)).toBe(true);
    expect(await sessionsOf(phone.user_id)).toEqual([laptop.session.id]);
  });

  it('sees both in the list of devices, and ends the lost one by its id', async () => {
    const email = newEmail();
    const lost = await shop.signIn(email, { device_fingerprint: { user_agent: 'Phone' } });
    const kept = await shop.signIn(email, { device_fingerprint: { user_agent: 'Laptop' } });
    const { sessions } = await shop.ok('GET', `/v1/auth/sessions/list?user_id=${lost.user_id}`);
    const found = sessions.find(
      (one: { device_fingerprint: { user_agent: string } }) => one.device_fingerprint.user_agent === 'Phone',
    );
    await shop.ok('DELETE', '/v1/auth/sessions/delete', { session_id: found.id });
    expect([await shop.isSignedIn(lost.session_token), await shop.isSignedIn(kept.session_token)]).toEqual([
      false,
      true,
    ]);
  });

  it('may sign out twice: the second time the backend learns that the session is gone', async () => {
    const { session_token } = await shop.signIn(newEmail());
    await signOut(session_token);
    expect(await shop.refusal('DELETE', '/v1/auth/sessions/delete', { session_token })).toMatch(/^(404|401) /);
  });
});

describe('a session', () => {
  it('is kept alive by a visit, and a shorter time never shortens it', async () => {
    const { session_token, session } = await shop.signIn(newEmail());
    const longer = await shop.session(session_token, { session_expires_in: 600 });
    expect(longer.session.expires_at).toBeGreaterThan(session.expires_at);
    const shorter = await shop.session(session_token, { session_expires_in: 5 });
    expect(shorter.session.expires_at).toBe(longer.session.expires_at);
  });

  it('is checked by token on one page and by JWT on the next', async () => {
    const { session_token, session_jwt, user_id } = await shop.signIn(newEmail());
    expect(decodeJwt(session_jwt)).toMatchObject({ sub: user_id });
    const byJwt = await shop.ok('POST', '/v1/auth/sessions/verify', { session_jwt });
    expect([byJwt.session.user_id, byJwt.session_token]).toEqual([user_id, '']);
    expect((await shop.session(session_token)).session.id).toBe(byJwt.session.id);
  });

  it('of one person is no session of another: their code is refused there and stays good', async () => {
    const { session_token } = await shop.signIn(newEmail());
    const code = await shop.codeFor(newEmail());
    expect(await shop.refusal(...shop.typed(code, { session_token }))).toBe('401 invalid_session');
    expect((await shop.enter(code)).user_id).toBe(code.user_id);
  });
});

describe('a change of the email', () => {
  it('ends with the second address alone, in the account of the first one', async () => {
    const [old, email] = [newEmail(), newEmail()];
    const { user_id, session_token } = await shop.signIn(old);
    await shop.update(user_id, { emails: [{ email }] });
    await shop.enter(await shop.codeFor(email), { session_token });
    const former = (await shop.user(user_id)).emails.find((one: { email: string }) => one.email === old);
    await shop.ok('DELETE', `/v1/auth/users/emails/${former.id}/delete`);
    expect((await shop.user(user_id)).emails).toMatchObject([{ email, verified: true }]);
    expect((await shop.signIn(email)).user_id).toBe(user_id);
  });

  it('keeps the session in which it was made', async () => {
    const { user_id, session_token } = await shop.signIn(newEmail());
    const email = newEmail();
    await shop.update(user_id, { emails: [{ email }] });
    const { session } = await shop.enter(await shop.codeFor(email), { session_token });
    expect(session.factors).toHaveLength(2);
    expect(await shop.isSignedIn(session_token)).toBe(true);
  });

  it('that was mistyped and never proved leaves the login as it was', async () => {
    const email = newEmail();
    const { user_id } = await shop.signIn(email);
    await shop.update(user_id, { emails: [{ email: newEmail() }] });
    expect((await shop.signIn(email)).user_id).toBe(user_id);
  });

  it('cannot remove the only address', async () => {
    const { user_id } = await shop.signIn(newEmail());
    const [{ id }] = (await shop.user(user_id)).emails;
    expect(await shop.refusal('DELETE', `/v1/auth/users/emails/${id}/delete`)).toBe('409 last_way_to_sign_in');
  });
});

describe('a lost phone', () => {
  it('is replaced by another number, after a login by email', async () => {
    const [email, lost, phone_number] = [newEmail(), newPhone(), newPhone()];
    const { user_id, session_token } = await shop.signIn(email);
    await shop.update(user_id, { phone_numbers: [{ phone_number: lost }] });
    await shop.enter(await shop.codeFor(lost), { session_token });
    const later = await shop.signIn(email);
    const [{ id }] = (await shop.user(user_id)).phone_numbers;
    await shop.ok('DELETE', `/v1/auth/users/phone_numbers/${id}/delete`);
    await shop.update(user_id, { phone_numbers: [{ phone_number }] });
    await shop.enter(await shop.codeFor(phone_number), { session_token: later.session_token });
    expect((await shop.signIn(phone_number)).user_id).toBe(user_id);
  });

  it('with the authenticator app is survived by a recovery code, which works once', async () => {
    const email = newEmail();
    const first = await shop.signIn(email);
    const { recovery_codes, totp_id } = await authenticatorOf(first);
    const { user_id, session_token } = await shop.signIn(email);
    const recovery_code = recovery_codes[0]!.toUpperCase().replace('-', ' ');
    const body = { user_id, recovery_code, session_token };
    const { session } = await shop.ok('POST', '/v1/auth/totps/recovery', body);
    expect(session.factors.map(({ type }: { type: string }) => type).sort()).toEqual(['otp', 'totp']);
    expect(await shop.refusal('POST', '/v1/auth/totps/recovery', body)).toBe('400 invalid_recovery_code');
    await shop.ok('DELETE', `/v1/auth/users/totps/${totp_id}/delete`);
    expect((await authenticatorOf(await shop.signIn(email))).totp_id).not.toBe(totp_id);
  });
});

describe('a second factor', () => {
  it('is enrolled after the first login and joins the session of the next one', async () => {
    const email = newEmail();
    const { secret } = await authenticatorOf(await shop.signIn(email));
    const { user_id, session_token } = await shop.signIn(email);
    // The code of the enrolment is spent; the next one is accepted already.
    const totp = generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) + 30 });
    const { session } = await shop.ok('POST', '/v1/auth/totps/verify', {
      user_id,
      totp: `${totp.slice(0, 3)} ${totp.slice(3)}`,
      session_token,
    });
    expect(session.factors.map(({ type }: { type: string }) => type).sort()).toEqual(['otp', 'totp']);
    expect((await shop.session(session_token)).session.factors).toHaveLength(2);
  });

  it('that is begun and left does not bar the next login', async () => {
    const email = newEmail();
    const { user_id } = await shop.signIn(email);
    await shop.ok('POST', '/v1/auth/totps/create', { user_id });
    expect((await shop.signIn(email)).user_id).toBe(user_id);
    expect((await shop.user(user_id)).totps).toMatchObject([{ verified: false }]);
  });
});

describe('a passkey', () => {
  async function enrolled() {
    const { user_id, session_token } = await shop.signIn(newEmail());
    const authenticator = new VirtualAuthenticator(ORIGIN);
    const begun = await shop.ok('POST', '/v1/auth/webauthn/registrations/begin', { user_id });
    const public_key_credential = authenticator.create(begun.public_key_credential_creation_options);
    await shop.ok('POST', '/v1/auth/webauthn/registrations/create', { user_id, public_key_credential, session_token });
    return { user_id, authenticator };
  }

  it('is enrolled right after the first login, and then signs in without a name', async () => {
    const { user_id, authenticator } = await enrolled();
    const begun = await shop.ok('POST', '/v1/auth/webauthn/authentication/begin', {});
    const public_key_credential = authenticator.get(begun.public_key_credential_request_options);
    const login = await shop.ok('POST', '/v1/auth/webauthn/verify', { public_key_credential, session_expires_in: 60 });
    expect(login.user_id).toBe(user_id);
    expect(await shop.isSignedIn(login.session_token)).toBe(true);
  });

  it('that is removed signs in no more, while the email does', async () => {
    const { user_id, authenticator } = await enrolled();
    const [{ id }] = (await shop.user(user_id)).webauthn_credentials;
    await shop.ok('DELETE', `/v1/auth/users/webauthn_credentials/${id}/delete`);
    const begun = await shop.ok('POST', '/v1/auth/webauthn/authentication/begin', { user_id });
    const public_key_credential = authenticator.get(begun.public_key_credential_request_options);
    expect(await shop.refusal('POST', '/v1/auth/webauthn/verify', { public_key_credential })).toBe(
      '400 invalid_webauthn_credential',
    );
    const [{ email }] = (await shop.user(user_id)).emails;
    expect((await shop.signIn(email)).user_id).toBe(user_id);
  });
});
