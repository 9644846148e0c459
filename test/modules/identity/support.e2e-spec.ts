import { generateSync } from 'otplib';
import type { AppId } from '../../../src/kernel/ids.js';
import { newId } from '../../../src/kernel/ids.js';
import { ManagementKeys } from '../../../src/modules/apps/index.js';
import { ProveAddress } from '../../../src/modules/identity/index.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { type GivenApp, unique } from '../../support/given.js';
import { codeIn, Inbox, linkIn, tokenIn } from '../../support/inbox.js';
import { Observer } from '../../support/observer.js';
import { signIn, signedInAs } from '../../support/sign-in.js';

// A support key changes the users of an app by the rules of the app's own calls.

let service: TestApp;
let inbox: Inbox;
let observer: Observer;
let app: GivenApp;
let stranger: GivenApp;
let support: string;
beforeAll(async () => {
  inbox = await Inbox.start();
  service = await startApp({ env: inbox.env });
  observer = await Observer.of(service);
  [app, stranger] = [await service.given.app(), await service.given.app()];
  for (const kind of ['login', 'registration', 'invite'] as const)
    await service.given.redirectUrl(app, kind, `https://app.example/${kind}`);
  const by = { actor: 'cli', requestId: null, ip: null };
  const key = await service.nest.get(ManagementKeys).create(by, { name: 'Support', role: 'support', expiresAt: null });
  support = key.key;
});
afterAll(async () => {
  await observer?.close();
  await service?.stop();
  await inbox?.stop();
});

const manage = (method: string, path: string, body?: object, appId = app.id) =>
  service.call(method, `/management/v1/apps/${appId}${path}`, { key: support, ...(body && { body }) });
const post = (path: string, body: object) => service.call('POST', path, { key: app.secretKey, body });
const userNow = async (id: string) => (await service.call('GET', `/v1/auth/users/${id}`, { key: app.secretKey })).body;
const refusal = ({ status, body }: { status: number; body: { error_type?: string } }) => [status, body.error_type];
const email = () => `${unique()}@example.com`;
const prove = (address: string) => service.nest.get(ProveAddress).email(app.id as AppId, address, {});

interface Entry {
  readonly action: string;
  readonly fields: string[];
}
const entriesOf = (target: string) =>
  observer.rows<Entry>(`select action, fields from audit_log where app_id = $1 and target_id = $2 order by id`, [
    app.id,
    target,
  ]);

describe('a user', () => {
  it('is created, with the audit entry of the operator', async () => {
    const address = email();
    const made = await manage('POST', '/users', { email: address, first_name: 'Ann', include_user: true });
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({
      email: address,
      first_name: 'Ann',
      user: { wallets: [{ wallet_type: 'ethereum' }] },
    });
    expect(await entriesOf(made.body.user_id)).toEqual([{ action: 'user.created', fields: [] }]);
    expect(refusal(await manage('POST', '/users', { email: address }))).toEqual([409, 'duplicate_email']);
    expect(refusal(await manage('POST', '/users', {}))).toEqual([400, 'invalid_request']);
  });

  it('gets other names: null clears one, an absent one stays, and another app does not find the user', async () => {
    const { user_id } = await service.given.user(app, { first_name: 'Ann', last_name: 'Lee', middle_name: 'X' });
    const changed = await manage('PATCH', `/users/${user_id}`, { first_name: 'Anna', middle_name: null });
    expect(changed.status).toBe(200);
    expect(await userNow(user_id)).toMatchObject({ first_name: 'Anna', middle_name: '', last_name: 'Lee' });
    expect(await entriesOf(user_id)).toEqual([{ action: 'user.updated', fields: ['firstName', 'middleName'] }]);
    const path = `/users/${user_id}`;
    expect(refusal(await manage('PATCH', path, { first_name: 'x' }, stranger.id))).toEqual([404, 'user_not_found']);
    expect(refusal(await manage('PATCH', path, { first_name: 'x'.repeat(257) }))).toEqual([400, 'invalid_request']);
  });

  it('is deleted with its sessions, once', async () => {
    const { user_id } = await service.given.user(app);
    const { session_token } = await signIn(service, app, { user_id });
    expect(refusal(await manage('DELETE', `/users/${user_id}`, undefined, stranger.id))).toEqual([
      404,
      'user_not_found',
    ]);
    expect((await manage('DELETE', `/users/${user_id}`)).status).toBe(200);
    expect(refusal(await post('/v1/auth/sessions/verify', { session_token }))).toEqual([401, 'invalid_session']);
    expect(refusal(await manage('DELETE', `/users/${user_id}`))).toEqual([404, 'user_not_found']);
    expect(await entriesOf(user_id)).toEqual([{ action: 'user.deleted', fields: [] }]);
  });
});

