import type { Browser, Page } from 'playwright-core';
import type { TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { GivenApp } from '../support/given.js';
import { Observer } from '../support/observer.js';
import { launchChromium } from './chromium.js';
import { managementKey, startConsole, Visitor } from './visitor.js';

let app: TestApp;
let browser: Browser;
let observer: Observer;
beforeAll(async () => {
  [app, browser] = await Promise.all([startConsole(), launchChromium()]);
  observer = await Observer.of(app);
});
afterAll(async () => {
  await observer?.close();
  await browser?.close();
  await app?.stop();
});

let shop: GivenApp;
let visitor: Visitor;
let page: Page;
beforeEach(async () => {
  shop = await app.given.app({ name: 'Corner shop' });
  visitor = await Visitor.arrive(browser, app);
  page = visitor.page;
});
afterEach(async () => {
  const faults = visitor.faults;
  await visitor.context.close();
  expect(faults).toEqual([]);
});

const at = (view: string): string => `/console/apps/${shop.id}${view}`;
const rows = () => page.getByRole('table').locator('tbody tr');
const names = (): Promise<string[]> => page.getByRole('table').getByRole('rowheader').allInnerTexts();

/** Stores messages that were sent, the newest with the highest number. */
async function givenMessages(count: number): Promise<void> {
  await observer.rows(
    `insert into messages (app_id, id, channel, kind, recipient, status, sent_at)
     select $1, 'msg_' || lpad(i::text, 26, '0'), 'sms', 'one_time_code', 'number ' || i, 'sent', now()
     from generate_series(1, $2::int) i`,
    [shop.id, count],
  );
}

const scrolledBy = (): Promise<unknown> => visitor.evaluate(`document.querySelector('.scroll')?.scrollTop`);

describe('going back', () => {
  it('to the users keeps the search, and no address of the browser holds it', async () => {
    const { user_id: found } = await app.given.user(shop, { email: 'ada@example.com', first_name: 'Ada' });
    await app.given.user(shop, { email: 'grace@example.com' });
    await visitor.signIn(app.managementKey, at('/users'));
    await page.getByLabel('Search for').fill('ada@example.com');
    await page.getByRole('button', { name: 'Apply' }).click();
    await eventually(async () => expect(await rows().count()).toBe(1));
    const addresses = [page.url()];
    await page.getByRole('link', { name: 'ada@example.com' }).click();
    await page.getByRole('heading', { name: 'Ada' }).waitFor();
    await page.goBack();
    await eventually(async () => expect(await names()).toEqual(['ada@example.com']));
    expect(await page.getByLabel('Search for').inputValue()).toBe('ada@example.com');
    addresses.push(page.url());
    await page.reload();
    await eventually(async () => expect(await names()).toEqual(['ada@example.com']));
    await page.goBack();
    await eventually(async () => expect(await rows().count()).toBe(2));
    expect(await page.getByLabel('Search for').inputValue()).toBe('');
    await page.goForward();
    await eventually(async () => expect(await names()).toEqual(['ada@example.com']));
    await page.goForward();
    await page.getByRole('heading', { name: 'Ada' }).waitFor();
    addresses.push(page.url());
    await page.goBack();
    await eventually(async () => expect(await rows().count()).toBe(1));
    await page.getByRole('link', { name: 'Users' }).click();
    await eventually(async () => expect(await rows().count()).toBe(2));
    expect(addresses.map((url) => url.replace(app.url, ''))).toEqual([
      at('/users'),
      at('/users'),
      at(`/users/${found}`),
    ]);
  });

  it('keeps a search from an auditor, who signs in later in the same tab and may not search', async () => {
    await app.given.user(shop, { email: 'ada@example.com' });
    await visitor.signIn(app.managementKey, at('/users'));
    await page.getByLabel('Search for').fill('none@example.com');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('No user fits this search.').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Management key').fill(await managementKey(app, 'auditor'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The search is not offered').waitFor();
    await eventually(async () => expect(await names()).toEqual(['ada@example.com']));
  });

  it('to a list keeps its filter, its page and how far it was scrolled', async () => {
    await givenMessages(60);
    await visitor.signIn(app.managementKey, at('/messages?status=sent'));
    await page.getByRole('button', { name: 'Next page' }).click();
    await eventually(async () => expect((await names())[0]).toBe('number 35'));
    await visitor.evaluate(`document.querySelector('.scroll').scrollTo(0, 300)`);
    await eventually(async () => expect(await visitor.evaluate('history.state.scrolled[1][1]')).toBe(300));
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    await page.goBack();
    await page.getByText('Page 2').waitFor();
    await eventually(async () => expect([(await names())[0], await scrolledBy()]).toEqual(['number 35', 300]));
    await page.getByRole('button', { name: 'Next page' }).click();
    await eventually(async () => expect([(await names())[0], await scrolledBy()]).toEqual(['number 10', 0]));
    await page.reload();
    await page.getByText('Page 3').waitFor();
    expect(page.url()).toBe(`${app.url}${at('/messages?status=sent')}`);
    await page.getByRole('link', { name: 'Messages' }).click();
    await page.getByText('Page 1').waitFor();
    await page.goBack();
    await page.getByText('Page 3').waitFor();
  });
});

describe('a long list', () => {
  it('scrolls under its head, and a wide one stays as wide as the page', async () => {
    const longest = 'x'.repeat(256);
    await givenMessages(25);
    await observer.rows(`update messages set recipient = $2 where app_id = $1 and recipient = 'number 25'`, [
      shop.id,
      longest,
    ]);
    await visitor.signIn(app.managementKey, at('/messages'));
    await rows().first().waitFor();
    await visitor.inspect('messages-long');
    await visitor.evaluate(`document.querySelector('.scroll').scrollTo(0, 400)`);
    const [box, head] = (await visitor.evaluate(
      `['.scroll', 'thead th'].map((part) => document.querySelector(part).getBoundingClientRect().top)`,
    )) as number[];
    // The box has a border of one pixel.
    expect(head! - box!).toBe(1);
    expect(await scrolledBy()).toBe(400);
    await page.screenshot({ path: 'coverage/console/messages-scrolled-1280.png' });
    expect(await visitor.evaluate('document.documentElement.scrollHeight - innerHeight')).toBeLessThan(100);
    await page.setViewportSize({ width: 390, height: 900 });
    await visitor.evaluate(
      'scrollTo(0, document.querySelector("tbody tr").getBoundingClientRect().top + scrollY + 100)',
    );
    const [row, name] = (await visitor.evaluate(
      `['tr', 'th'].map((part) => document.querySelector('tbody ' + part).getBoundingClientRect().top)`,
    )) as number[];
    expect([row! < 0, Math.round(name!)]).toEqual([true, 0]);
    await page.screenshot({ path: 'coverage/console/messages-scrolled-390.png' });
  });
});
