import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { type Client, createClient, ok } from '../../openapi/client/src/index.js';
import type { TestApp } from '../support/app.js';
import { type OpenIdProvider, startIdentityProvider } from '../support/identity-provider.js';
import { launchChromium } from './chromium.js';
import { startConsole, Visitor } from './visitor.js';

let app: TestApp;
let browser: Browser;
let provider: OpenIdProvider;
beforeAll(async () => {
  [app, browser, provider] = await Promise.all([startConsole(), launchChromium(), startIdentityProvider()]);
});
afterAll(async () => {
  await browser?.close();
  await provider?.stop();
  await app?.stop();
});

describe('the files of the console', () => {
  const contentOf = (name: string): Buffer => readFileSync(`dist/console/${name}`);
  const compressed = (names: Iterable<string>): number =>
    [...names].reduce((sum, name) => sum + gzipSync(contentOf(name)).length, 0);
  const all = (): string[] => ['index.html', ...readdirSync('dist/console/assets').map((name) => `assets/${name}`)];

  /** The page with its files, the scripts that they import, and the charts, which the first view of an app loads. */
  const loadedAtFirst = (): Set<string> =>
    withImports(['index.html', ...all().filter((name) => name.startsWith('assets/plot'))]);

  function withImports(names: readonly string[], without: ReadonlySet<string> = new Set()): Set<string> {
    const loaded = new Set(names);
    // The set grows while it is read. Scripts that load later are imported by a call.
    for (const name of loaded)
      for (const [, found] of contentOf(name)
        .toString()
        .matchAll(/(?:(?:from|import)\s*"\.\/|"\.\/assets\/)([\w.-]+)"/g))
        if (!without.has(`assets/${found}`)) loaded.add(`assets/${found}`);
    return loaded;
  }

  it('have at most 74 KB together, compressed, if they are loaded at first', () => {
    const loaded = loadedAtFirst();
    expect([...loaded].filter((name) => /\.(css|svg)$/.test(name))).toHaveLength(2);
    expect(compressed(loaded)).toBeLessThanOrEqual(74 * 1024);
  });

  it('have at most 14 KB for each page that is loaded later, compressed, with all that it imports', () => {
    const loaded = loadedAtFirst();
    const later = all().filter((name) => !loaded.has(name));
    expect(later.filter((name) => name.startsWith('assets/approval'))).toHaveLength(2);
    const letters = later.filter((name) => name.endsWith('.woff2'));
    expect(letters).toHaveLength(2);
    expect(compressed(letters)).toBeLessThanOrEqual(120 * 1024);
    const scripts = later.filter((name) => name.endsWith('.js'));
    expect(scripts.length).toBeGreaterThan(20);
    for (const name of scripts)
      expect([name, compressed(withImports([name], loaded)) <= 14 * 1024]).toEqual([name, true]);
  });

  it('are kept by browsers, except for the page, which is fetched each time', async () => {
    const page = await app.call('GET', '/console/apps/app_any/keys');
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const script = /src="([^"]+)"/.exec(page.text)![1]!;
    const file = await app.call('GET', script);
    expect([file.status, file.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    const policy = page.headers.get('content-security-policy')!;
    for (const directive of ["default-src 'none'", "script-src 'self'", "frame-src 'self'", "trusted-types 'none'"])
      expect(policy.split('; ')).toContain(directive);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect((await app.call('GET', '/console/assets/none.js')).status).toBe(404);
  });

  it('may be framed by no page, except for the empty page of a mail, which may run nothing', async () => {
    const policyOf = async (path: string): Promise<string[]> =>
      (await app.call('GET', path)).headers.get('content-security-policy')!.split('; ');
    for (const path of ['/console', '/docs', '/livez', '/errors'])
      expect(await policyOf(path)).toContain("frame-ancestors 'none'");
    const mail = await app.call('GET', '/console/mail');
    expect(mail.headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect(await policyOf('/console/mail')).toEqual([
      "default-src 'none'",
      "style-src 'unsafe-inline'",
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'",
      'sandbox allow-same-origin',
    ]);
  });
});

/** Signs Ann in at the provider as a program does, with a session. */
async function signInAnn(client: Client): Promise<string> {
  const begun = await ok(client.GET('/v1/auth/oauth/{provider}/begin', { params: { path: { provider: 'company' } } }));
  const person = {
    sub: 'ann-1',
    email: 'ann@example.com',
    email_verified: true,
    given_name: 'Ann',
    family_name: 'Lee',
  };
  const callback = await provider.signIn(begun.redirect_url, person);
  const back = await fetch(callback.url, { redirect: 'manual' });
  const token = new URL(back.headers.get('location')!).searchParams.get('token')!;
  const login = await ok(client.POST('/v1/auth/oauth/verify', { body: { token, session_expires_in: 60 } }));
  return login.user_id;
}

describe('an owner with a new service', () => {
  let visitor: Visitor;
  let userId: string;
  let client: Client;
  beforeAll(async () => {
    visitor = await Visitor.arrive(browser, app);
  });
  afterAll(() => visitor?.context.close());
  afterEach(() => expect(visitor.faults).toEqual([]));

  const goTo = (title: string): Promise<void> => visitor.page.getByRole('link', { name: title, exact: true }).click();

  it('signs in and creates an app, whose keys are shown once', async () => {
    const { page } = visitor;
    await visitor.open('/console');
    await page.getByLabel('Management key').fill('mk_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('does not accept this key').waitFor();
    await visitor.inspect('sign-in');
    await visitor.signIn(app.managementKey);
    await page.getByRole('button', { name: 'Create app' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Corner shop');
    await visitor.inspect('create-app');
    await page.getByRole('dialog').getByRole('button', { name: 'Create app' }).click();
    const secretKey = await page.getByLabel('Secret key (for your backend)').inputValue();
    const publicToken = await page.getByLabel('Public token (for web pages)').inputValue();
    expect([secretKey.slice(0, 8), publicToken.slice(0, 8)]).toEqual(['sk_test_', 'pk_test_']);
    client = createClient({ baseUrl: app.url, secretKey, publicToken });
    await visitor.screenshot('shown-once');
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await visitor.inspect('apps');
    await goTo('Corner shop');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  it('creates and revokes a key', async () => {
    const { page } = visitor;
    await goTo('Keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('staging');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('row', { name: 'staging' }).getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('every replica refuses the key').waitFor();
    await visitor.inspect('revoke');
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByRole('row', { name: 'staging' }).waitFor({ state: 'detached' });
  });

  it('creates a restricted key and shows its limits', async () => {
    const { page } = visitor;
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Create restricted key' }).click();
    await visitor.inspect('create-restricted-key');
    await page.getByRole('textbox', { name: 'Name' }).fill('agent');
    await page.getByRole('checkbox', { name: 'wallets:read' }).check();
    await page.getByRole('checkbox', { name: 'wallets:sign' }).check();
    await page.getByRole('textbox', { name: 'Networks' }).fill('192.0.2.0/24\n192.0.2.7/24');
    await page.getByLabel('Calls per second').fill('5');
    await dialog.getByRole('button', { name: 'Create restricted key' }).click();
    await dialog.getByText('Line 2').waitFor();
    await page.getByRole('textbox', { name: 'Networks' }).fill('192.0.2.0/24');
    await dialog.getByRole('button', { name: 'Create restricted key' }).click();
    expect(await page.getByLabel('Key', { exact: true }).inputValue()).toMatch(/^rk_test_/);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    const row = page.getByRole('row', { name: 'agent' });
    for (const shown of ['restricted', 'wallets:read, wallets:sign', 'from 192.0.2.0/24', '5 calls per second'])
      await row.getByText(shown).waitFor();
    await visitor.inspect('keys');
  });

  it('registers a redirect URL, and connects and tests a provider', async () => {
    const { page } = visitor;
    await goTo('Redirect URLs');
    for (const kind of ['login', 'registration']) {
      await page.getByRole('button', { name: 'Add URL' }).click();
      await page.getByRole('textbox', { name: 'URL' }).fill('http://127.0.0.1:9/done');
      await page.getByLabel('Used after').selectOption(kind);
      await page.getByRole('dialog').getByRole('button', { name: 'Add URL' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await goTo('Sign-in providers');
    await goTo('Other provider');
    await page.getByLabel('Name of the provider').fill('company');
    await page.getByLabel('Issuer').fill(provider.issuer);
    await page.getByRole('button', { name: 'Get the callback URL' }).click();
    const callbackUrl = await page.getByLabel('Callback URL', { exact: true }).inputValue();
    await provider.register({ client_id: 'shop', client_secret: 'shop-secret', redirect_uris: [callbackUrl] });
    await page.getByLabel('Client id').fill('shop');
    await page.getByLabel('Client secret').fill('shop-secret');
    await page.getByRole('button', { name: 'Save and test' }).click();
    await page.getByText('works as far as it shows without a login').waitFor();
    await goTo('Sign-in providers');
    await page.getByRole('row', { name: 'company' }).waitFor();
    await goTo('Other provider');
    await page.getByLabel('Name of the provider').fill('mistyped');
    await page.getByLabel('Issuer').fill(`${provider.issuer}/elsewhere`);
    await page.getByRole('button', { name: 'Get the callback URL' }).click();
    await page.getByLabel('Callback URL', { exact: true }).waitFor();
    await goTo('Sign-in providers');
    const mistyped = page.getByRole('row', { name: 'mistyped' });
    await mistyped.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText('Check the issuer: it must be spelled exactly').waitFor();
    await visitor.screenshot('connection-test');
  });

  it('sees a user who signed in, with wallet, session and signature, and ends the session', async () => {
    const { page } = visitor;
    userId = await signInAnn(client);
    const wallets = await ok(client.GET('/v1/wallets/list', { params: { query: { user_id: userId } } }));
    const path = { wallet_id: wallets.wallets[0]!.id };
    await ok(client.POST('/v1/wallets/{wallet_id}/sign_message', { params: { path }, body: { message: 'I agree' } }));
    await goTo('Users');
    await page.getByLabel('Search for').fill('ann@');
    await page.getByRole('button', { name: 'Apply' }).click();
    await goTo('ann@example.com');
    await page.getByText(wallets.wallets[0]!.public_address, { exact: true }).waitFor();
    await visitor.untilShown('Message signed.');
    await visitor.screenshot('user-signed-in');
    await page.getByRole('button', { name: 'End', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click();
    await page.getByText('No live session.').waitFor();
    await visitor.untilShown('Session ended.');
    await goTo('Audit log');
    await visitor.untilShown('Session ended');
  });

  it('adds a webhook endpoint, sends it a test event and rotates its secret', async () => {
    const { page } = visitor;
    await goTo('Webhooks');
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByRole('textbox', { name: 'URL' }).fill('http://127.0.0.1:9/hooks');
    await page.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }).click();
    const secret = await page.getByLabel('Signing secret', { exact: true }).inputValue();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await goTo('http://127.0.0.1:9/hooks');
    await page.getByRole('button', { name: 'Send test event' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send test event' }).click();
    await visitor.untilShown('webhook.test');
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    const next = await page.getByLabel('Signing secret', { exact: true }).inputValue();
    expect([secret, next]).toEqual([expect.stringMatching(/^whsec_/), expect.stringMatching(/^whsec_/)]);
    expect(next).not.toBe(secret);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await visitor.inspect('webhook');
  });
});