describe('an address', () => {
  it('is added without a right, at most five times, and to one user only', async () => {
    const { user_id } = await service.given.user(app);
    const taken = email();
    await service.given.user(app, { email: taken });
    const added = await manage('POST', `/users/${user_id}/emails`, { email: email() });
    expect(added.body.emails).toEqual([expect.objectContaining({ verified: false })]);
    expect(await entriesOf(added.body.emails[0].id)).toEqual([{ action: 'email.added', fields: [] }]);
    expect(refusal(await manage('POST', `/users/${user_id}/emails`, { email: taken }))).toEqual([
      409,
      'duplicate_email',
    ]);
    expect(refusal(await manage('POST', `/users/${user_id}/emails`, { email: 'x' }))).toEqual([400, 'invalid_request']);
    expect(refusal(await manage('POST', `/users/${user_id}/phone_numbers`, { phone_number: '1' }))[0]).toBe(400);
    const number = await manage('POST', `/users/${user_id}/phone_numbers`, { phone_number: '+4915112340001' });
    expect(number.body.phone_numbers).toEqual([expect.objectContaining({ verified: false })]);
    for (let n = 0; n < 2; n++)
      expect((await manage('POST', `/users/${user_id}/emails`, { email: email() })).status).toBe(200);
    expect(refusal(await manage('POST', `/users/${user_id}/emails`, { email: email() }))).toEqual([
      409,
      'too_many_unverified_addresses',
    ]);
  });

  it('is removed from its user, unless it is the last verified sign-in method', async () => {
    const address = email();
    const { user_id, email_id } = await service.given.user(app, { email: address });
    await prove(address);
    const other = await service.given.user(app);
    const second = (await manage('POST', `/users/${user_id}/emails`, { email: email() })).body.emails[0].id;
    for (const [path, appId] of [
      [`/users/${other.user_id}/emails/${second}`, app.id],
      [`/users/${user_id}/emails/${second}`, stranger.id],
      [`/users/${user_id}/emails/${newId('email')}`, app.id],
    ])
      expect(refusal(await manage('DELETE', path!, undefined, appId))).toEqual([404, 'email_not_found']);
    // The unverified one beside it opens nothing.
    expect(refusal(await manage('DELETE', `/users/${user_id}/emails/${email_id}`))).toEqual([
      409,
      'last_way_to_sign_in',
    ]);
    expect(await entriesOf(email_id)).toEqual([]);
    expect((await manage('DELETE', `/users/${user_id}/emails/${second}`)).status).toBe(200);
    expect(await entriesOf(second)).toEqual([
      { action: 'email.added', fields: [] },
      { action: 'email.removed', fields: [] },
    ]);
    expect((await userNow(user_id)).emails.map(({ id }: { id: string }) => id)).toEqual([email_id]);
  });
});

async function withAuthenticator() {
  const address = email();
  const { user_id } = await service.given.user(app, { email: address });
  await prove(address);
  const enrolled = (await post('/v1/auth/totps/create', { user_id })).body as { totp_id: string; secret: string };
  const [row] = await observer.rows<{ now: number }>('select extract(epoch from clock_timestamp())::float8 as now');
  const codeAt = (steps: number) => generateSync({ secret: enrolled.secret, epoch: Math.floor(row!.now) + 30 * steps });
  expect((await post('/v1/auth/totps/verify', { user_id, totp: codeAt(0) })).status).toBe(200);
  return { user_id, email: address, ...enrolled, codeAt };
}

describe('a lost authenticator', () => {
  it('is removed from its user, once', async () => {
    const { user_id, totp_id } = await withAuthenticator();
    const other = await service.given.user(app);
    expect(refusal(await manage('DELETE', `/users/${other.user_id}/totps/${totp_id}`))).toEqual([
      404,
      'totp_not_found',
    ]);
    expect((await manage('DELETE', `/users/${user_id}/totps/${totp_id}`)).status).toBe(200);
    expect(refusal(await manage('DELETE', `/users/${user_id}/totps/${totp_id}`))).toEqual([404, 'totp_not_found']);
    expect((await userNow(user_id)).totps).toEqual([]);
    expect(await entriesOf(totp_id)).toEqual([{ action: 'totp.removed', fields: [] }]);
  });
});

