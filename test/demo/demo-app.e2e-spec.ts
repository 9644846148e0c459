import { request } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../console/chromium.js';
import { Visitor } from '../console/visitor.js';
import { ensureBuilt } from '../support/built.js';
import { eventually } from '../support/eventually.js';
import { VirtualAuthenticator } from '../support/virtual-authenticator.js';
import { liveService, type LiveService } from './live-service.js';

// What `npm start` serves: the built service with its own PostgreSQL and local chain, and the demo app of this folder.

let service: LiveService;
let browser: Browser;
beforeAll(async () => {
  await ensureBuilt();
  [service, browser] = await Promise.all([liveService(), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** Stands for the ceremonies of the browser, whose headless form has no authenticator: takes and gives bytes, as they do. */
const CEREMONIES = `{
  const text = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0)).buffer;
  const credential = ({ id, type, response: { transports, ...response } }) => ({
    id, type, rawId: bytes(id), getClientExtensionResults: () => ({}),
    response: { ...Object.fromEntries(Object.entries(response).map(([name, value]) => [name, bytes(value)])), getTransports: () => transports },
  });
  navigator.credentials.create = async ({ publicKey: { challenge, rp, user } }) =>
    credential(await makePasskey({ challenge: text(challenge), rp, user: { id: text(user.id) } }));
  navigator.credentials.get = async ({ publicKey: { challenge, rpId } }) => credential(await usePasskey({ challenge: text(challenge), rpId }));
}`;

/** A visitor whose browser has an authenticator. */
async function arrive(): Promise<Visitor> {
  const visitor = await Visitor.arrive(browser, service);
  const authenticator = new VirtualAuthenticator(service.url);
  await visitor.page.exposeFunction('makePasskey', (options: never) => authenticator.create(options));
  await visitor.page.exposeFunction('usePasskey', (options: never) => authenticator.get(options));
  await visitor.page.addInitScript(CEREMONIES);
  await visitor.open('/demo');
  return visitor;
}

async function signInByCode(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Send me a code' }).click();
  await page.locator('#code:valid').waitFor();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: email }).waitFor();
}

const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();

describe('the demo app in Chromium', () => {
  it('signs in by a code that fills itself in, and by the passkey that was added then', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.inspect('demo-sign-in');
    await signInByCode(page, 'grace@example.com');
    await page.getByText('verified offline').waitFor();
    await press(page, 'Add a passkey');
    await page.getByText('from 0.5 ETH on you approve').waitFor();
    await press(page, 'Sign out');
    await press(page, 'Passkey');
    await page.getByText('Signed in with a passkey').waitFor();
    expect(await visitor.leave()).toEqual([]);
  });

  it('signs in at the provider that comes along', async () => {
    const visitor = await arrive();
    await press(visitor.page, 'Company account');
    await visitor.page.getByRole('heading', { name: 'ann@example.com' }).waitFor();
    await visitor.page.getByText('Signed in with the company account').waitFor();
    expect(new URL(visitor.page.url()).search).toBe('');
    expect((await visitor.leave()).filter((fault) => !fault.startsWith('another host: http://127.0.0.1:'))).toEqual([]);
  });

  it('signs in with a wallet of the browser, here the one of the page', async () => {
    const visitor = await arrive();
    await press(visitor.page, 'Wallet');
    await visitor.page.getByText('Signed in with a wallet').waitFor();
    expect(await visitor.leave()).toEqual([]);
  });

  it('signs, pays on the local chain, and lets an agent spend a budget and ask for more', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await signInByCode(page, 'joan@example.com');
    await press(page, 'Add a passkey');
    await press(page, 'Hire an agent');
    await page.getByText('It has spent 0 of 1 ETH').waitFor();
    await press(page, 'Sign');
    await page.getByText(/^0x[0-9a-f]{130}$/).waitFor();
    await press(page, 'Get 5 ETH');
    await page.locator('#balance').getByText('5', { exact: true }).waitFor();
    await press(page, 'Pay');
    await page.locator('#states [data-state=completed]').waitFor();
    const spend = async (amount: string) => {
      await page.getByLabel('It pays').fill(amount);
      await press(page, 'Let it pay');
    };
    await spend('0.4');
    await page.getByText('It has spent 0.4 of 1 ETH').waitFor();
    await spend('0.7');
    await page.getByText('Your agent asks to pay 0.7 ETH').waitFor();
    await visitor.inspect('demo-approval');
    await press(page, 'Approve with your passkey');
    await page.locator('#agent-states [data-state=completed]').waitFor();
    await spend('0.45');
    await page.getByText('It has spent 0.85 of 1 ETH').waitFor();
    await spend('0.2');
    await page.getByRole('alert').filter({ hasText: 'budget' }).waitFor();
    expect(await visitor.leave()).toEqual([]);
  });
});

