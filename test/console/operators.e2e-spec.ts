import type { Browser, Page } from 'playwright-core';
import type { TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { GivenApp } from '../support/given.js';
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
afterEach(async () => {
  const faults = visitor.faults;
  await visitor.context.close();
  expect(faults).toEqual([]);
});

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
