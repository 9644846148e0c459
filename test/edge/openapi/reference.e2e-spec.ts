import type { Browser, Page } from 'playwright-core';
import { launchChromium, MOST_MS } from '../../console/chromium.js';
import { measurePages } from '../../console/page-times.js';
import { Config } from '../../../src/services/config/config.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { ensureBuilt } from '../../support/built.js';
import { oneUnit, UNIT_TEXT } from '../../support/processor-time.js';

const OWN_APP = `app_${'1'.repeat(26)}`;
const OWN_SECRET = `sk_test_${'s'.repeat(48)}`;
const OWN_LIVE = `pk_live_${'l'.repeat(48)}`;
const OWN_KEY = `mk_${'m'.repeat(48)}`;

let app: TestApp;
beforeAll(async () => {
  await ensureBuilt();
  app = await startApp();
});
afterAll(() => app?.stop());

describe('the page for reading', () => {
  it('permits no script but those of its own origin, and a worker only from its own text', async () => {
    const { text, headers } = await app.call('GET', '/reference/wallets');
    expect(headers.get('content-type')).toMatch(/^text\/html/);
    expect(headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(text).toContain('<meta name="viewport" content="width=device-width">');
    expect(text).not.toMatch(/<script(?! src="\/)|\son\w+=|javascript:/i);
    const urls = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url!);
    expect(urls).toEqual(
      expect.arrayContaining(['/guide', '/docs', '/console', '/reference', '/guide/look.css', '/reference/redoc.js']),
    );
    for (const url of urls) expect([url, (await app.call('GET', url)).status]).toEqual([url, 200]);
  });

  it('has samples for the address of this service, which the document itself lacks', async () => {
    const { body } = await app.call('GET', '/reference/openapi.json');
    const { paths } = body as unknown as { paths: Record<string, Record<string, Record<string, unknown>>> };
    const samples = paths['/v1/auth/otps/verify']!['post']!['x-codeSamples'] as { label: string; source: string }[];
    expect(samples.map(({ label }) => label)).toEqual(['curl', 'TypeScript', 'Python', 'Go']);
    expect(samples[0]!.source).toContain(`"${app.nest.get(Config).baseUrl}/v1/auth/otps/verify"`);
    expect((await app.call('GET', '/openapi.json')).text).not.toContain('x-codeSamples');
  });

  it('lists every group, and the page of a group has its operations and what they use', async () => {
    const { text } = await app.call('GET', '/reference');
    const groups = [...text.matchAll(/href="\/reference\/([^".]+)"/g)].map(([, group]) => group!);
    const { body: whole } = await app.call('GET', '/openapi.json');
    const { paths, webhooks, tags } = whole as unknown as Record<'paths' | 'webhooks', object> & { tags: object[] };
    expect(groups).toHaveLength(tags.length);
    const { body: collection } = await app.call('GET', '/reference/postman.json');
    expect((collection['item'] as unknown[]).length).toBeGreaterThan(30);
    let operations = 0;
    for (const group of groups) {
      const { body, text: json } = await app.call('GET', `/reference/${group}/openapi.json`);
      const part = body as unknown as Record<
        'paths' | 'webhooks' | 'components',
        Record<string, Record<string, object>>
      >;
      for (const [, kind, name] of json.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g))
        expect([group, name, part.components[kind!]?.[name!] !== undefined]).toEqual([group, name, true]);
      operations += operationsIn(part.paths) + operationsIn(part.webhooks);
    }
    expect(operations).toBe(operationsIn(paths) + operationsIn(webhooks));
  });
});

const operationsIn = (paths: object): number =>
  Object.values(paths).flatMap((item: object) => Object.keys(item)).length;

/** Dispatched as the browser does it: one without a window may have no clipboard. */
const pasting = (text: string): string => `{
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', ${JSON.stringify(text)});
  document.querySelector('#keys').dispatchEvent(new ClipboardEvent('paste', { clipboardData, cancelable: true }));
}`;

describe('in Chromium the page for reading', () => {
  const faults: string[] = [];
  const foreign: string[] = [];
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(MOST_MS);
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())));
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(app.url)) foreign.push(request.url());
    });
    await page.goto(`${app.url}/reference`);
  });
  afterAll(() => browser?.close());

  it('shows the operations of a group with their samples', async () => {
    await page.locator('a[href="/reference/one-time-passcodes"]').click();
    await page.getByRole('menuitem', { name: 'Verify a passcode' }).first().waitFor();
    await page.getByRole('heading', { name: 'Verify a passcode' }).first().waitFor();
    await page.getByRole('tab', { name: 'Go' }).first().waitFor();
  });

  it('is found by the search of the header, and so is an error', async () => {
    const search = page.getByRole('searchbox');
    await search.fill('sign typed data');
    await page.locator('#found a').first().click();
    await page.getByRole('heading', { name: 'Sign typed data' }).first().waitFor();
    await page.getByRole('searchbox').fill('insufficient_funds');
    await page.locator('#found a[href$="/errors/insufficient_funds"]').click();
    await page.waitForURL('**/errors/insufficient_funds');
  });

  it('leads the addresses of the one page that it once was to the page of the group', async () => {
    await page.goto(`${app.url}/reference#tag/one-time-passcodes/operation/otp_verify`);
    await page.waitForURL('**/reference/one-time-passcodes#operation/otp_verify');
  });

  it('puts pasted keys into the samples of this tab, and neither into a prompt nor into another tab', async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const tab = await context.newPage();
    tab.setDefaultTimeout(MOST_MS);
    await tab.goto(`${app.url}/reference/management-keys`);
    await tab.getByText('Your keys in the samples').click();
    await tab.evaluate(pasting(`export APP=${OWN_APP} SECRET=${OWN_SECRET}\nexport MANAGEMENT=${OWN_KEY}`));
    await tab.getByText('The samples have your APP, SECRET, MANAGEMENT.').waitFor();
    for (const [language, sent] of Object.entries({
      curl: `"Authorization: Bearer ${OWN_KEY}"`,
      TypeScript: `managementKey: '${OWN_KEY}' }`,
      Python: `headers={"Authorization": "Bearer ${OWN_KEY}"}`,
      Go: `"Bearer ${OWN_KEY}")`,
    })) {
      await tab.getByRole('tab', { name: language, exact: true }).first().click();
      const sample = await tab.locator('[role=tabpanel] pre', { hasText: OWN_KEY }).first().innerText();
      expect(sample).toContain(sent);
      expect(sample).toContain(OWN_APP);
      expect(sample).not.toMatch(/environ|Getenv|process\.env|"os"|import os/);
    }
    await tab.getByRole('button', { name: 'Copy as prompt' }).first().click();
    await tab.getByRole('button', { name: 'Copied' }).waitFor();
    const prompt = await tab.evaluate<string>('navigator.clipboard.readText()');
    expect(prompt).toMatch(/^Write code that makes this call\.\n\n# .*\n\n\w+ http/);
    expect(prompt).toContain('$MANAGEMENT');
    expect(prompt).not.toContain(OWN_KEY);

    const other = await context.newPage();
    await other.goto(`${app.url}/reference/management-keys`);
    expect(await other.evaluate<string | null>(`sessionStorage.getItem('keys')`)).toBeNull();
    await tab.getByRole('button', { name: 'Forget them' }).click();
    await tab.locator('[role=tabpanel] pre', { hasText: '$MANAGEMENT' }).first().waitFor();
    await context.close();
  });

  it('stores the id of an app and keys for tests, and no other key', async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const tab = await context.newPage();
    tab.setDefaultTimeout(MOST_MS);
    const stored = () => tab.evaluate<string | null>(`sessionStorage.getItem('keys')`);
    await tab.goto(`${app.url}/reference/management-keys`);
    await tab.getByText('Your keys in the samples').click();
    const field = tab.getByLabel('Paste the lines');
    await field.fill(`${OWN_APP} ${OWN_SECRET} ${OWN_LIVE} ${OWN_KEY}`);
    expect(await tab.locator('#own-keys output').textContent()).toBe('');
    await field.blur();
    await tab.getByText('The samples have your APP, SECRET, PUBLIC, MANAGEMENT.').waitFor();
    expect(JSON.parse((await stored())!)).toEqual({ APP: OWN_APP, SECRET: OWN_SECRET });

    // Its first call has no body: the sample of a call with a body is behind the tab of the body.
    await tab.goto(`${app.url}/reference/sessions`);
    await tab.locator('[role=tabpanel] pre', { hasText: OWN_SECRET }).first().waitFor();
    await tab.getByText('Your keys in the samples').click();
    await tab.getByText('The samples have your APP, SECRET.').waitFor();
    await tab.getByRole('button', { name: 'Forget them' }).click();
    await tab.locator('[role=tabpanel] pre', { hasText: '$SECRET' }).first().waitFor();
    expect(await stored()).toBeNull();

    // An earlier release stored all keys.
    await tab.evaluate(`sessionStorage.setItem('keys', '${JSON.stringify({ APP: OWN_APP, MANAGEMENT: OWN_KEY })}')`);
    await tab.reload();
    await tab.getByText('Your keys in the samples').waitFor();
    expect(JSON.parse((await stored())!)).toEqual({ APP: OWN_APP });
    await context.close();
  });

  it('shows the calls where storage is denied, and a sentence where they do not load', async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    await context.addInitScript(`Object.defineProperty(globalThis, 'sessionStorage', {
      get() { throw new DOMException('denied', 'SecurityError'); },
    })`);
    const tab = await context.newPage();
    tab.setDefaultTimeout(MOST_MS);
    await tab.goto(`${app.url}/reference/management-keys`);
    await tab.getByText('Your keys in the samples').click();
    await tab.getByText('This browser refuses to store any').waitFor();
    await tab.evaluate(pasting(OWN_KEY));
    await tab.getByText('The samples have your MANAGEMENT.').waitFor();
    await tab.locator('[role=tabpanel] pre', { hasText: OWN_KEY }).first().waitFor();

    await context.route('**/reference/management-keys/openapi.json', (route) => route.fulfill({ status: 503 }));
    await tab.reload();
    await tab.getByRole('alert').getByText('The calls of this group did not load.').waitFor();
    await context.close();
  });

  it('breaks no rule of its policy and asks no other host', () => {
    expect({ faults, foreign }).toEqual({ faults: [], foreign: [] });
  });
});

