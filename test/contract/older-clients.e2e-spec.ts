import { Inbox, tokenIn } from '../support/inbox.js';
import { newAddress } from '../support/money.js';
import { startApp, type TestApp } from '../support/app.js';
import { type GivenApp, unique } from '../support/given.js';
import { type OpenIdProvider, startIdentityProvider } from '../support/identity-provider.js';

// What published clients of the interface send, and what they require in responses.

let app: TestApp;
let acme: GivenApp;
let inbox: Inbox;
let provider: OpenIdProvider;
beforeAll(async () => {
  [inbox, provider] = await Promise.all([Inbox.start(), startIdentityProvider()]);
  app = await startApp({ env: inbox.env });
  acme = await app.given.app();
  for (const kind of ['login', 'registration', 'invite'] as const)
    await app.given.redirectUrl(acme, kind, `https://app.example/${kind}`);
  const client = { client_id: 'demo', client_secret: 'a-client-secret-of-the-tests' };
  const connection = await app.given.connection(acme, { provider: 'company', issuer: provider.issuer, ...client });
  await provider.register({ ...client, redirect_uris: [connection.callback_url] });
});
afterAll(async () => {
  await app?.stop();
  await Promise.all([inbox?.stop(), provider?.stop()]);
});

const post = (path: string, body: unknown) => app.call('POST', path, { key: acme.secretKey, body });
const userOf = async (id: string) => (await app.call('GET', `/v1/auth/users/${id}`, { key: acme.secretKey })).body;

describe('an answer', () => {
  it('names the rule of each refused field, and has no member `code` there', async () => {
    const { body } = await post('/v1/auth/totps/create', { expires_in: 1 });
    expect(body.errors).toEqual([
      { field: 'user_id', rule: 'required', message: 'is required' },
      { field: 'expires_in', rule: 'min', message: 'must be at least 5 minutes' },
    ]);
  });

  it.each(['begin', 'nonce'])('of wallet registration %s names the app and when it changed', async (step) => {
    const { body } = await post(`/v1/auth/wallets/registrations/${step}`, {
      wallet_type: 'ethereum',
      public_address: newAddress('ethereum'),
    });
    expect(body).toMatchObject({ app_id: acme.id, updated_at: body.created_at });
  });

  it('of users/create repeats the fields of the request', async () => {
    const email = `${unique()}@example.com`;
    const asked = { email, phone_number: '+4915112345670', requires_verification: true };
    expect((await post('/v1/auth/users/create', asked)).body).toMatchObject(asked);
    const { body } = await post('/v1/auth/users/create', { email: `${unique()}@example.com` });
    expect(body).toMatchObject({ phone_number: '', requires_verification: false });
  });

  it('with a user names the first email and phone number', async () => {
    const created = await app.given.user(acme, { phone_number: '+4915112345671' });
    const user = await userOf(created.user_id);
    expect(user).toMatchObject({ email_id: user.emails[0].id, phone_number_id: user.phone_numbers[0].id });
    const { user_id } = await app.given.user(acme, { email: undefined, phone_number: '+4915112345672' });
    expect(await userOf(user_id)).toMatchObject({ email_id: '' });
  });

  it('with a user names the owner of each authenticator', async () => {
    const { user_id } = await app.given.user(acme);
    await post('/v1/auth/totps/create', { user_id });
    expect((await userOf(user_id)).totps).toMatchObject([{ user_id }]);
  });

  it("has the provider's tokens nested and flat, and names the identity as a method", async () => {
    const query = { public_token: acme.publicToken };
    const begun = await app.call('GET', '/v1/auth/oauth/company/begin', { query });
    const claims = { sub: unique(), email: `${unique()}@example.com`, email_verified: true };
    const back = new URL((await provider.signIn(begun.body.redirect_url, claims)).url);
    const landed = await app.call('GET', back.pathname + back.search);
    const token = new URL(landed.headers.get('location')!).searchParams.get('token');
    const { body } = await post('/v1/auth/oauth/verify', { token });
    const { idp, ...flat } = body.idp_session;
    expect(idp.access_token).not.toBe('');
    expect(flat).toEqual(idp);
    const [identity] = (await userOf(body.user_id)).idp_providers;
    expect(identity).toMatchObject({ idp_type: 'company', method_id: identity.id, method_type: 'oauth' });
  });

  it('with keys says that they verify', async () => {
    const { body } = await app.call('GET', `/v1/auth/jwks/${acme.id}`);
    expect(body.keys.length).toBeGreaterThan(0);
    for (const key of body.keys) expect(key.key_ops).toEqual(['verify']);
  });
});

describe('requires_verification', () => {
  it.each([
    ['login_or_create', 'https://app.example/registration'],
    ['invite', 'https://app.example/invite'],
  ])('of magic_links/email/%s leaves a new user pending until the link is verified', async (call) => {
    const email = `${unique()}@example.com`;
    const { answer, message } = await inbox.after(email, () =>
      post(`/v1/auth/magic_links/email/${call}`, { email, requires_verification: true }),
    );
    expect(answer.body).toMatchObject({ status: 'pending', user_created: true });
    expect(await userOf(answer.body.user_id)).toMatchObject({ status: 'pending', active: false });
    const verified = await post('/v1/auth/magic_links/verify', { token: tokenIn(message) });
    expect(verified.body).toMatchObject({ status: 'active', active: true });
  });

  it.each(['login_or_create', 'invite'])('of magic_links/email/%s changes nothing for a known user', async (call) => {
    const email = `${unique()}@example.com`;
    const { user_id } = await app.given.user(acme, { email });
    const { body } = await post(`/v1/auth/magic_links/email/${call}`, { email, requires_verification: true });
    expect(body).toMatchObject({ user_id, status: 'active' });
  });
});
