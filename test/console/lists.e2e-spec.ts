import type { Browser, Download, Page } from 'playwright-core';
import type { TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { GivenApp } from '../support/given.js';
import { Observer } from '../support/observer.js';
import { signIn } from '../support/sign-in.js';
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
afterEach(async () => expect(await visitor.leave()).toEqual([]));

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

async function read(file: Download): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function exported(): Promise<{ name: string; content: string }> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const file = await download;
  return { name: file.suggestedFilename(), content: await read(file) };
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

describe('a CSV file', () => {
  it('has all rows that the filter finds, each in one line, and no formula that a user wrote', async () => {
    const hostile = [`=HYPERLINK("http://127.0.0.1:9/?"&A1,"here")`, `x;=1+1`, `@SUM(A1)`];
    for (const [index, first_name] of hostile.entries())
      await app.given.user(shop, { first_name, email: `user-${index}@example.com` });
    await visitor.signIn(app.managementKey, at('/users'));
    await rows().first().waitFor();
    const { name, content } = await exported();
    expect(name).toMatch(/^users-\d{4}-\d\d-\d\d\.csv$/);
    const [head, ...lines] = content.split('\r\n');
    expect(head).toBe('\uFEFF"Id","User","Name","State","Providers","Wallets","Created"');
    expect(lines.map((line) => line.replace(/"user_[^"]+"/, 'id').replace(/"[^"]+Z"/, 'time'))).toEqual([
      `id,"user-2@example.com","'@SUM(A1)","active","",1,time`,
      `id,"user-1@example.com","x;'=1+1","active","",1,time`,
      `id,"user-0@example.com","'=HYPERLINK(""http://127.0.0.1:9/?""&A1,""here"")","active","",1,time`,
      '',
    ]);
    await page.getByText('Rows in the file: 3.').waitFor();
    await visitor.inspect('users-exported');
  });

  it('has the rows of every page, and only those that the filter finds', async () => {
    await givenMessages(230);
    await observer.rows(`update messages set status = 'failed' where app_id = $1 and recipient = 'number 7'`, [
      shop.id,
    ]);
    await visitor.signIn(app.managementKey, at('/messages?status=sent'));
    await rows().first().waitFor();
    const { content } = await exported();
    const numbers = [...content.matchAll(/"number (\d+)"/g)].map(([, number]) => Number(number));
    expect(numbers).toEqual(Array.from({ length: 230 }, (_, index) => 230 - index).filter((number) => number !== 7));
  });

  it('of keys and connections has no secret', async () => {
    await app.call('POST', `/management/v1/apps/${shop.id}/oauth_connections`, {
      key: app.managementKey,
      body: { provider: 'google', client_id: 'shop', client_secret: 'shop-secret' },
    });
    await visitor.signIn(app.managementKey, at('/keys'));
    await rows().first().waitFor();
    const keys = (await exported()).content;
    await visitor.open(at('/connections'));
    await rows().first().waitFor();
    const connections = (await exported()).content;
    expect([keys, connections].map((content) => content.split('\r\n')[0])).toEqual([
      '\uFEFF"Id","Name","Kind","Last used","Expires","Created"',
      '\uFEFF"Id","Provider","State","Client id","Issuer","Callback URL"',
    ]);
    expect([keys.split('\r\n').length, connections.split('\r\n').length]).toEqual([4, 3]);
    for (const secret of [shop.secretKey, 'shop-secret']) expect(keys + connections).not.toContain(secret);
  });

  it('is not saved after a cancel or a failure, which is named', async () => {
    await givenMessages(230);
    await visitor.signIn(app.managementKey, at('/messages'));
    await rows().first().waitFor();
    const saved: Download[] = [];
    page.on('download', (download) => saved.push(download));
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    await page.route('**/messages?limit=100*', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Export CSV' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('0 rows loaded').waitFor();
    expect(await visitor.focusedName()).toBe('Cancel the export');
    await visitor.screenshot('export-running');
    await page.keyboard.press('Enter');
    await page.getByText('The export was cancelled.').waitFor();
    const loads: string[] = [];
    page.on('request', (request) => request.url().includes('limit=100') && loads.push(request.url()));
    goOn();
    expect((await exported()).content.split('\r\n')).toHaveLength(232);
    expect([saved.length, loads.length]).toEqual([1, 3]);
    await page.unroute('**/messages?limit=100*');
    await visitor.context.setOffline(true);
    await page.getByRole('button', { name: 'Export CSV' }).click();
    await page.getByText('The service cannot be reached').waitFor();
    expect(saved).toHaveLength(1);
  });
});

describe('the sessions of an app', () => {
  it('show who signed in and which have ended, and an operator ends a live one', async () => {
    const [ada, grace] = [await app.given.user(shop), await app.given.user(shop)];
    for (const { user_id } of [ada, ada, grace]) await signIn(app, shop, { user_id });
    await visitor.signIn(app.managementKey, at('/sessions'));
    await eventually(async () => expect(await rows().count()).toBe(3));
    await rows().first().getByRole('button', { name: 'End', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click();
    await rows().first().getByText('revoked', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'End', exact: true }).count()).toBe(2);
    await visitor.inspect('sessions');
    await page.getByLabel('user id').fill(ada.user_id);
    await page.getByRole('button', { name: 'Apply' }).click();
    await eventually(async () => expect(await rows().count()).toBe(2));
    await page.getByRole('link', { name: ada.user_id }).first().click();
    await page.getByRole('heading', { name: 'Live sessions' }).waitFor();
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
    expect(await visitor.evaluate('document.documentElement.scrollHeight - innerHeight')).toBeLessThan(100);
    await page.setViewportSize({ width: 390, height: 900 });
    await visitor.evaluate(
      'scrollTo(0, document.querySelector("tbody tr").getBoundingClientRect().top + scrollY + 100)',
    );
    const [row, name] = (await visitor.evaluate(
      `['tr', 'th'].map((part) => document.querySelector('tbody ' + part).getBoundingClientRect().top)`,
    )) as number[];
    expect([row! < 0, Math.round(name!)]).toEqual([true, 0]);
  });
});
