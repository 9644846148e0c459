import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Browser } from 'playwright-core';
import type { TestApp } from '../support/app.js';
import { launchChromium } from './chromium.js';
import { startConsole, Visitor } from './visitor.js';

let app: TestApp;
let browser: Browser;
/** The paths of all pages, as llms.txt lists them. */
let pages: string[];
beforeAll(async () => {
  [app, browser] = await Promise.all([startConsole(), launchChromium()]);
  const { text } = await app.call('GET', '/llms.txt');
  pages = [...text.matchAll(/\]\((\/guide\/[^)]+)\.md\)/g)].map(([, path]) => path!.replace(/\/index$/, ''));
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
});

/** The bytes that come over the wire. */
async function wireBytesOf(path: string): Promise<number> {
  const headers = { 'accept-encoding': 'br' };
  const response = await new Promise<IncomingMessage>((resolve) => get(new URL(path, app.url), { headers }, resolve));
  return (await buffer(response)).length;
}

const idsIn = (html: string) => new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id!));

describe('the guide', () => {
  it('lists its pages for programs, each with its Markdown', async () => {
    expect(pages.length).toBeGreaterThanOrEqual(30);
    expect((await app.call('GET', '/guide/llms.txt')).text).toBe((await app.call('GET', '/llms.txt')).text);
    for (const page of pages) {
      const { status, headers, text } = await app.call('GET', page === '/guide' ? '/guide/index.md' : `${page}.md`);
      expect([page, status, headers.get('content-type')]).toEqual([page, 200, 'text/markdown; charset=utf-8']);
      expect(text).toMatch(/^# /);
    }
  });

  it('has no dead link, and no element that loads something from another host', async () => {
    const texts = new Map<string, string>();
    for (const page of pages) texts.set(page, (await app.call('GET', page)).text);
    /** The content of each address that a page names; null if it is not served. */
    const found = new Map<string, string | null>(texts);
    const dead: string[] = [];
    for (const [page, html] of texts) {
      expect(html).not.toMatch(/<script(?! src="\/guide\/)|<style|\sstyle=|\son\w+=|<img|<!-- include/);
      for (const [, url] of html.matchAll(/\shref="([^"]*)"/g)) {
        if (/^https?:\/\//.test(url!)) continue;
        const [path, anchor] = url!.split('#') as [string, string | undefined];
        const target = path === '' ? page : path;
        if (!found.has(target)) {
          const { status, text } = await app.call('GET', target);
          found.set(target, status === 200 ? text : null);
        }
        const content = found.get(target)!;
        if (content === null || (anchor && !idsIn(content).has(anchor))) dead.push(`${page}: ${url}`);
      }
    }
    expect(dead).toEqual([]);
  });

  it('shows the sections of the READMEs that its pages include', async () => {
    const { text } = await app.call('GET', '/guide/first-login');
    const [block] = /^EMAIL_ID=.*$/m.exec(readFileSync('README.md', 'utf8'))!;
    expect(text.replaceAll(/<[^>]*>/g, '').replaceAll('&quot;', '"')).toContain(block);
  });

  it('permits no inline script, and compresses a first page to at most 60 KB', async () => {
    const { status, headers } = await app.call('GET', '/guide');
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=300']);
    const policy = headers.get('content-security-policy')!;
    for (const directive of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "trusted-types 'none'"])
      expect(policy.split('; ')).toContain(directive);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const files = await Promise.all(['/guide', '/guide/style.css', '/guide/search.js'].map(wireBytesOf));
    expect(files.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(60 * 1024);
    // The texts are loaded with the first search.
    expect(await wireBytesOf('/guide/search.json')).toBeLessThanOrEqual(200 * 1024);
  });

  it('answers an unknown page with a problem document', async () => {
    for (const path of ['/guide/none', '/guide/../package.json', '/guide/none.js']) {
      expect((await app.call('GET', path)).status).toBe(404);
    }
  });
});

describe('a reader', () => {
  it('sees a sequence as a picture, with its steps in words for a screen reader', async () => {
    const { text } = await app.call('GET', '/guide/first-login');
    expect(text).toMatch(/<svg class="flow"[^>]*aria-label="[^"]*Your backend to This service: otps\/verify/);
    expect(text).not.toContain('sequenceDiagram');
  });

  it('finds a section by a search', async () => {
    const visitor = await Visitor.arrive(browser, app);
    const { page } = visitor;
    await visitor.open('/guide');
    await page.keyboard.press('/');
    await page.keyboard.type('unknown kid jwks');
    const results = page.locator('#found a');
    await results.first().waitFor();
    expect(await results.first().innerText()).toContain('Sessions and JWTs: Verify a JWT');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/guide/sessions#verify-a-jwt');
    expect(await page.locator('h1').innerText()).toBe('Sessions and JWTs');
    await page.keyboard.press('/');
    await page.keyboard.type('zzzzzz');
    await page.getByText('0 results', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    expect(await page.locator('#found').isHidden()).toBe(true);
    expect(visitor.faults).toEqual([]);
  });
});
