import type { Browser, Page } from 'playwright-core';
import type { TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { GivenApp } from '../support/given.js';
import { Observer } from '../support/observer.js';
import { signIn } from '../support/sign-in.js';
import { launchChromium } from './chromium.js';
import { startConsole, Visitor } from './visitor.js';

let app: TestApp;
let browser: Browser;
let shop: GivenApp;
beforeAll(async () => {
  [app, browser] = await Promise.all([startConsole(), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
});

let visitor: Visitor;
let page: Page;
let other: Page;
beforeEach(async () => {
  shop = await app.given.app({ name: 'Corner shop' });
  visitor = await Visitor.arrive(browser, app);
  page = visitor.page;
  await visitor.signIn(app.managementKey, at(''));
  other = await visitor.newTab();
});
afterEach(async () => expect(await visitor.leave()).toEqual([]));

const at = (view: string): string => `/console/apps/${shop.id}${view}`;
const openInOtherTab = (view: string): Promise<unknown> => other.goto(`${app.url}${at(view)}`);

describe('an open dialog', () => {
  it('acts on the object that it was opened for after another tab has changed the list', async () => {
    await createKey(page, 'staging');
    await page.getByRole('row', { name: 'staging' }).getByRole('button', { name: 'Revoke' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Revoke the key staging?').waitFor();
    await createKey(other, 'production');
    // Newest first, so the dialog is in another row than before.
    const names = page.locator('tbody th');
    await eventually(async () => expect((await names.allInnerTexts()).slice(0, 2)).toEqual(['production', 'staging']));
    await dialog.getByText('Revoke the key staging?').waitFor();
    await dialog.getByRole('button', { name: 'Revoke key' }).click();
    await dialog.waitFor({ state: 'detached' });
    await eventually(async () =>
      expect(await names.allInnerTexts()).not.toContainEqual(expect.stringContaining('staging')),
    );
    expect((await names.allInnerTexts())[0]).toContain('production');
  });

  async function createKey(tab: Page, name: string): Promise<void> {
    await tab.goto(`${app.url}${at('/keys')}`);
    await tab.getByRole('button', { name: 'Create key' }).click();
    await tab.getByRole('textbox', { name: 'Name' }).fill(name);
    await tab.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await tab.getByRole('button', { name: 'I have stored it' }).click();
    await tab.getByRole('row', { name }).waitFor();
  }

  it('closes when its object leaves the list, also when another one takes its place', async () => {
    const { user_id: user } = await app.given.user(shop);
    const begin = async (): Promise<string> => (await signIn(app, shop, { user_id: user })).session!.id;
    const [ended, kept] = [await begin(), await begin()];
    const openDialog = async (tab: Page): Promise<void> => {
      await tab.goto(`${app.url}${at(`/users/${user}`)}`);
      await tab.getByRole('button', { name: 'End', exact: true }).first().click();
      await tab.getByRole('dialog').getByText(ended).waitFor();
    };
    await openDialog(page);
    await openDialog(other);
    await other.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const { body } = await app.call('GET', `/management/v1/apps/${shop.id}/users/${user}`, { key: app.managementKey });
    expect((body.sessions as { id: string }[]).map(({ id }) => id)).toEqual([kept]);
  });

  it('does what it was opened for after another tab has done the same', async () => {
    const { user_id: user } = await app.given.user(shop);
    await visitor.open(at(`/users/${user}`));
    await page.getByRole('button', { name: 'Deactivate' }).click();
    await openInOtherTab(`/users/${user}`);
    await other.getByRole('button', { name: 'Deactivate' }).click();
    await other.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
    await page.getByText('deactivated', { exact: true }).waitFor();
    await page.getByRole('dialog').locator('button.danger').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const { body } = await app.call('GET', `/management/v1/apps/${shop.id}/users/${user}`, { key: app.managementKey });
    expect(body.active).toBe(false);
  });
});

describe('a saved form', () => {
  const management = async (method: string, path: string, body?: unknown) => {
    const answer = await app.call(method, `/management/v1/apps/${shop.id}${path}`, {
      key: app.managementKey,
      ...(body !== undefined && { body }),
    });
    expect(answer.status).toBe(200);
    return answer.body;
  };
  const part = (title: string) => page.locator('section').filter({ has: page.getByRole('heading', { name: title }) });

  it('of settings keeps what another operator has saved since the page was loaded', async () => {
    const bound = (amount: string) =>
      management('PATCH', '', { transfer_policy: { max_amounts: [{ currency: 'ethereum', max_amount: amount }] } });
    await bound('0.5');
    await visitor.open(at('/settings'));
    const amounts = page.getByRole('textbox', { name: /^Highest amount/ });
    await amounts.waitFor();
    expect(await amounts.inputValue()).toBe('ethereum 0.5');
    await bound('0.1');
    await page.getByRole('textbox', { name: /^Highest fee/ }).fill('ethereum 0.01');
    await part('Transfer policy').getByRole('button', { name: 'Save' }).click();
    await part('Transfer policy').getByText('Saved.').waitFor();
    expect((await management('GET', '')).transfer_policy).toEqual({
      allowed_destinations: null,
      max_amounts: [{ currency: 'ethereum', max_amount: '0.1' }],
      max_fees: [{ currency: 'ethereum', max_fee: '0.01' }],
    });
    await eventually(async () => expect(await amounts.inputValue()).toBe('ethereum 0.1'));
  });

  it('of limits stores no default, so that a later default applies', async () => {
    const stored = async () => {
      const observer = await Observer.of(app);
      const rows = await observer.rows('select limits from apps where id = $1', [shop.id]);
      await observer.close();
      return rows[0]!.limits;
    };
    await visitor.open(at('/settings'));
    const tries = page.getByLabel('Wrong tries that void a code');
    for (const [entry, limits] of [
      ['7', { wrongTriesPerCode: 7 }],
      ['', {}],
    ] as const) {
      await tries.fill(entry);
      await part('Limits').getByRole('button', { name: 'Save' }).click();
      await part('Limits').getByText('Saved.').waitFor();
      expect(await stored()).toEqual(limits);
    }
  });

  it('of settings without any change calls nothing', async () => {
    await visitor.open(at('/settings'));
    const calls: string[] = [];
    page.on('request', (request) => calls.push(request.method()));
    await part('Limits').getByRole('button', { name: 'Save' }).click();
    await part('Limits').getByText('Saved.').waitFor();
    expect(calls).not.toContain('PATCH');
  });

  it('of a connection keeps what another operator has saved since the dialog was opened', async () => {
    const { id } = await app.given.connection(shop, { provider: 'google', client_id: 'shop', client_secret: 'secret' });
    await visitor.open(at('/connections'));
    await page.getByRole('button', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Client id' }).fill('new-shop');
    const before = await management('GET', `/oauth_connections/${id}`);
    await management('PATCH', `/oauth_connections/${id}`, { trusts_email: !before.trusts_email });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await management('GET', `/oauth_connections/${id}`)).toMatchObject({
      client_id: 'new-shop',
      trusts_email: !before.trusts_email,
    });
  });
});
