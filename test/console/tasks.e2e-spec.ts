import type { Browser, Page } from 'playwright-core';
import { PolicyApp } from '../modules/policy/policies.js';
import { type Receiver, startReceiver } from '../modules/webhooks/webhook-receiver.js';
import { startApp, type TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { GivenApp } from '../support/given.js';
import { type OpenIdProvider, startIdentityProvider } from '../support/identity-provider.js';
import { codeIn } from '../support/inbox.js';
import { Observer } from '../support/observer.js';
import { signRows } from '../support/row-macs.js';
import { type SmsSink, startSmsSink } from '../support/sms-receiver.js';
import { launchChromium } from './chromium.js';
import { consoleSettings, Visitor } from './visitor.js';

/** A public network whose only node is unavailable. */
const SEPOLIA = {
  id: 'eip155:11155111',
  kind: 'ethereum',
  rpc: ['http://127.0.0.1:9'],
  explorer: 'https://sepolia.etherscan.io/tx/{hash}',
};

/** 1 January 2100, 12:00 UTC. */
const NEXT_CENTURY = 4_102_488_000;

let app: TestApp;
let browser: Browser;
let observer: Observer;
let texts: SmsSink;
let receiver: Receiver;
let provider: OpenIdProvider;
beforeAll(async () => {
  [texts, receiver, provider] = await Promise.all([startSmsSink(), startReceiver(), startIdentityProvider()]);
  const env = {
    ...(await consoleSettings()),
    SMS_URL: texts.url,
    NETWORKS: JSON.stringify({ sepolia: SEPOLIA }),
  };
  [app, browser] = await Promise.all([startApp({ env }), launchChromium()]);
  observer = await Observer.of(app);
});
afterAll(async () => {
  await observer?.close();
  await browser?.close();
  await app?.stop();
  await Promise.all([texts?.stop(), receiver?.stop(), provider?.stop()]);
});

let shop: GivenApp;
let visitor: Visitor;
let page: Page;
/** Presses of the pointer, choices in a select, and Enter. */
let presses = 0;
beforeEach(async () => {
  shop = await app.given.app({ name: 'Corner shop', limits: { sms_countries: ['*'] } });
  visitor = await Visitor.arrive(browser, app, { permissions: ['clipboard-read', 'clipboard-write'] });
  page = visitor.page;
  await page.exposeBinding('pressed', () => {
    presses++;
  });
  await page.addInitScript(`
    addEventListener('click', (event) => event.isTrusted && event.detail > 0 && pressed(), true);
    addEventListener('keydown', (event) => event.key === 'Enter' && pressed(), true);
    addEventListener('change', (event) => event.target.matches('select') && pressed(), true);
  `);
  await visitor.signIn(app.managementKey, at(''));
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  presses = 0;
});
afterEach(async () => expect(await visitor.leave()).toEqual([]));

const at = (view: string): string => `/console/apps/${shop.id}${view}`;
const press = (name: string | RegExp): Promise<void> =>
  page.getByRole('button', { name, exact: true }).filter({ visible: true }).first().click();
const follow = (name: string): Promise<void> => page.getByRole('link', { name, exact: true }).first().click();
const inDialog = (name: string): Promise<void> =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
const closed = (): Promise<void> => page.getByRole('dialog').waitFor({ state: 'detached' });
const shows = (text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();

/** A later message of the browser comes after those of all earlier presses. */
async function expectPresses(most: number): Promise<void> {
  await visitor.evaluate('1');
  await page.evaluate('1');
  expect(presses).toBeGreaterThan(0);
  expect(presses).toBeLessThanOrEqual(most);
}

async function jumpTo(entry: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.keyboard.type(entry);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/users\/user_/);
}

let numbers = 0;

/** A person who typed her code 14 seconds too late. */
async function lateForHerCode(): Promise<string> {
  const number = `+1415555${String(1_000 + numbers++)}`;
  const call = (path: string, body: object) => app.call('POST', `/v1/auth/otps/${path}`, { key: shop.secretKey, body });
  const begun = await call('sms/login_or_create', { phone_number: number });
  const method_id = begun.body.phone_number_id as string;
  const otp = codeIn((await texts.smsTo(number)).body);
  await observer.rows(
    `update otps set expires_at = now() - interval '14 seconds', created_at = now() - interval '11 minutes' where method_id = $1`,
    [method_id],
  );
  expect((await call('verify', { method_id, otp })).status).toBe(400);
  return number;
}

async function sawWhy(): Promise<void> {
  await eventually(async () => {
    await page.reload();
    await page.getByText('The code had expired').waitFor({ timeout: 10_000 });
  });
}

describe('the tasks of the console', () => {
  it('says why a person could not sign in, with what to do next', async () => {
    const number = await lateForHerCode();
    await jumpTo(number);
    await sawWhy();
    await shows(/The code had expired 1\d s before it was typed\./);
    await page.getByRole('list', { name: 'What happened' }).getByRole('button', { name: 'Send a new code' }).waitFor();
    await visitor.inspect('task-why');
    await expectPresses(1);
  });

  it('sends a new code from the page of the user', async () => {
    const number = await lateForHerCode();
    const { requests } = texts;
    await jumpTo(number);
    await sawWhy();
    await press('Send a new code');
    await inDialog('Send');
    await closed();
    await eventually(() => expect(texts.requests).toBeGreaterThan(requests));
    await expectPresses(3);
  });

  it('shows what a stuck transfer waits for, what can be done, and its transaction at the explorer', async () => {
    const { user_id } = await app.given.user(shop);
    const [transfer, hash] = [`transfer_${'0'.repeat(26)}`, `0x${'ab'.repeat(32)}`];
    await observer.rows(
      `insert into transfers (app_id, id, user_id, status, stage, source, source_address, dest, chain, network, currency, symbol,
         decimals, amount, fee_cap, notes, expires_at, stuck_since, stuck_reason)
       values ($1, $2, $3, 'pending', 'submitted', $4, '0x1', '0x2', 'sepolia', 'eip155:11155111', 'sepolia', 'ETH', 18, 1, 1, '',
         now(), now(), 'not_in_a_block')`,
      [shop.id, transfer, user_id, `wallet_${'0'.repeat(26)}`],
    );
    await observer.rows(
      `insert into transfer_attempts (app_id, network, hash, transfer_id, kind, ordinal, address, raw, max_fee)
       values ($1, 'eip155:11155111', $2, $3, 'payment', 1, '0x1', '', 1)`,
      [shop.id, hash, transfer],
    );
    await signRows(app, 'transfers');
    await page.reload();
    await follow('Stuck transfers: 1');
    await page.getByRole('table').getByRole('link').first().click();
    await shows('Waits for a block.');
    await shows('This transfer takes too long: no block contains it.');
    await shows('You can cancel the transfer instead.');
    const explorer = page.getByRole('link', { name: /^Block explorer/ });
    expect(await explorer.getAttribute('href')).toBe(`https://sepolia.etherscan.io/tx/${hash}`);
    await page.getByRole('button', { name: 'Cancel transfer' }).waitFor();
    await visitor.inspect('task-stuck');
    await expectPresses(2);
  });

  it('connects a provider whose callback URL comes first, and tests it', async () => {
    await follow('Sign-in providers');
    await page.getByRole('link', { name: 'Google', exact: true }).waitFor();
    await visitor.inspect('task-providers');
    await follow('Other provider');
    await page.getByLabel('Name of the provider').fill('company');
    await page.getByLabel('Issuer').fill(provider.issuer);
    await press('Get the callback URL');
    const callback = await page.getByLabel('Callback URL', { exact: true }).inputValue();
    expect(callback).toContain('/v1/auth/oauth/callback/');
    await page.getByText('not finished', { exact: true }).waitFor();
    await visitor.inspect('task-provider');
    await provider.register({ client_id: 'shop', client_secret: 'shop-secret', redirect_uris: [callback] });
    await page.getByLabel('Client id').fill('shop');
    await page.getByLabel('Client secret').fill('shop-secret');
    await press('Save and test');
    await shows('works as far as it shows without a login');
    await page.getByText('connected', { exact: true }).waitFor();
    await visitor.inspect('task-provider-tested');
    await expectPresses(4);
  });

  it('makes a policy from a template with what the app has, and reads it back as a sentence', async () => {
    await app.call('POST', `/management/v1/apps/${shop.id}/keys`, {
      key: app.managementKey,
      body: { kind: 'restricted', name: 'invoice-bot', scopes: ['transfers:write'] },
    });
    await follow('Policies');
    await follow('New policy');
    await page.getByRole('link', { name: /^An agent with a daily limit/ }).click();
    await page.getByLabel('Highest amount in the period').fill('0.5');
    await page.getByLabel('Most payments in the period').fill('20');
    const sentence = page.getByRole('region', { name: 'What it does' });
    await sentence
      .getByText('Allow transfers of ethereum, at most 0.5 in 24 hours, at most 20 requests in 24 hours.')
      .waitFor();
    await sentence.getByText('Everything else is refused for calls with the key invoice-bot.').waitFor();
    await visitor.inspect('task-policy');
    await press('Store draft');
    await page.getByRole('heading', { name: 'An agent with a daily limit' }).waitFor();
    await press('Activate');
    await inDialog('Activate');
    await closed();
    await page.getByText('active', { exact: true }).first().waitFor();
    await visitor.inspect('task-policy-active');
    await expectPresses(6);
  });

  it('freezes one user', async () => {
    const { user_id } = await app.given.user(shop, { email: 'frozen@example.com', wallet_type: 'ethereum' });
    await jumpTo('frozen@example.com');
    await press('Freeze wallets');
    await inDialog('Freeze wallets');
    await closed();
    await page.getByRole('button', { name: 'Thaw wallets' }).waitFor();
    await expectPresses(3);
    const { body } = await app.call('GET', `/management/v1/apps/${shop.id}/users/${user_id}`, {
      key: app.managementKey,
    });
    expect(body.freezes).toHaveLength(1);
  });

  it('freezes one wallet on the page of its user', async () => {
    await app.given.user(shop, { email: 'wallet@example.com', wallet_type: 'ethereum' });
    await jumpTo('wallet@example.com');
    await press('Freeze');
    await inDialog('Freeze wallet');
    await closed();
    await page.getByText('frozen', { exact: true }).waitFor();
    await visitor.inspect('task-frozen');
    await expectPresses(3);
  });

  it('rotates a key with an overlap, and says which one is older', async () => {
    await app.call('POST', `/management/v1/apps/${shop.id}/keys`, {
      key: app.managementKey,
      body: { kind: 'restricted', name: 'invoice-bot', scopes: ['transfers:write'], rate: 5, expires_at: NEXT_CENTURY },
    });
    await follow('Keys');
    const row = page.getByRole('row', { name: /invoice-bot/ });
    await row.getByRole('button', { name: 'Rotate' }).click();
    await inDialog('Make the new key');
    await page.getByLabel('Key', { exact: true }).waitFor();
    await press('I have stored it');
    await eventually(async () => expect(await row.count()).toBe(2));
    expect(await row.getByText('transfers:write').count()).toBe(2);
    expect(await row.getByText('5 calls per second').count()).toBe(2);
    expect(await row.getByText('Jan 1, 2100').count()).toBe(1);
    expect(await row.getByText(/^(tomorrow|in (1 day|2[34] hours))$/).count()).toBe(1);
    expect(await row.getByText('a newer key has the same name').count()).toBe(1);
    await visitor.inspect('task-key');
    await expectPresses(4);
  });

  it('rotates no key that a policy names, and links to the policy', async () => {
    const policies = PolicyApp.at(app, shop);
    const key = await policies.manage('POST', '/keys', {
      kind: 'restricted',
      name: 'invoice-bot',
      scopes: ['transfers:write'],
    });
    const policy = await policies.version({ name: 'Small amounts', scope: { kind: 'key', id: key.body.id } });
    expect((await policies.activate(policy)).status).toBe(200);
    await follow('Keys');
    const row = page.getByRole('row', { name: /invoice-bot/ });
    await row.getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Small amounts' }).waitFor();
    await visitor.inspect('task-key-refused');
    await inDialog('Make the new key');
    await page.getByRole('dialog').getByText('No key was made').waitFor();
    const { body } = await policies.manage('GET', '/keys');
    expect((body.keys as { name: string }[]).filter(({ name }) => name === 'invoice-bot')).toHaveLength(1);
    await page.getByRole('dialog').getByRole('link', { name: 'Small amounts' }).click();
    await page.getByRole('heading', { name: 'Small amounts' }).waitFor();
    await expectPresses(4);
  });

  it('replays a webhook whose event and last response it shows', async () => {
    receiver.answerWith((response) => response.writeHead(500).end('out of order'));
    await app.call('POST', `/management/v1/apps/${shop.id}/webhook_endpoints`, {
      key: app.managementKey,
      body: { url: receiver.url, event_types: ['user.created'] },
    });
    const { user_id } = await app.given.user(shop);
    await eventually(() => expect(receiver.requests.map(({ body }) => body).join()).toContain(user_id));
    receiver.answerWith((response) => response.end());
    const before = receiver.requests.length;
    await follow('Webhooks');
    await follow(receiver.url);
    await eventually(async () => {
      await page.reload();
      await page.getByText(/^500 after/).waitFor({ timeout: 10_000 });
    });
    await page.locator('summary', { hasText: /^500 after/ }).click();
    await page.getByLabel('The event', { exact: true }).getByText(user_id).waitFor();
    await page.getByLabel('Last response', { exact: true }).getByText('out of order').waitFor();
    await visitor.inspect('task-webhook');
    await press('Resend');
    await inDialog('Resend');
    await closed();
    await eventually(() => expect(receiver.requests.length).toBeGreaterThan(before));
    await expectPresses(5);
  });

  it('shows the outcome of each audited action inside the window', async () => {
    await app.call('PATCH', `/management/v1/apps/${shop.id}`, {
      key: app.managementKey,
      body: { name: 'x'.repeat(256) },
    });
    await app.call('POST', `/management/v1/apps/${shop.id}/redirect_urls`, {
      key: app.managementKey,
      body: { url: `https://example.com/${'y'.repeat(900)}`, kind: 'login' },
    });
    await follow('Audit log');
    const outcome = page.getByRole('columnheader', { name: 'Outcome' });
    await outcome.waitFor();
    const { x, width } = (await outcome.boundingBox())!;
    expect(x + width).toBeLessThanOrEqual(1280);
    const wide = await visitor.evaluate(`document.documentElement.scrollWidth - innerWidth`);
    expect(wide).toBeLessThanOrEqual(0);
    await visitor.inspect('task-audit');
    await expectPresses(1);
  });

  it('exports and erases a person', async () => {
    const { user_id } = await app.given.user(shop, { email: 'leaves@example.com' });
    await jumpTo('leaves@example.com');
    const download = page.waitForEvent('download');
    await press('Export');
    await inDialog('Save file');
    expect((await download).suggestedFilename()).toBe(`${user_id}.json`);
    await closed();
    await press('Erase');
    await page.getByRole('dialog').getByLabel('leaves@example.com').fill('leaves@example.com');
    await inDialog('Erase user');
    await page.getByRole('heading', { name: 'Erasure' }).waitFor();
    await expectPresses(5);
  });
});

describe('an OAuth client', () => {
  it('is created by a form that asks for the kind of program, and its secret is shown once', async () => {
    await follow('OAuth clients');
    await press('Create client');
    await page.getByLabel('Name').fill('Back office');
    await page.getByLabel('Redirect URIs').fill('https://office.example.com/callback');
    await visitor.inspect('task-client');
    await inDialog('Create client');
    const id = await page.getByLabel('Client id').inputValue();
    expect(await page.getByLabel('Client secret').inputValue()).not.toBe('');
    await press('I have stored it');
    await page.getByRole('row', { name: /Back office/ }).waitFor();
    const { body } = await app.call('GET', `/management/v1/apps/${shop.id}/oauth_clients/${id}`, {
      key: app.managementKey,
    });
    expect(body).toMatchObject({
      type: 'confidential',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: ['https://office.example.com/callback'],
      scopes: ['openid', 'email'],
    });
    const path = `/management/v1/apps/${shop.id}/oauth_clients/${id}`;
    await app.ok('PATCH', path, { key: app.managementKey, body: { pkce: 'optional' } });
    await page.reload();
    await page.getByRole('row', { name: /Back office.*PKCE optional/ }).waitFor();
    await visitor.inspect('task-clients');
  });
});