describe('a locked user', () => {
  it('may use an authenticator and passcodes again once unlocked', async () => {
    const { user_id, email: address, codeAt } = await withAuthenticator();
    const { answer, message } = await inbox.after(address, () =>
      post('/v1/auth/otps/email/send', { email: address, expires_in: 10 }),
    );
    await observer.rows(
      `insert into wrong_tries (app_id, user_id, tries, locked_until) values ($1, $2, array[now()], now() + interval '15 minutes')
       on conflict (app_id, user_id) do update set locked_until = excluded.locked_until`,
      [app.id, user_id],
    );
    await observer.rows(`update totps set tries = 5, last_tried_at = now() where app_id = $1 and user_id = $2`, [
      app.id,
      user_id,
    ]);
    const passcode = { method_id: answer.body.email_id, otp: codeIn(message) };
    const authenticator = { user_id, totp: codeAt(1) };
    expect((await post('/v1/auth/otps/verify', passcode)).status).toBe(429);
    expect((await post('/v1/auth/totps/verify', authenticator)).status).toBe(429);
    expect(refusal(await manage('POST', `/users/${user_id}/unlock`, {}, stranger.id))).toEqual([404, 'user_not_found']);
    for (let n = 0; n < 2; n++) expect((await manage('POST', `/users/${user_id}/unlock`, {})).status).toBe(200);
    expect((await post('/v1/auth/totps/verify', authenticator)).status).toBe(200);
    expect((await post('/v1/auth/otps/verify', passcode)).status).toBe(200);
  });

  it('is unlocked for the codes of an unverified address too', async () => {
    const address = email();
    const { user_id } = await service.given.user(app, { email: address });
    for (let codes = 0; codes < 4; codes++) {
      const sent = await post('/v1/auth/otps/email/send', { email: address, expires_in: 10 });
      for (let n = 0; n < 5; n++) await post('/v1/auth/otps/verify', { method_id: sent.body.email_id, otp: '000000' });
    }
    await inbox.untilThereAre(4, address);
    const { answer, message } = await inbox.after(address, () =>
      post('/v1/auth/otps/email/send', { email: address, expires_in: 10 }),
    );
    const right = { method_id: answer.body.email_id, otp: codeIn(message) };
    expect((await post('/v1/auth/otps/verify', right)).status).toBe(429);
    expect((await manage('POST', `/users/${user_id}/unlock`, {})).status).toBe(200);
    expect((await post('/v1/auth/otps/verify', right)).status).toBe(200);
  });
});

describe('an invitation', () => {
  it('is mailed, and makes the user once', async () => {
    const address = email();
    const { answer, message } = await inbox.after(address, () =>
      manage('POST', '/users/invite', { email: address, first_name: 'Ann' }),
    );
    expect(answer.body).toMatchObject({ user_created: true });
    expect(linkIn(message).pathname).toBe('/invite');
    expect(await entriesOf(answer.body.user_id)).toEqual([{ action: 'user.invited', fields: [] }]);
    expect((await manage('POST', '/users/invite', { email: address })).body).toMatchObject({
      user_created: false,
      user_id: answer.body.user_id,
    });
    const unknown = { email: email(), invite_redirect_url: 'https://mallory.example/' };
    expect(refusal(await manage('POST', '/users/invite', unknown))).toEqual([400, 'invalid_redirect_url']);
  });
});

