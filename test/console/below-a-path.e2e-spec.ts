import { once } from 'node:events';
import { createServer, request as requestTo, type Server } from 'node:http';
import type { Browser } from 'playwright-core';
import type { TestApp } from '../support/app.js';
import { freePort } from '../../src/dev/free-port.js';
import { startApp } from '../support/app.js';
import { ensureBuilt } from '../support/built.js';
import { launchChromium } from './chromium.js';
import { managementKey, Visitor } from './visitor.js';

const PATH = '/identity';

let app: TestApp;
let browser: Browser;
let proxy: Server;
let origin: string;

/** Passes requests below the path on without it, with their host, and knows nothing else, as another service of the host. */
function strippingProxy(target: () => string): Server {
  return createServer((request, response) => {
    const { method, headers, url = '' } = request;
    if (url !== PATH && !url.startsWith(`${PATH}/`)) {
      response.writeHead(421).end(`outside: ${url}`);
      return;
    }
    const passed = requestTo(new URL(url.slice(PATH.length) || '/', target()), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
}

beforeAll(async () => {
  await ensureBuilt();
  const [port, proxyPort] = [await freePort(), await freePort()];
  origin = `http://127.0.0.1:${proxyPort}`;
  proxy = strippingProxy(() => `http://127.0.0.1:${port}`);
  await once(proxy.listen(proxyPort, '127.0.0.1'), 'listening');
  const env = { PORT: String(port), HOST: '127.0.0.1', BASE_URL: `${origin}${PATH}` };
  [app, browser] = await Promise.all([startApp({ env }), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
  proxy?.closeAllConnections();
  proxy?.close();
});

const load = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(new URL(path, origin), { redirect: 'manual', ...init });
  return { path, status: response.status, headers: response.headers, text: await response.text() };
};

describe('behind a proxy that takes a path off', () => {
  it('all links of the pages lead to the service', async () => {
    const seen = new Set<string>();
    const waiting = ['/docs', '/reference', '/guide', '/errors', '/console', '/'].map((path) => `${PATH}${path}`);
    const broken: string[] = [];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (seen.has(path)) continue;
      seen.add(path);
      const { status, headers, text } = await load(path);
      if (![200, 302].includes(status)) broken.push(`${path}: ${status}`);
      const location = headers.get('location');
      if (location) waiting.push(location);
      if (!headers.get('content-type')?.startsWith('text/html')) continue;
      for (const [, link] of text.matchAll(/\b(?:href|src|data-texts)="([^"#]+)[^"]*"/g))
        if (!link!.startsWith('http')) waiting.push(new URL(link!, `${origin}${path}`).pathname);
    }
    expect(broken).toEqual([]);
    // The guide, its files, and a page for each error type.
    expect(seen.size).toBeGreaterThan(150);
  });

  it('the document, its pages and what they load name the path', async () => {
    for (const path of ['/openapi.json', '/reference/openapi.json'])
      expect(JSON.parse((await load(`${PATH}${path}`)).text)).toMatchObject({ servers: [{ url: PATH }] });
    expect((await load(`${PATH}/docs/start.js`)).text).toContain(`const root = "${PATH}";`);
    const links = [
      ...(await load(`${PATH}/llms.txt`)).text.matchAll(/\]\((\/[^)]+)\)|at (\/\S+\.json)/g),
      ...(await load(`${PATH}/guide/index.md`)).text.matchAll(/\]\((\/[^)]+)\)/g),
      ...(await load(`${PATH}/guide/search.json`)).text.matchAll(/"id":"(\/[^"#]+)/g),
    ].map(([, link, json]) => (link ?? json)!.replace(/\.$/, ''));
    expect(links.length).toBeGreaterThan(20);
    for (const link of new Set(links)) expect([link, (await load(link)).status]).toEqual([link, 200]);
  });

  it('errors, callbacks and cookies are below it', async () => {
    const { id, secretKey } = await app.given.app();
    const refused = JSON.parse((await load(`${PATH}/v1/auth/sessions/list`)).text);
    expect((await load(refused.type)).status).toBe(200);
    expect(new URL(refused.type).pathname).toBe(`${PATH}/errors/unauthorized_credentials`);
    const jwks = await load(`${PATH}/v1/auth/jwks/${id}`);
    expect(jwks.status).toBe(200);
    const signedIn = await load(`${PATH}/management/v1/session`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.managementKey}`, 'sec-fetch-site': 'same-origin' },
    });
    expect(signedIn.headers.get('set-cookie')).toContain(`Path=${PATH};`);
    expect(secretKey).toMatch(/^sk_/);
  });

  it('an operator signs in, follows links, reloads a page and reads the guide', async () => {
    const shop = await app.given.app({ name: 'Corner shop' });
    const visitor = await Visitor.arrive(browser, { url: origin });
    const outside: string[] = [];
    visitor.page.on('response', (response) => {
      if (response.status() === 421) outside.push(response.url());
    });
    const { page } = visitor;
    const at = (path: string) => page.waitForURL(`${origin}${PATH}${path}`);
    await visitor.signIn(await managementKey(app, 'owner'), `${PATH}/console`);
    await page.getByRole('link', { name: 'Corner shop' }).click();
    await at(`/console/apps/${shop.id}`);
    await page.getByRole('link', { name: 'Settings' }).click();
    await at(`/console/apps/${shop.id}/settings`);
    await page.reload();
    await page.getByRole('heading', { name: 'Passkeys' }).waitFor();
    await page.getByRole('link', { name: 'Apps', exact: true }).first().click();
    await at('/console');
    await page.getByRole('link', { name: 'Corner shop' }).waitFor();
    await page.getByRole('link', { name: 'Guide' }).click();
    await at('/guide');
    await page.getByRole('searchbox').fill('passkeys');
    await page.locator('#found a').first().click();
    await page.waitForURL(new RegExp(`^${origin}${PATH}/guide/`));
    await page.goto(`${origin}${PATH}/docs`);
    await page.locator('.opblock').first().waitFor();
    await page.goto(`${origin}${PATH}/reference`);
    await page.locator('a[href$="/reference/one-time-passcodes"]').click();
    await page.locator('#redoc h1').first().waitFor();
    expect(outside).toEqual([]);
    // Redoc and Swagger UI bring styles of their own.
    expect((await visitor.leave()).filter((fault) => !/style/i.test(fault))).toEqual([]);
  });
});