describe('in Swagger UI of a development start', () => {
  it('keys are filled in by one press, and so are a new user for each press and the code of a mail', async () => {
    const visitor = await Visitor.arrive(browser, service);
    const { page } = visitor;
    await visitor.open('/docs');
    await press(page, 'Use the demo app');
    await page.getByText('Every call now has its key').waitFor();
    await visitor.inspect('docs-with-keys');
    const execute = async (operation: string) => {
      const block = page.locator(`[id$=${operation}]`);
      await block.getByRole('button', { name: 'Execute' }).click();
      return block.locator('.live-responses-table tbody .response-col_status').first().textContent();
    };
    await page.locator('#operations-users-user_create .opblock-summary-control').click();
    expect(await execute('user_create')).toContain('200');
    const created = page.locator('#operations-users-user_create .live-responses-table');
    const first = await created.textContent();
    await page.locator('#operations-users-user_create').getByRole('button', { name: 'Execute' }).click();
    await eventually(async () => expect(await created.textContent()).not.toBe(first));
    expect(await created.textContent()).toContain('user_id');
    const made = /"user_id": "(user_\w+)"/.exec((await created.textContent())!)![1]!;
    await page.getByRole('link', { name: 'Next: Get a user' }).click();
    const parameter = page.locator('#operations-users-user_get').getByPlaceholder('user_id');
    await eventually(async () => expect(await parameter.inputValue()).toBe(made));
    expect(await execute('user_get')).toContain('200');
    await page.locator('#groups').getByRole('link', { name: 'one-time passcodes' }).click();
    await page.locator('[id$=otp_loginOrCreateByEmail] .opblock-summary-control').click();
    expect(await execute('otp_loginOrCreateByEmail')).toContain('200');
    await page.getByRole('link', { name: 'Next: Verify a passcode' }).click();
    const body = page.locator('[id$=otp_verify] textarea').first();
    await eventually(async () => expect(await body.inputValue()).not.toContain('"otp": "123456"'));
    expect(await execute('otp_verify')).toContain('200');
    expect(await visitor.leave()).toEqual([]);
  });
});

describe('the demo app and its keys are for this machine alone', () => {
  it('a page under another name offers neither its keys nor its reset', async () => {
    const visitor = await Visitor.arrive(browser, service);
    const { page } = visitor;
    await page.route('http://rebound.example.com/**', async (route) =>
      route.fulfill({ response: await route.fetch({ url: service.url + new URL(route.request().url()).pathname }) }),
    );
    await page.goto('http://rebound.example.com/docs');
    await page.getByText(`To use the demo app, open ${service.url}/docs`).waitFor();
    expect(await page.locator('#demo button').count()).toBe(0);
    await visitor.leave();
  });

  const status = (headers: Record<string, string>, method = 'POST', path = '/demo/api/me') =>
    new Promise<number>((resolve, reject) => {
      const { port } = new URL(service.url);
      request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
        response.resume();
        resolve(response.statusCode!);
      })
        .on('error', reject)
        .end();
    });

  it('refuses another name, a proxy, and calls of other pages', async () => {
    const { host, origin } = new URL(service.url);
    expect(await status({ host }, 'GET', '/demo')).toBe(200);
    expect(await status({ host: 'rebound.example.com' }, 'GET', '/demo')).toBe(403);
    expect(await status({ host, 'x-forwarded-for': '192.0.2.1' }, 'GET', '/demo')).toBe(403);
    expect(await status({ host, origin })).toBe(400);
    expect(await status({ host, origin: 'https://elsewhere.example.com' })).toBe(403);
    expect(await status({ host })).toBe(403);
  });
});