describe('a message', () => {
  const newestTo = (address: string) =>
    eventually(async () => {
      const { body } = await manage('GET', '/messages');
      const [newest] = body.messages.filter(({ recipient }: { recipient: string }) => recipient === address);
      expect(newest.status).toBe('sent');
      return newest.id as string;
    });
  const resend = (address: string, id: string) =>
    inbox.after(address, () => manage('POST', `/messages/${id}/resend`, {}));

  it('is listed by the user whose address it went to', async () => {
    const [address, other] = [email(), email()];
    const { answer } = await inbox.after(address, () => manage('POST', '/users/invite', { email: address }));
    await inbox.after(other, () => manage('POST', '/users/invite', { email: other }));
    const id = await newestTo(address);
    const listedBy = async (userId: string) =>
      (await manage('GET', `/messages?user_id=${userId}`)).body.messages.map((message: { id: string }) => message.id);
    expect(await listedBy(answer.body.user_id)).toEqual([id]);
    expect(await listedBy(`user_${'0'.repeat(26)}`)).toEqual([]);
  });

  it('is sent again with a new link, and the previous link is void', async () => {
    const address = email();
    const invited = await inbox.after(address, () => manage('POST', '/users/invite', { email: address }));
    const id = await newestTo(address);
    expect(refusal(await manage('POST', `/messages/${id}/resend`, {}, stranger.id))).toEqual([
      404,
      'message_not_found',
    ]);
    const { answer, message } = await resend(address, id);
    expect(answer.body).toMatchObject({ id });
    expect(await entriesOf(id)).toEqual([{ action: 'message.resent', fields: [] }]);
    const verify = (token: string) => post('/v1/auth/magic_links/verify', { token });
    expect(refusal(await verify(tokenIn(invited.message)))).toEqual([400, 'invalid_magic_token']);
    expect((await verify(tokenIn(message))).body.user_id).toBe(invited.answer.body.user_id);
  });

  it('is sent again with a new code, by mail or SMS, and the previous code is void', async () => {
    for (const [kind, address] of [
      ['email', email()],
      ['sms', '+4915112340002'],
    ] as const) {
      const field = kind === 'sms' ? 'phone_number' : 'email';
      const sent = await inbox.after(address, () =>
        post(`/v1/auth/otps/${kind}/login_or_create`, { [field]: address, expires_in: 10 }),
      );
      const { message } = await resend(address, await newestTo(address));
      const verify = (text: string) =>
        post('/v1/auth/otps/verify', { method_id: sent.answer.body[`${field}_id`], otp: codeIn(text) });
      if (codeIn(sent.message) !== codeIn(message))
        expect(refusal(await verify(sent.message))).toEqual([400, 'invalid_otp']);
      expect((await verify(message)).body.user_id).toBe(sent.answer.body.user_id);
    }
  });

  it('to a user who was deleted is refused, and makes no user', async () => {
    for (const path of ['/v1/auth/magic_links/email/login_or_create', '/v1/auth/otps/email/login_or_create']) {
      const address = email();
      const { answer } = await inbox.after(address, () => post(path, { email: address }));
      const id = await newestTo(address);
      expect((await manage('DELETE', `/users/${answer.body.user_id}`)).status).toBe(200);
      expect(refusal(await manage('POST', `/messages/${id}/resend`, {}))).toEqual([404, 'user_not_found']);
      const filters = { fields: [{ field: 'email', operator: 'eq', value: address }] };
      expect((await manage('POST', '/users/search', { filters })).body.users).toEqual([]);
      expect(await entriesOf(id)).toEqual([]);
    }
  });
});

describe('a failed job', () => {
  it('gets all its attempts again; one that has not failed stays as it is', async () => {
    const add = async (columns: string, values: string) => {
      const id = newId('job');
      await observer.rows(`insert into jobs (app_id, id, kind, ${columns}) values ($1, $2, 'of a test', ${values})`, [
        app.id,
        id,
      ]);
      return id;
    };
    const tomorrow = `now() + interval '1 day'`;
    const dead = await add('attempt, error, died_at', `56, 'refused', now()`);
    const failed = await add('attempt, error, due_at', `3, 'refused', ${tomorrow}`);
    const waiting = await add('due_at', tomorrow);
    const retry = (id: string, appId = app.id) => manage('POST', `/jobs/${id}/retry`, {}, appId);
    expect(refusal(await retry(dead, stranger.id))).toEqual([404, 'job_not_found']);
    expect((await retry(dead)).body).toMatchObject({ id: dead, state: 'waiting', attempts: 0 });
    expect((await retry(dead)).body).toMatchObject({ id: dead, state: 'waiting', attempts: 0 });
    const soon = Date.now() / 1_000 + 60;
    const again = await retry(failed);
    expect(again.body).toMatchObject({ state: 'retrying', attempts: 3 });
    expect(again.body.due_at).toBeLessThan(soon);
    expect((await retry(waiting)).body.due_at).toBeGreaterThan(soon);
    expect(await entriesOf(failed)).toEqual([{ action: 'job.retried', fields: [] }]);
  });
});

describe('a wallet', () => {
  it('is shown when its chain cannot be asked for the balances, to its own app only', async () => {
    const { user_id } = await service.given.user(app);
    const [wallet] = (await userNow(user_id)).wallets;
    const shown = await manage('GET', `/wallets/${wallet.id}`);
    expect(shown.body).toEqual({
      ...wallet,
      frozen_at: 0,
      balances: [{ token_symbol: 'ETH', network: 'ethereum', balance: '', error_type: 'chain_not_configured' }],
    });
    expect(refusal(await manage('GET', `/wallets/${wallet.id}`, undefined, stranger.id))).toEqual([
      404,
      'wallet_not_found',
    ]);
  });
});

it('the last sign-in method stays when both of two are removed at the same time', async () => {
  const [first, second] = [email(), email()];
  const { user_id, email_id } = await service.given.user(app, { email: first });
  await prove(first);
  const added = (await manage('POST', `/users/${user_id}/emails`, { email: second })).body.emails[0].id;
  await service.nest.get(ProveAddress).email(app.id as AppId, second, signedInAs(user_id));
  const ids = [email_id, added];
  const answers = await observer.together(
    'users',
    ids.map((id) => () => manage('DELETE', `/users/${user_id}/emails/${id}`)),
  );
  expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409']);
});
