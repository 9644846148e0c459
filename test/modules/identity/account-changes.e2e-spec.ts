import type { AppId } from '../../../src/kernel/ids.js';
import { ProveAddress } from '../../../src/modules/identity/application/prove-address.js';
import { RemoveSignInMethod } from '../../../src/modules/identity/application/remove-sign-in-method.js';
import { type Answer, MANAGEMENT_KEY, startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { type GivenApp, unique } from '../../support/given.js';
import { signRows } from '../../support/row-macs.js';
import { codeIn, Inbox } from '../../support/inbox.js';
import { Observer } from '../../support/observer.js';
import { refusal } from '../passkey/passkeys.js';

let service: TestApp;
let observer: Observer;
let inbox: Inbox;
let app: GivenApp;
beforeAll(async () => {
  inbox = await Inbox.start();
  service = await startApp({ env: inbox.env });
  observer = await Observer.of(service);
  app = await service.given.app({ default_wallet_type: 'none' });
});
afterAll(async () => {
  await observer?.close();
  await service?.stop();
  await inbox?.stop();
});

const call = (method: string, path: string, body?: object): Promise<Answer> =>
  service.call(method, `/v1/auth/${path}`, { key: app.secretKey, body });
const manage = (method: string, path: string, body?: object): Promise<Answer> =>
  service.call(method, `/management/v1/apps/${app.id}${path}`, { key: MANAGEMENT_KEY, body });
async function post(path: string, body: object): Promise<Answer['body']> {
  const answer = await call('POST', path, body);
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
  return answer.body;
}

interface Owner {
  readonly userId: string;
  readonly email: string;
  readonly session_token: string;
}
const newEmail = (): string => `${unique()}@example.com`;
async function passcodeTo(email: string): Promise<{ method_id: string; otp: string }> {
  const { answer, message } = await inbox.after(email, () => post('otps/email/login_or_create', { email }));
  return { method_id: answer.email_id, otp: codeIn(message) };
}
async function logIn(email = newEmail()): Promise<Owner> {
  const body = await post('otps/verify', { ...(await passcodeTo(email)), session_expires_in: 60 });
  return { userId: body.user_id, email, session_token: body.session_token };
}
async function addEmail(owner: Owner): Promise<{ email: string; id: string }> {
  const email = newEmail();
  await call('PUT', `users/${owner.userId}/update`, { emails: [{ email }] });
  const proof = await passcodeTo(email);
  await post('otps/verify', { ...proof, session_token: owner.session_token });
  return { email, id: proof.method_id };
}
const notifiedAgain = ({ userId }: Owner) =>
  observer.rows(`update users set notified_at = notified_at - interval '11 minutes' where id = $1`, [userId]);

const untilNotified = (recipient: string, count: number): Promise<string[]> =>
  eventually(() => {
    const notices = inbox.noticesTo(recipient);
    if (notices.length !== count) throw new Error(`${notices.length} notices came to ${recipient}.`);
    return notices;
  });
/** After a later message has come, an earlier one would have come too. */
const untilQuiet = async (): Promise<void> => void (await passcodeTo(newEmail()));

describe('a user', () => {
  it('is not notified of the first sign-in method, and is notified of a further one and of one that leaves', async () => {
    const owner = await logIn();
    await untilQuiet();
    expect(inbox.noticesTo(owner.email)).toEqual([]);
    const { email, id } = await addEmail(owner);
    expect(await untilNotified(owner.email, 1)).toEqual([expect.stringContaining('new sign-in method: email address')]);
    await notifiedAgain(owner);
    expect((await call('DELETE', `users/emails/${id}/delete`)).status).toBe(200);
    for (const recipient of [owner.email, email])
      expect((await untilNotified(recipient, 2))[1]).toContain('was removed from your');
  });

  it('is notified at most once in 10 minutes, also of what support does, and none counts against the limits of sends', async () => {
    const owner = await logIn();
    const first = await addEmail(owner);
    await untilNotified(owner.email, 1);
    const second = await addEmail(owner);
    await manage('DELETE', `/users/${owner.userId}/emails/${second.id}`);
    await untilQuiet();
    expect(inbox.noticesTo(owner.email)).toHaveLength(1);
    await notifiedAgain(owner);
    await manage('DELETE', `/users/${owner.userId}/emails/${first.id}`);
    await untilNotified(owner.email, 2);
    const counted = await observer.rows('select * from send_counts where app_id = $1', [app.id]).catch(() => []);
    expect(JSON.stringify(counted)).not.toContain('sign_in_method');
  });

  it('is notified by SMS where only a phone number is verified', async () => {
    const phone_number = '+14155552690';
    const sms = await inbox.after(phone_number, () => post('otps/sms/login_or_create', { phone_number }));
    const proof = { method_id: sms.answer.phone_number_id, otp: codeIn(sms.message) };
    const { user_id, session_token } = await post('otps/verify', { ...proof, session_expires_in: 60 });
    const { secret } = await post('totps/create', { user_id });
    const { generateSync } = await import('otplib');
    const [row] = await observer.rows<{ now: number }>(`select extract(epoch from clock_timestamp())::float8 as now`);
    const totp = generateSync({ secret, epoch: Math.floor(row!.now) });
    await post('totps/verify', { user_id, totp, session_token });
    expect(await untilNotified(phone_number, 1)).toEqual([
      'New sign-in method for your Acme account: authenticator app',
    ]);
  });

  it('is notified in the words of the app, or not at all', async () => {
    const owner = await logIn();
    const text = 'Neu: {{method}}. sign-in method';
    const templates = { sign_in_method_added: { subject: 'New sign-in method', text, html: `<p>${text}</p>` } };
    expect((await manage('PATCH', '', { messages: { templates } })).status).toBe(200);
    await addEmail(owner);
    expect(await untilNotified(owner.email, 1)).toEqual([expect.stringContaining('Neu: email address.')]);
    await manage('PATCH', '', {
      messages: { templates: { sign_in_method_added: null } },
      sign_in_method_messages: false,
    });
    await notifiedAgain(owner);
    await addEmail(owner);
    await untilQuiet();
    expect(inbox.noticesTo(owner.email)).toHaveLength(1);
    await manage('PATCH', '', { sign_in_method_messages: null });
  });
});

describe('a recovery', () => {
  const begin = (userId: string, email: string): Promise<Answer> =>
    manage('POST', `/users/${userId}/recovery`, { email });
  const wait = async (userId: string) => {
    await observer.rows(
      `update recoveries set ready_at = ready_at - interval '48 hours', begun_at = begun_at - interval '48 hours' where user_id = $1`,
      [userId],
    );
    await signRows(service, 'recoveries');
  };

  it('notifies the user, and opens the account to the new address after the wait, but no fresh session', async () => {
    const owner = await logIn();
    const email = newEmail();
    const begun = await begin(owner.userId, email);
    expect(begun.body).toMatchObject({ user_id: owner.userId, email, phone_number: '' });
    expect(begun.body.ready_at - begun.body.begun_at).toBe(48 * 3600);
    await eventually(() => expect(inbox.of(owner.email).join()).toContain('2 days'));
    expect(await observer.events(app.id, owner.userId)).toContain('recovery.begun');
    expect((await manage('GET', `/users/${owner.userId}`)).body.recoveries).toMatchObject([{ email }]);

    await wait(owner.userId);
    const found = await logIn(email);
    expect(found.userId).toBe(owner.userId);
    await observer.rows(`update users set first_proved_at = first_proved_at - interval '3 days' where id = $1`, [
      owner.userId,
    ]);
    const { email_id } = (await call('GET', `users/${owner.userId}`)).body;
    const removal = await call('DELETE', `users/emails/${email_id}/delete`, { session_token: found.session_token });
    expect(refusal(removal)).toEqual([401, 'step_up_required']);
    expect((await manage('GET', `/users/${owner.userId}`)).body.recoveries).toEqual([]);
    expect(await observer.events(app.id, owner.userId)).toContain('recovery.ended');
  });

  it('opens no fresh session for 24 hours, also where methods need no age', async () => {
    expect((await manage('PATCH', '', { step_up_method_age_hours: 0 })).status).toBe(200);
    try {
      const owner = await logIn();
      const email = newEmail();
      await begin(owner.userId, email);
      await wait(owner.userId);
      const { session_token } = await logIn(email);
      const { email_id } = (await call('GET', `users/${owner.userId}`)).body;
      const remove = () => call('DELETE', `users/emails/${email_id}/delete`, { session_token });
      expect(refusal(await remove())).toEqual([401, 'step_up_required']);
      expect(refusal(await manage('DELETE', `/users/${owner.userId}/recovery`))).toEqual([404, 'recovery_not_found']);
      expect(refusal(await remove())).toEqual([401, 'step_up_required']);
      await observer.rows(
        `update recoveries set ready_at = ready_at - interval '24 hours', expires_at = expires_at - interval '24 hours' where user_id = $1`,
        [owner.userId],
      );
      expect((await remove()).status).toBe(200);
    } finally {
      await manage('PATCH', '', { step_up_method_age_hours: null });
    }
  });

  it('lets the new address stay for good, also if no user held it before the proof', async () => {
    const owner = await logIn();
    const email = newEmail();
    await begin(owner.userId, email);
    await wait(owner.userId);
    const proof = service.nest.get(ProveAddress, { strict: false });
    expect((await proof.email(app.id as AppId, email)).userId).toBe(owner.userId);
    await observer.rows(
      `update emails set unverified_until = unverified_until - interval '8 days' where user_id = $1 and text = $2`,
      [owner.userId, email],
    );
    await service.nest.get(RemoveSignInMethod, { strict: false }).unverifiedAddresses();
    expect((await logIn(email)).userId).toBe(owner.userId);
  });

  it('ends the keys and links of an account without a proved address', async () => {
    const { user_id } = await post('users/create', { email: newEmail(), first_name: 'Ann' });
    const restricted = { kind: 'restricted', scopes: ['users:read'], user_id };
    const { key } = (await manage('POST', '/keys', restricted)).body;
    const { token } = await post('magic_links/create', { user_id });
    const email = newEmail();
    await begin(user_id, email);
    await wait(user_id);
    expect(await post('otps/verify', await passcodeTo(email))).toMatchObject({
      user_id,
      account_prepared: { fields: ['first_name', 'email'] },
    });
    expect((await service.call('GET', `/v1/auth/users/${user_id}`, { key })).status).toBe(401);
    expect(refusal(await call('POST', 'magic_links/verify', { token, session_expires_in: 60 }))).toEqual([
      400,
      'invalid_magic_token',
    ]);
    expect((await call('GET', `users/${user_id}`)).body).toMatchObject({ first_name: 'Ann', status: 'active' });
    const ended = await observer.rows<{ outcome: string }>(
      `select data->>'outcome' as outcome from stored_events where data->>'user_id' = $1 and type = 'recovery.ended'`,
      [user_id],
    );
    expect(ended).toEqual([{ outcome: 'completed' }]);
  });

  it('ends when the account gets its owner', async () => {
    const invited = newEmail();
    const { user_id } = await post('users/create', { email: invited });
    const email = newEmail();
    await begin(user_id, email);
    await wait(user_id);
    expect((await logIn(invited)).userId).toBe(user_id);
    expect((await logIn(email)).userId).not.toBe(user_id);
    expect(await observer.events(app.id, user_id)).toContain('recovery.ended');
    expect((await manage('GET', `/users/${user_id}`)).body.recoveries).toEqual([]);
  });

  it('opens nothing before the wait is over, to the prover of the address', async () => {
    const owner = await logIn();
    const email = newEmail();
    await begin(owner.userId, email);
    expect((await logIn(email)).userId).not.toBe(owner.userId);
    expect(refusal(await begin((await logIn()).userId, email))).toEqual([409, 'duplicate_email']);
  });

  it('goes on when it is begun again by the same address, and begins anew by another', async () => {
    const owner = await logIn();
    const email = newEmail();
    const { begun_at, ready_at } = (await begin(owner.userId, email)).body;
    await wait(owner.userId);
    expect((await begin(owner.userId, email)).body.ready_at).toBe(ready_at - 48 * 3600);
    const other = await begin(owner.userId, newEmail());
    expect(other.body.ready_at).toBeGreaterThanOrEqual(begun_at + 48 * 3600);
    expect((await logIn(email)).userId).not.toBe(owner.userId);
  });

  it('is cancelled by support, and by a fresh session of the user alone', async () => {
    const owner = await logIn();
    const path = `users/${owner.userId}/recovery`;
    expect(refusal(await call('DELETE', path, { session_token: owner.session_token }))).toEqual([
      404,
      'recovery_not_found',
    ]);
    const email = newEmail();
    await begin(owner.userId, email);
    expect(refusal(await call('DELETE', path))).toEqual([401, 'step_up_required']);
    const stranger = await logIn();
    expect(refusal(await call('DELETE', path, { session_token: stranger.session_token }))).toEqual([
      401,
      'invalid_session',
    ]);
    const { token } = await post('magic_links/create', { user_id: owner.userId });
    const embedded = await post('magic_links/verify', { token, session_expires_in: 60 });
    expect(refusal(await call('DELETE', path, { session_token: embedded.session_token }))).toEqual([
      401,
      'step_up_required',
    ]);
    expect((await call('DELETE', path, { session_token: owner.session_token })).status).toBe(200);

    await begin(owner.userId, email);
    await wait(owner.userId);
    expect((await manage('DELETE', `/${path}`)).status).toBe(200);
    expect(refusal(await manage('DELETE', `/${path}`))).toEqual([404, 'recovery_not_found']);
    expect((await logIn(email)).userId).not.toBe(owner.userId);
    const { entries } = (await manage('GET', '/audit_log')).body;
    const actions = entries.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(expect.arrayContaining(['recovery.begun', 'recovery.cancelled']));
  });

  it('takes the address from an account that holds it unverified and is in use', async () => {
    const owner = await logIn();
    const { user_id: holder, email } = await service.given.user(app);
    const { token } = await post('magic_links/create', { user_id: holder });
    await post('magic_links/verify', { token, session_expires_in: 60 });
    await begin(owner.userId, email);
    await wait(owner.userId);
    expect((await logIn(email)).userId).toBe(owner.userId);
    expect((await call('GET', `users/${holder}`)).body.emails).toEqual([]);
  });

  it('lets two simultaneous codes join one account, or none once it is cancelled', async () => {
    const owner = await logIn();
    const email = newEmail();
    await begin(owner.userId, email);
    await wait(owner.userId);
    const proof = await passcodeTo(email);
    const [first, cancelled] = await observer.together('users', [
      () => call('POST', 'otps/verify', { ...proof }),
      () => manage('DELETE', `/users/${owner.userId}/recovery`),
    ]);
    expect([first!.status, cancelled!.status]).toEqual(first!.body.user_id === owner.userId ? [200, 404] : [200, 200]);
  });

  it('is refused by an address that is verified, or none, or two', async () => {
    const owner = await logIn();
    expect(refusal(await begin(owner.userId, owner.email))).toEqual([409, 'recovery_not_needed']);
    expect(refusal(await begin(owner.userId, (await logIn()).email))).toEqual([409, 'duplicate_email']);
    const path = `/users/${owner.userId}/recovery`;
    const INVALID = [400, 'invalid_request'];
    expect(refusal(await manage('POST', path, {}))).toEqual(INVALID);
    expect(refusal(await manage('POST', path, { email: newEmail(), phone_number: '+14155552671' }))).toEqual(INVALID);
    expect(refusal(await manage('POST', path, { email: 'no address' }))).toEqual(INVALID);
  });
});
