import { createHash, randomBytes } from 'node:crypto';
import { unique } from '../support/given.js';
import { type OpenIdProvider, type Person, startIdentityProvider } from '../support/identity-provider.js';
import { LOGIN_URL, newEmail, type Shop, Town, WELCOME_URL } from './shop.js';

let town: Town;
let shop: Shop;
let provider: OpenIdProvider;
beforeAll(async () => {
  provider = await startIdentityProvider();
  town = await Town.start();
  shop = await town.shop({ allowed_origins: ['https://shop.example'] });
  await connect('acme');
});
afterAll(async () => {
  await town?.stop();
  await provider?.stop();
});

async function connect(name: string): Promise<void> {
  const client = { client_id: unique(), client_secret: 'a secret of the provider' };
  const connection = await town.service.given.connection(shop.app, {
    provider: name,
    issuer: provider.issuer,
    ...client,
  });
  await provider.register({ ...client, redirect_uris: [connection.callback_url] });
}

const newPerson = (claims: Partial<Person> = {}): Person => ({
  sub: unique(),
  email: newEmail(),
  email_verified: true,
  given_name: 'Ann',
  family_name: 'Lee',
  ...claims,
});

const begin = (query: Record<string, string> = {}, name = 'acme') =>
  town.service.call('GET', `/v1/auth/oauth/${name}/begin`, {
    query: { public_token: shop.app.publicToken, ...query },
    headers: { origin: 'https://shop.example' },
  });

/** Opens the callback, as a browser does after the login page of the provider, and returns the address of the app's page. */
async function comeBack(url: string, cookie = ''): Promise<URL> {
  const { pathname, search } = new URL(url);
  const answer = await town.service.call('GET', pathname + search, { headers: { cookie } });
  expect(answer.status).toBe(302);
  return new URL(answer.headers.get('location')!);
}

async function pageAfterLogin(person: Person, query: Record<string, string> = {}, name = 'acme'): Promise<URL> {
  const { body } = await begin(query, name);
  return comeBack((await provider.signIn(body.redirect_url, person)).url);
}

const tokenOf = (page: URL): string => page.searchParams.get('token')!;
const verify = (token: string, fields: Record<string, unknown> = {}) =>
  shop.ok('POST', '/v1/auth/oauth/verify', { token, session_expires_in: 60, ...fields });

function pkce() {
  const code_verifier = randomBytes(32).toString('base64url');
  return { code_verifier, code_challenge: createHash('sha256').update(code_verifier).digest('base64url') };
}

describe('a login at a provider', () => {
  it('leads a new person to the welcome page and a known one to the login page, as the same user', async () => {
    const person = newPerson();
    const first = await pageAfterLogin(person);
    expect(first.href).toContain(WELCOME_URL);
    const { user_id } = await verify(tokenOf(first));
    expect(await shop.user(user_id)).toMatchObject({ first_name: 'Ann', last_name: 'Lee' });
    const second = await pageAfterLogin(person);
    expect(second.href).toContain(LOGIN_URL);
    expect((await verify(tokenOf(second))).user_id).toBe(user_id);
  });

  it('makes the user of the sign-up form, with what the form said', async () => {
    const person = newPerson();
    const form = await shop.create({ email: person.email, first_name: 'Anna' });
    const { user_id } = await verify(tokenOf(await pageAfterLogin(person)));
    expect([user_id, (await shop.user(user_id)).first_name]).toEqual([form.user_id, 'Anna']);
  });

  it('leads to the person who signed in by code before, where the operator trusts the domain', async () => {
    const domain = `${unique()}.example`;
    const client = { client_id: unique(), client_secret: 'a secret of the provider' };
    const trusted = { provider: `of-${unique()}`, issuer: provider.issuer, email_domains: [domain] };
    const connection = await town.service.given.connection(shop.app, { ...trusted, ...client });
    await provider.register({ ...client, redirect_uris: [connection.callback_url] });
    const email = `ann@${domain}`;
    const { user_id } = await shop.signIn(email);
    const page = await pageAfterLogin(newPerson({ email }), {}, trusted.provider);
    expect((await verify(tokenOf(page))).user_id).toBe(user_id);
  });

  it('by an untrusted provider names the existing account, and is added to it within a session', async () => {
    const person = newPerson();
    const { user_id, session_token } = await shop.signIn(person.email!);
    const { code_verifier, code_challenge } = pkce();
    const page = await pageAfterLogin(person, { code_challenge });
    expect(page.searchParams.get('error')).toBe('account_exists');
    const linked = await verify(tokenOf(page), { code_verifier, session_token });
    expect(linked.user_id).toBe(user_id);
    expect((await verify(tokenOf(await pageAfterLogin(person)))).user_id).toBe(user_id);
  });

  it('that the person declines can be begun again', async () => {
    const { body } = await begin();
    const declined = await comeBack((await provider.deny(body.redirect_url)).url);
    expect(declined.searchParams.get('error')).toBe('access_denied');
    expect(tokenOf(await pageAfterLogin(newPerson()))).toMatch(/^\w{48}$/);
  });

  it('is verified once: a reload of the page is refused, and the session stays', async () => {
    const token = tokenOf(await pageAfterLogin(newPerson()));
    const { session_token } = await verify(token);
    expect(await shop.refusal('POST', '/v1/auth/oauth/verify', { token })).toBe('400 invalid_oauth_token');
    expect(await shop.isSignedIn(session_token)).toBe(true);
  });
});

describe('a single-page app', () => {
  it('logs in with PKCE: its challenge goes out, its verifier comes back', async () => {
    const { code_verifier, code_challenge } = pkce();
    const token = tokenOf(await pageAfterLogin(newPerson(), { code_challenge }));
    const login = await verify(token, { code_verifier });
    expect(login.session_token).not.toBe('');
    expect(login.browser_bound).toBe(true);
  });

  it('that lost its verifier is refused, and the right verifier still works', async () => {
    const { code_verifier, code_challenge } = pkce();
    const token = tokenOf(await pageAfterLogin(newPerson(), { code_challenge }));
    const body = { token, code_verifier: pkce().code_verifier };
    expect(await shop.refusal('POST', '/v1/auth/oauth/verify', { token })).toBe('400 invalid_oauth_token');
    expect(await shop.refusal('POST', '/v1/auth/oauth/verify', body)).toBe('400 invalid_oauth_token');
    expect((await verify(token, { code_verifier })).user_id).toMatch(/^user_/);
  });

  it('may read the beginning from its own origin, and no other page may', async () => {
    expect((await begin()).headers.get('access-control-allow-origin')).toBe('https://shop.example');
    const other = await town.service.call('GET', '/v1/auth/oauth/acme/begin', {
      query: { public_token: shop.app.publicToken },
      headers: { origin: 'https://evil.example' },
    });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('a server-rendered app', () => {
  it('logs in by a link that redirects, in the browser that clicked it', async () => {
    const begun = await begin({ redirect: 'true' });
    const cookie = begun.headers.getSetCookie()[0]!.split(';')[0]!;
    const { url } = await provider.signIn(begun.headers.get('location')!, newPerson());
    const login = await verify(tokenOf(await comeBack(url, cookie)));
    expect(login.browser_bound).toBe(true);
  });

  it('is not signed in by a login that another browser began', async () => {
    const begun = await begin({ redirect: 'true' });
    const { url } = await provider.signIn(begun.headers.get('location')!, newPerson());
    const page = await comeBack(url);
    expect(page.searchParams.get('token')).toBeNull();
    expect(page.searchParams.get('error')).toBe('oauth_browser_mismatch');
  });
});
