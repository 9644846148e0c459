import type { Browser, Page } from 'playwright-core';
import { ProveAddress } from '../../src/modules/identity/index.js';
import type { AppId } from '../../src/kernel/ids.js';
import type { TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { GivenApp } from '../support/given.js';
import { Observer } from '../support/observer.js';
import { launchChromium } from './chromium.js';
import { managementKey, startConsole, Visitor } from './visitor.js';

let app: TestApp;
let browser: Browser;
let observer: Observer;
let shop: GivenApp;
let support: string;
beforeAll(async () => {
  [app, browser] = await Promise.all([startConsole(), launchChromium()]);
  observer = await Observer.of(app);
  shop = await app.given.app({ name: 'Corner shop' });
  support = await managementKey(app, 'support');
});
afterAll(async () => {
  await observer?.close();
  await browser?.close();
  await app?.stop();
});

let visitor: Visitor;
let page: Page;
beforeEach(async () => {
  visitor = await Visitor.arrive(browser, app, { permissions: ['clipboard-read', 'clipboard-write'] });
  page = visitor.page;
});
afterEach(async () => expect(await visitor.leave()).toEqual([]));

const at = (view: string): string => `/console/apps/${shop.id}${view}`;
/** Opens the dialog of an action, fills it in and confirms it. */
async function act(name: string, entries: Readonly<Record<string, string>>, confirm = name): Promise<void> {
  await page.getByRole('button', { name, exact: true }).first().click();
  const dialog = page.getByRole('dialog');
  for (const [label, value] of Object.entries(entries)) await dialog.getByLabel(label).fill(value);
  await dialog.getByRole('button', { name: confirm, exact: true }).click();
}
const closed = (): Promise<void> => page.getByRole('dialog').waitFor({ state: 'detached' });

describe('a support key', () => {
  it('creates a user, edits the names, adds and removes addresses, and deletes the user', async () => {
    await visitor.signIn(support, at('/users'));
    await act('Create user', { Email: 'grace@example.com', 'First name': 'Grace' });
    await closed();
    await page.getByRole('link', { name: 'grace@example.com' }).click();
    await page.getByRole('heading', { name: 'Grace' }).waitFor();
    await act('Edit names', { 'First name': '', 'Last name': 'Hopper' }, 'Save');
    await closed();
    await page.getByRole('heading', { name: 'Hopper', exact: true }).waitFor();
    await act('Add email', { Email: 'grace@navy.example' });
    await closed();
    const row = page.getByRole('row', { name: /grace@navy\.example/ });
    await row.getByText('not verified').waitFor();
    await visitor.inspect('user-for-support');
    await row.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('dialog').getByText('grace@navy.example').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await row.waitFor({ state: 'detached' });
    await act('Unlock codes', {});
    await closed();
    await act('Delete', {}, 'Delete user');
    await page.getByRole('heading', { name: 'Users' }).waitFor();
    expect(await page.getByRole('link', { name: 'grace@example.com' }).count()).toBe(0);
  });

  it('finds a user by the external id, and sees what the app keeps with the user', async () => {
    await app.given.user(shop, { email: 'mary@example.com', external_id: 'crm-7', metadata: { plan: 'pro' } });
    await visitor.signIn(support, at('/users'));
    await page.getByLabel('Search by').selectOption('external_id');
    await page.getByLabel('Search for').fill('crm-7');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'mary@example.com' }).click();
    await page.getByText('crm-7', { exact: true }).waitFor();
    await page.getByText('{"plan":"pro"}').waitFor();
  });

  it('sees why the last verified sign-in method stays', async () => {
    const { user_id } = await app.given.user(shop, { email: 'ada@example.com' });
    await app.nest.get(ProveAddress).email(shop.id as AppId, 'ada@example.com', {});
    await visitor.signIn(support, at(`/users/${user_id}`));
    await act('Remove', {});
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
    await closed();
    await page
      .getByRole('row', { name: /ada@example\.com/ })
      .getByText('verified', { exact: true })
      .waitFor();
  });

  it('neither exports nor erases a user', async () => {
    const { user_id } = await app.given.user(shop);
    await visitor.signIn(support, at(`/users/${user_id}`));
    await page.getByRole('button', { name: 'Delete', exact: true }).waitFor();
    for (const name of ['Export', 'Erase'])
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
  });

  it('sees no action on keys, endpoints and transfers', async () => {
    await visitor.signIn(support, at('/keys'));
    await page.getByRole('table').waitFor();
    expect(await page.getByRole('button', { name: /key|Revoke/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    expect(await page.getByRole('button', { name: 'Add endpoint' }).count()).toBe(0);
  });
});

/** The JSON of the file that a click saves. */
async function saved(click: () => Promise<void>, name: string): Promise<unknown> {
  const download = page.waitForEvent('download');
  await click();
  const file = await download;
  expect(file.suggestedFilename()).toBe(name);
  const chunks: Buffer[] = [];
  for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
}

describe('an owner', () => {
  it('exports all about a user', async () => {
    const { user_id } = await app.given.user(shop, { first_name: 'Ada' });
    await visitor.signIn(app.managementKey, at(`/users/${user_id}`));
    const exported = await saved(() => act('Export', {}, 'Save file'), `${user_id}.json`);
    expect(exported).toMatchObject({ user_id, data: { user: [{ first_name: 'Ada' }], transfers: [] } });
  });

  it('erases a user, whose name must be entered, and saves the receipt, to which the page of the user leads', async () => {
    const { user_id } = await app.given.user(shop, { email: 'erased@example.com', wallet_type: 'ethereum' });
    await visitor.signIn(app.managementKey, at(`/users/${user_id}`));
    await act('Erase', { 'erased@example.com': 'another' }, 'Erase user');
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.getByRole('dialog').getByLabel('erased@example.com').fill('erased@example.com');
    await page.getByRole('dialog').getByRole('button', { name: 'Erase user', exact: true }).click();
    await page.getByRole('heading', { name: 'Erasure' }).waitFor();
    await page.getByRole('row', { name: /emails removed 1/ }).waitFor();
    await page.getByRole('row', { name: /wallets kept 1 A wallet keeps its sealed key/ }).waitFor();
    await visitor.inspect('erasure');
    const save = page.getByRole('button', { name: 'Save receipt' });
    expect(await saved(() => save.click(), `${user_id}-erasure.json`)).toMatchObject({ user_id, status: 'done' });
    await visitor.open(at(`/users/${user_id}`));
    await page.getByRole('link', { name: /^Receipt of the erasure/ }).click();
    await page.getByRole('heading', { name: 'Erasure' }).waitFor();
  });

  it('sees how far an erasure is', async () => {
    const { user_id } = await app.given.user(shop);
    const receipt = { user_id, percent: 42, requested_at: 1_764_000_000, finished_at: 0, lines: [] };
    await page.route('**/erase', (route) => route.fulfill({ json: { ...receipt, status: 'running' } }));
    await visitor.signIn(app.managementKey, at(`/erasures/${user_id}`));
    const progress = page.getByRole('progressbar', { name: 'Progress of the erasure' });
    expect(await progress.getAttribute('value')).toBe('42');
    expect(await page.getByRole('button', { name: 'Save receipt' }).count()).toBe(0);
    await visitor.inspect('erasure-running');
    await page.unroute('**/erase');
    await page.route('**/erase', (route) => route.fulfill({ json: { ...receipt, percent: 100, status: 'done' } }));
    await page.getByText('done', { exact: true }).waitFor();
  });
});

describe('a secret that is shown once', () => {
  it('stays until its button is pressed, however often Escape is', async () => {
    await visitor.signIn(app.managementKey, at('/keys'));
    await act('Create key', { Name: 'staging' });
    const secret = page.getByRole('dialog').locator('input[readonly]').first();
    const value = await secret.inputValue();
    for (let presses = 0; presses < 4; presses++) await page.keyboard.press('Escape');
    expect(await secret.inputValue()).toBe(value);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await closed();
  });
});

describe('an expired session', () => {
  it('is renewed over the page, which keeps what was typed', async () => {
    await visitor.signIn(app.managementKey, at('/keys'));
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('typed before');
    await visitor.context.clearCookies();
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Your session has expired').waitFor();
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Escape');
    await page.getByLabel('Management key').fill(app.managementKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Your session has expired').waitFor({ state: 'detached' });
    const name = page.getByRole('textbox', { name: 'Name' });
    expect(await name.inputValue()).toBe('typed before');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('row', { name: /typed before/ }).waitFor();
  });
});

describe('a table', () => {
  it('with a name of 256 characters is as wide as the page, and the title of the cell has the name', async () => {
    const name = '\u202e' + 'x'.repeat(255);
    const { email } = await app.given.user(shop, {
      first_name: name,
      email: `${'a'.repeat(60)}@${'b'.repeat(60)}.example`,
    });
    await visitor.signIn(support, at('/users'));
    await page.getByRole('link', { name: email }).waitFor();
    const wide = await visitor.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(wide).toBeLessThanOrEqual(0);
    const cell = page.locator(`td [title="${name}"]`);
    expect(await cell.locator('bdi').innerText()).toBe(name);
    const box = (await cell.boundingBox())!;
    expect([box.width < 420, box.height < 40]).toEqual([true, true]);
    await visitor.inspect('users-with-long-name');
  });
});

describe('ids and times', () => {
  it('are copied by a button, and shown relative with seconds and zone in the title', async () => {
    const { user_id } = await app.given.user(shop);
    await visitor.signIn(support, at(`/users/${user_id}`));
    await page.getByRole('button', { name: `Copy ${user_id}` }).click();
    await page.getByText('Copied.').first().waitFor({ state: 'attached' });
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(user_id);
    const time = page.locator('time').first();
    expect(await time.innerText()).toMatch(/^(now|\d+ seconds? ago)$/);
    expect(await time.getAttribute('title')).toMatch(/\d:\d\d:\d\d.*(UTC|GMT|[A-Z]{3,})/);
  });
});

describe('a pending message', () => {
  it('is shown as sent without a reload', async () => {
    await observer.rows(
      `insert into messages (app_id, id, channel, kind, recipient) values ($1, 'msg_' || repeat('0', 26), 'sms', 'one_time_code', '+14155550199')`,
      [shop.id],
    );
    await visitor.signIn(support, at('/messages'));
    const row = page.getByRole('row', { name: /\+14155550199/ });
    await row.getByText('pending').waitFor();
    await observer.rows(`update messages set status = 'sent', sent_at = now() where app_id = $1`, [shop.id]);
    await row.getByText('sent', { exact: true }).waitFor();
  });
});

describe('the search box', () => {
  it('leads from an email, a phone number, an id, an address or a hash to its object, and finds pages, calls and errors', async () => {
    const user = await app.given.user(shop, { email: 'jump@example.com', phone_number: '+4915112349999' });
    const { body } = await app.call('GET', `/v1/auth/users/${user.user_id}`, { key: shop.secretKey });
    const [wallet] = body.wallets;
    const [transfer, hash] = [`transfer_${'0'.repeat(26)}`, `0x${'ab'.repeat(32)}`];
    await observer.rows(
      `with paid as (
         insert into transfers (app_id, id, user_id, status, source, source_address, dest, chain, network, currency, symbol, decimals,
           amount, fee_cap, notes, expires_at)
         values ($1, $2, $3, 'expired', $4, '0x1', '0x2', 'ethereum', 'eip155:1', 'ethereum', 'ETH', 18, 1, 1, '', now()) returning id)
       select id from paid`,
      [shop.id, transfer, user.user_id, wallet.id],
    );
    await observer.rows(
      `insert into transfer_attempts (app_id, network, hash, transfer_id, kind, ordinal, address, raw, max_fee)
       values ($1, 'eip155:1', $2, $3, 'payment', 1, '0x1', '', 1)`,
      [shop.id, hash, transfer],
    );
    await visitor.signIn(support, at(''));
    for (const [entry, view] of [
      ['jump@example.com', `/users/${user.user_id}`],
      ['+49 151 1234 9999', `/users/${user.user_id}`],
      [user.user_id, `/users/${user.user_id}`],
      [user.email_id, `/users/${user.user_id}`],
      [wallet.id, `/users/${user.user_id}`],
      [wallet.public_address, `/users/${user.user_id}`],
      [transfer, `/transfers/${transfer}`],
      [hash, `/transfers/${transfer}`],
    ] as const) {
      await visitor.open(at(''));
      await page.getByRole('searchbox').waitFor();
      await page.keyboard.press('Control+k');
      expect(await visitor.evaluate('document.activeElement.type')).toBe('search');
      await page.keyboard.type(entry);
      await page.keyboard.press('Enter');
      await eventually(() => expect([entry, new URL(page.url()).pathname]).toEqual([entry, at(view)]));
    }
    await page.keyboard.press('Control+k');
    await page.keyboard.type('none@example.com');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing fits').waitFor();
    for (const [entry, found] of [
      ['insufficient_funds', 'Error: insufficient funds'],
      ['sign typed data', /^Call: Sign typed data/],
      ['exactly once', 'Exactly once'],
    ] as const) {
      await page.getByRole('searchbox').fill(entry);
      await page.keyboard.press('Enter');
      await page.getByRole('search').getByRole('link', { name: found }).first().waitFor();
    }
  });
});
