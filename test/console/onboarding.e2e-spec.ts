import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import type { TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { signIn } from '../support/sign-in.js';
import { launchChromium } from './chromium.js';
import { startConsole, Visitor } from './visitor.js';

let app: TestApp;
let browser: Browser;
let visitor: Visitor;
beforeAll(async () => {
  [app, browser] = await Promise.all([startConsole(), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
});
beforeEach(async () => {
  visitor = await Visitor.arrive(browser, app);
  await visitor.signIn(app.managementKey);
});
afterEach(async () => expect(await visitor.leave()).toEqual([]));

const shell = async (command: string) => (await promisify(execFile)('sh', ['-c', command])).stdout;

describe('a new app', () => {
  it('comes with a first call that works as it is copied, and shows the next steps until it was made', async () => {
    const { page } = visitor;
    await page.getByRole('button', { name: 'Create app' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Corner shop');
    await page.getByRole('dialog').getByRole('button', { name: 'Create app' }).click();
    const command = await page.getByLabel('First call').inputValue();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('link', { name: 'Corner shop' }).click();
    await page.getByRole('heading', { name: 'Next steps' }).waitFor();
    await visitor.inspect('next-steps');
    expect(await page.getByLabel('Make the first call').inputValue()).toMatch(
      new RegExp(`^curl ${app.url}/v1/.*Bearer \\$SECRET`),
    );
    expect(JSON.parse(await shell(`${command} -s`))).toMatchObject({ user_id: expect.stringMatching(/^user_/) });
    await eventually(async () => {
      await page.reload();
      await page.getByRole('heading', { name: 'Sessions begun' }).waitFor();
      expect(await page.getByRole('heading', { name: 'Next steps' }).count()).toBe(0);
    });
  });

  it('says on every page that it is live, if it is', async () => {
    const live = await app.given.app({ name: 'Real shop', mode: 'live' });
    for (const view of ['', '/users', '/keys']) {
      await visitor.open(`/console/apps/${live.id}${view}`);
      await visitor.page.getByText('Live: real users and real money').waitFor();
    }
    await visitor.inspect('live');
  });
});

describe('a chart', () => {
  it('shows the numbers of the hour under the pointer', async () => {
    const shop = await app.given.app();
    for (let i = 0; i < 2; i++) {
      const { user_id } = await app.given.user(shop);
      await signIn(app, shop, { user_id });
    }
    const { page } = visitor;
    await eventually(async () => {
      await visitor.open(`/console/apps/${shop.id}`);
      await page.getByText('2 in this time, 0 in the time before').waitFor({ timeout: 3_000 });
    });
    const plot = page.locator('.plot .u-over').first();
    const { width, height } = (await plot.boundingBox())!;
    await plot.hover({ position: { x: 2, y: height / 2 } });
    await page.getByText(/^0 from /).waitFor();
    await plot.hover({ position: { x: width - 4, y: height / 2 } });
    await page.getByText(/^2 from /).waitFor();
  });
});
