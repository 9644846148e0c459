import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import type { TestApp } from '../support/app.js';
import { launchChromium } from './chromium.js';
import { startConsole, Visitor } from './visitor.js';

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  [app, browser] = await Promise.all([startConsole(), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
});

describe('the files of the console', () => {
  it('have at most 80 KB together, compressed', () => {
    const files = ['index.html', ...readdirSync('dist/console/assets').map((name) => `assets/${name}`)];
    const sizes = files.map((name) => gzipSync(readFileSync(`dist/console/${name}`)).length);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(80 * 1024);
  });

  it('are kept by browsers, except for the page, which is fetched each time', async () => {
    const page = await app.call('GET', '/console/apps/app_any/keys');
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const script = /src="([^"]+)"/.exec(page.text)![1]!;
    const file = await app.call('GET', script);
    expect([file.status, file.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    expect(page.headers.get('content-security-policy')).toContain("require-trusted-types-for 'script'");
    expect((await app.call('GET', '/console/assets/none.js')).status).toBe(404);
  });
});

describe('an owner', () => {
  it('creates an app, adds and revokes a key and registers a redirect URL', async () => {
    const visitor = await Visitor.arrive(browser, app);
    const { page } = visitor;
    await visitor.open('/console');
    await page.getByLabel('Management key').waitFor();
    await visitor.screenshot('sign-in');
    expect(await visitor.axe()).toEqual([]);
    await visitor.signIn(app.managementKey);
    await page.getByRole('button', { name: 'Create app' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Corner shop');
    await visitor.screenshot('create-app');
    expect(await visitor.axe()).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Create app' }).click();
    const secretKey = await page.getByLabel('Secret key (for your backend)').inputValue();
    expect(secretKey).toMatch(/^sk_test_/);
    await visitor.screenshot('shown-once');
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await visitor.screenshot('apps');
    await page.getByRole('link', { name: 'Corner shop' }).click();
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('staging');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('row', { name: 'staging' }).waitFor();
    await visitor.screenshot('keys');
    expect(await visitor.axe()).toEqual([]);
    expect(await visitor.overflow()).toBe(0);
    await page.getByRole('row', { name: 'staging' }).getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('every replica refuses the key').waitFor();
    await visitor.screenshot('revoke');
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByRole('row', { name: 'staging' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Redirect URLs' }).click();
    await page.getByText('No redirect URL yet').waitFor();
    await page.getByRole('button', { name: 'Add URL' }).click();
    await page.getByRole('textbox', { name: 'URL' }).fill('https://user:pass@example.com/');
    await page.getByRole('dialog').getByRole('button', { name: 'Add URL' }).click();
    await page.getByRole('alert').waitFor();
    await visitor.screenshot('refused-field');
    await page.getByRole('textbox', { name: 'URL' }).fill('https://example.com/done');
    await page.getByRole('dialog').getByRole('button', { name: 'Add URL' }).click();
    await page.getByRole('row', { name: 'https://example.com/done' }).waitFor();
    expect(visitor.faults).toEqual([]);
    await visitor.context.close();
  });
});
