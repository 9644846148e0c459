import type { Browser } from 'playwright-core';
import type { TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { GivenApp } from '../support/given.js';
import { signRows } from '../support/row-macs.js';
import { Observer } from '../support/observer.js';
import { launchChromium } from './chromium.js';
import { managementKey, startConsole, Visitor } from './visitor.js';

let app: TestApp;
let browser: Browser;
let shop: GivenApp;
beforeAll(async () => {
  [app, browser] = await Promise.all([startConsole(), launchChromium()]);
  shop = await app.given.app({ name: 'Corner shop' });
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
});

let visitor: Visitor;
beforeEach(async () => {
  visitor = await Visitor.arrive(browser, app);
});
afterEach(async () => expect(await visitor.leave()).toEqual([]));

describe('roles', () => {
  it('an auditor reads everything, sees no action, and a form says which role it needs', async () => {
    const user = await app.given.user(shop);
    await visitor.signIn(await managementKey(app, 'auditor'), `/console/apps/${shop.id}/users/${user.user_id}`);
    const { page } = visitor;
    await page.getByText('You may read everything and change nothing.').waitFor();
    await page.getByRole('heading', { name: 'Sign-in methods' }).waitFor();
    for (const name of ['Deactivate', 'Remove', 'Delete'])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    await page.getByRole('link', { name: 'Settings' }).click();
    await expectDisabled(
      page.getByRole('button', { name: 'Save' }).first(),
      'Needs a management key with the role owner.',
    );
    await visitor.inspect('auditor');
  });

  it('an operator deactivates a user and may not create keys', async () => {
    const user = await app.given.user(shop);
    await visitor.signIn(await managementKey(app, 'operator'), `/console/apps/${shop.id}/users/${user.user_id}`);
    const { page } = visitor;
    await page.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByText('cannot sign in again until reactivated').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
    await page.getByText('deactivated', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('table').waitFor();
    expect(await page.getByRole('button', { name: 'Create key' }).count()).toBe(0);
  });
});

/** The button is disabled for a reason that it names, and a click does nothing. */
async function expectDisabled(button: ReturnType<Visitor['page']['getByRole']>, reason: string): Promise<void> {
  expect([await button.getAttribute('aria-disabled'), await button.getAttribute('title')]).toEqual(['true', reason]);
  await button.click({ force: true });
  expect(await visitor.page.getByRole('dialog').count()).toBe(0);
}

describe('a keyboard', () => {
  it('is enough to sign in, create an app, store its keys and open its settings', async () => {
    const { page } = visitor;
    await visitor.open('/console');
    await page.getByLabel('Management key').waitFor();
    await tabTo('Management key');
    await page.keyboard.type(app.managementKey);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Apps' }).waitFor();
    await tabTo('Create app');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo('Name');
    await page.keyboard.type('Keyboard shop');
    await page.keyboard.press('Enter');
    await page.getByText('This is shown only once').waitFor();
    await tabTo('I have stored it');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Keyboard shop' }).waitFor();
    expect(await visitor.focusedName()).toBe('Create app');
    await tabTo('Keyboard shop');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await tabTo('Settings');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    // The heading is there before the settings are loaded.
    await page.getByRole('button', { name: 'Delete app' }).waitFor();
    await tabTo('Delete app');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});

/** Presses Tab until the element with this name has the focus. */
async function tabTo(name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    if ((await visitor.focusedName()) === name) return;
    await visitor.page.keyboard.press('Tab');
  }
  throw new Error(`60 presses of Tab do not lead to ${name}.`);
}

describe('what goes wrong', () => {
  it('a field that the service refuses is marked and says why, and nothing is saved', async () => {
    await visitor.signIn(app.managementKey, `/console/apps/${shop.id}/settings`);
    const { page } = visitor;
    await page.getByLabel('Wrong tries that void a code').fill('900');
    await page.getByRole('button', { name: 'Save' }).nth(1).click();
    await page.getByText('Nothing was saved').waitFor();
    const input = page.getByLabel('Wrong tries that void a code');
    expect(await input.getAttribute('aria-invalid')).toBe('true');
    await page.getByText('must be at most 20 tries').waitFor();
    await visitor.screenshot('refused-field');
    await input.fill('7');
    await page.getByRole('button', { name: 'Save' }).nth(1).click();
    await page.getByText('Saved.').waitFor();
    // It stays when the settings have been loaded again.
    await eventually(async () => expect(await input.getAttribute('value')).toBe('7'));
    expect(await page.getByText('Saved.').isVisible()).toBe(true);
    expect(await input.inputValue()).toBe('7');
  });

  it('what is entered while a form is being saved stays, and is saved by the next click', async () => {
    await visitor.signIn(app.managementKey, `/console/apps/${shop.id}/settings`);
    const { page } = visitor;
    let goOn = (): void => undefined;
    const entered = new Promise<void>((resolve) => (goOn = resolve));
    await page.route('**/management/v1/apps/*', async (route) => {
      if (route.request().method() === 'PATCH') await entered;
      await route.continue();
    });
    const part = page.locator('section').filter({ has: page.getByLabel('Wrong tries that void a code') });
    const [tries, sends] = [part.getByRole('spinbutton').nth(0), part.getByRole('spinbutton').nth(1)];
    await tries.fill('8');
    await part.getByRole('button', { name: 'Save' }).click();
    await part.getByRole('button', { name: 'Working' }).waitFor();
    await sends.fill('9');
    goOn();
    await eventually(async () => expect(await tries.getAttribute('value')).toBe('8'));
    expect(await sends.inputValue()).toBe('9');
    await part.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await eventually(async () => expect(await sends.getAttribute('value')).toBe('9'));
    await page.unroute('**/management/v1/apps/*');
  });

  it('a sign-out in one tab signs the other one out too, and a sign-in brings both back', async () => {
    await visitor.signIn(app.managementKey, `/console/apps/${shop.id}/keys`);
    const other = await visitor.newTab();
    await other.goto(`${app.url}/console/apps/${shop.id}/redirect-urls`);
    await other.getByRole('heading', { name: 'Redirect URLs' }).waitFor();
    await visitor.page.getByRole('button', { name: 'Sign out' }).click();
    await other.getByText('You signed out in another tab.').waitFor();
    await other.getByLabel('Management key').fill(app.managementKey);
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.getByRole('heading', { name: 'Redirect URLs' }).waitFor();
    await visitor.page.getByRole('heading', { name: 'Keys' }).waitFor();
  });

  it('an expired session leads to the sign-in with the reason, and back to the same page', async () => {
    await visitor.signIn(app.managementKey, `/console/apps/${shop.id}`);
    await visitor.page.getByRole('heading', { name: 'Overview' }).waitFor();
    await visitor.context.clearCookies();
    // The overview reads its figures again at any time. If that finds out first, the dialog covers the link.
    await visitor.page.getByRole('link', { name: 'Keys' }).dispatchEvent('click');
    await visitor.page.getByText('Your session has expired').waitFor();
    await visitor.inspect('expired');
    await visitor.page.getByLabel('Management key').fill(app.managementKey);
    await visitor.page.getByRole('button', { name: 'Sign in' }).click();
    await visitor.page.getByRole('heading', { name: 'Keys' }).waitFor();
  });

  it('a session that expires in one tab leads the other one to the sign-in with the same reason', async () => {
    await visitor.signIn(app.managementKey, `/console/apps/${shop.id}/keys`);
    const other = await visitor.newTab();
    await other.goto(`${app.url}/console/apps/${shop.id}/redirect-urls`);
    await other.getByRole('heading', { name: 'Redirect URLs' }).waitFor();
    // A request under way would find out first, in either tab.
    for (const page of [visitor.page, other]) await page.waitForLoadState('networkidle');
    await visitor.context.clearCookies();
    await visitor.page.getByRole('link', { name: 'Users' }).dispatchEvent('click');
    await other.getByText('Your session has expired').waitFor();
    expect(await other.getByText('You signed out in another tab.').count()).toBe(0);
  });

  it('a sign-in at another address than BASE_URL says why the browser is not signed in', async () => {
    const elsewhere = await Visitor.arrive(browser, { url: app.url.replace('127.0.0.1', 'localhost') });
    await elsewhere.open('/console');
    await elsewhere.page.getByLabel('Management key').fill(app.managementKey);
    await elsewhere.page.getByRole('button', { name: 'Sign in' }).click();
    await elsewhere.page.getByText('Open the console at the address in BASE_URL.').waitFor();
    expect(await elsewhere.page.getByLabel('Management key').inputValue()).toBe(app.managementKey);
    expect(await elsewhere.leave()).toEqual([]);
  });

  it('a lost server is named, keeps what was entered, and is tried again on request', async () => {
    await visitor.signIn(app.managementKey, `/console/apps/${shop.id}/keys`);
    const { page } = visitor;
    await page.getByRole('table').waitFor();
    await visitor.context.setOffline(true);
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('staging');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByText('The service cannot be reached').waitFor();
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('staging');
    await visitor.screenshot('lost-server');
    await visitor.context.setOffline(false);
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('row', { name: 'staging' }).waitFor();
  });

  it('an app that does not exist and an address without a page say so', async () => {
    await visitor.signIn(app.managementKey, '/console/apps/app_00000000000000000000000000/keys');
    await visitor.page.getByRole('alert').waitFor();
    await visitor.open(`/console/apps/${shop.id}/nothing`);
    await visitor.page.getByText('The console has no page at this address.').waitFor();
  });
});

describe('the overview', () => {
  it('shows a stuck transfer that has more than 100 newer pending ones, and leads to it', async () => {
    const observer = await Observer.of(app);
    // The network is not configured, so the service leaves them as they are.
    await observer.rows(
      `insert into transfers (app_id, id, user_id, status, stage, source, source_address, dest, chain, network, currency, symbol,
         decimals, amount, fee_cap, notes, expires_at, stuck_since, stuck_reason)
       select $1, 'transfer_' || lpad(i::text, 26, '0'), 'user_1', 'pending', 'queued', 'wallet_1', '0x1', '0x2', 'ethereum',
         'eip155:1', 'ethereum', 'ETH', 18, i + 1, 1, '', now(), case when i = 0 then now() end,
         case when i = 0 then 'waits_in_queue' end from generate_series(0, 100) i`,
      [shop.id],
    );
    await observer.close();
    await signRows(app, 'transfers');
    await visitor.signIn(app.managementKey, `/console/apps/${shop.id}`);
    const { page } = visitor;
    await page.getByRole('link', { name: 'Stuck transfers: 1', exact: true }).click();
    await page.getByRole('heading', { name: 'Transfers' }).waitFor();
    const rows = page.getByRole('table').locator('tbody tr');
    await eventually(async () => expect(await rows.count()).toBe(1));
    await rows.getByText('stuck', { exact: true }).waitFor();
    await visitor.inspect('transfers-stuck');
    await page.getByLabel('Progress').selectOption('all');
    await page.getByRole('button', { name: 'Apply' }).click();
    await eventually(async () => expect(await rows.count()).toBe(25));
    await page.goBack();
    await eventually(async () => expect(await rows.count()).toBe(1));
  });
});

describe('the documentation', () => {
  it('opens in a browser under its policy and shows the operations', async () => {
    await visitor.open('/docs');
    await visitor.page.locator('.opblock').first().waitFor();
    await visitor.screenshot('docs');
  });
});
