import type { Browser, Page } from 'playwright-core';
import type { TestApp } from '../support/app.js';
import type { GivenApp } from '../support/given.js';
import { Observer } from '../support/observer.js';
import { launchChromium } from './chromium.js';
import { startConsole, Visitor } from './visitor.js';

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