it('the filter of Swagger UI finds operations by a word of the path or the title, and groups', async () => {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(MOST_MS);
    await page.goto(`${app.url}/docs`);
    const filter = page.getByPlaceholder('Filter by a word');
    const shown = async (words: string) => {
      await filter.fill(words);
      await page.locator('.opblock-tag').first().waitFor();
      return page
        .locator('.opblock-tag-section .opblock-summary-path')
        .evaluateAll((all) => all.map((each) => each.textContent?.replaceAll('\u200b', '')));
    };
    await filter.waitFor();
    await eventually(async () =>
      expect(await shown('Sign typed data')).toEqual(['/v1/wallets/{wallet_id}/sign_typed_data']),
    );
    await eventually(async () =>
      expect(await shown('/recovery_codes')).toEqual([expect.stringMatching(/recovery_codes/)]),
    );
    await eventually(async () => expect((await shown('management: jobs')).length).toBeGreaterThan(1));
  } finally {
    await browser.close();
  }
});

describe('in Chromium, a reader waits', () => {
  // The browser and the service wait for each other's processors here, so one unit is measured by the clock in the browser.
  it('at most 9,000 units of work for Swagger UI, 4,800 for an operation in it, and 6,000 for the console', async () => {
    const browser = await launchChromium();
    try {
      // The first round starts the parts of the browser.
      const { list, opening, console } = await measurePages(browser, app.url, 3);
      const unit = await unitMsIn(await browser.newPage());
      const shortest = [list, opening, console].map((times) => Math.min(...times) / unit);
      expect(shortest[0]).toBeLessThan(9_000);
      expect(shortest[1]).toBeLessThan(4_800);
      expect(shortest[2]).toBeLessThan(6_000);
    } finally {
      await browser.close();
    }
  });
});

/** Milliseconds of one unit of work in a page. */
async function unitMsIn(page: Page): Promise<number> {
  const code = `${oneUnit}; const text = ${JSON.stringify(UNIT_TEXT)};
    for (let count = 0; count < 100; count++) oneUnit(text);
    const begin = performance.now();
    for (let count = 0; count < 100; count++) oneUnit(text);
    (performance.now() - begin) / 100`;
  return page.evaluate<number>(`{${code}}`);
}
