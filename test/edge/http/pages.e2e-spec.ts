import { createContext, runInContext } from 'node:vm';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { ensureBuilt } from '../../support/built.js';
import { startApp, type TestApp } from '../../support/app.js';
import { readDocument } from '../../support/document.js';

let app: TestApp;
beforeAll(async () => {
  await ensureBuilt();
  app = await startApp();
});
afterAll(() => app.stop());

const PAGES = ['/docs', '/errors', '/errors/not_found', '/v1/auth/oauth/callback/unknown'];

/** The directives of a Content-Security-Policy by name. */
function policyOf(headers: Headers): Record<string, string> {
  const directives = (headers.get('content-security-policy') ?? '').split('; ');
  return Object.fromEntries(directives.map((directive) => [directive.split(' ')[0], directive]));
}

function expectSafePage(text: string, headers: Headers): void {
  expect(headers.get('content-type')).toMatch(/^text\/html/);
  const policy = policyOf(headers);
  expect(policy['default-src']).toBe("default-src 'none'");
  expect(policy['script-src'] ?? "script-src 'self'").toBe("script-src 'self'");
  expect(policy['frame-ancestors']).toBe("frame-ancestors 'none'");
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
  expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  expect(headers.get('permissions-policy')).toContain('camera=()');
  expect(text).toContain('<meta name="viewport" content="width=device-width">');
  expect(text).toMatch(/color-scheme.{0,12}light dark/);
  expect(text).not.toMatch(/<script(?! src="\/)|\son\w+=|javascript:/i);
  for (const [, url] of text.matchAll(/(?:src|href)="([^"]*)"/g)) expect(url).toMatch(/^\/(?!\/)/);
}

describe('a page', () => {
  it.each(PAGES)('%s fits small screens and both colour schemes and may run no inline script', async (path) => {
    const { text, headers } = await app.call('GET', path);
    expectSafePage(text, headers);
  });

  it('finds everything it loads at the same origin', async () => {
    const { text } = await app.call('GET', '/docs');
    const files = [...text.matchAll(/<(?:link|script|use)[^>]* (?:src|href)="([^"#]*)/g)].map(([, url]) => url!);
    expect(files.length).toBeGreaterThanOrEqual(4);
    for (const file of files) {
      const { status, headers, text: content } = await app.call('GET', file);
      expect([file, status, content.length > 100]).toEqual([file, 200, true]);
      expect(headers.get('cache-control')).toBe('public, max-age=300');
    }
  });
});

describe('a file', () => {
  const FILES = [
    '/openapi.json',
    '/docs/swagger-ui-bundle.js',
    '/docs/swagger-ui.css',
    '/docs/start.js',
    '/reference/openapi.json',
    '/reference/wallets/openapi.json',
    '/reference/redoc.js',
    '/guide/reference.js',
  ];

  /** Node's client decompresses nothing. */
  const load = async (path: string, headers: Record<string, string> = {}) => {
    const response = await new Promise<IncomingMessage>((resolve) => get(new URL(path, app.url), { headers }, resolve));
    return { status: response.statusCode, headers: response.headers, content: await buffer(response) };
  };

  it.each(FILES)('%s comes compressed as the client accepts it, and not again while it has it', async (path) => {
    const plain = await load(path);
    expect(plain.headers).toMatchObject({ vary: 'Accept-Encoding', 'content-length': String(plain.content.length) });
    expect(plain.headers['content-encoding']).toBeUndefined();
    const tags = new Set([plain.headers.etag]);
    for (const [accepted, coding, decompress] of [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip, br;q=0', 'gzip', gunzipSync],
    ] as const) {
      const { headers, content } = await load(path, { 'accept-encoding': accepted });
      expect(headers).toMatchObject({ 'content-encoding': coding, vary: 'Accept-Encoding' });
      expect(headers['content-type']).toBe(plain.headers['content-type']);
      expect(decompress(content).equals(plain.content)).toBe(true);
      if (plain.content.length > 10_000) expect(content.length).toBeLessThan(plain.content.length / 3);
      tags.add(headers.etag);
      const again = await load(path, { 'accept-encoding': accepted, 'if-none-match': headers.etag! });
      expect([again.status, again.content.length, again.headers.etag]).toEqual([304, 0, headers.etag]);
    }
    expect(tags.size).toBe(3);
  });

  it('of the document has no blanks between its values and at most 800 kB', async () => {
    const { content } = await load('/openapi.json');
    expect(content.toString()).toBe(JSON.stringify(JSON.parse(content.toString())));
    expect(content.length).toBeLessThanOrEqual(800_000);
  });

  it('with letters comes as it is', async () => {
    const { headers } = await load('/guide/inter-latin-wght-normal.woff2', { 'accept-encoding': 'br' });
    expect([headers['content-encoding'], headers['content-type']]).toEqual([undefined, 'font/woff2']);
  });
});

describe('the documentation', () => {
  it('shows the document of this service, in the colour scheme of the browser, and asks no other host', async () => {
    const script = await app.call('GET', '/docs/start.js');
    expect(script.headers.get('content-type')).toMatch(/javascript/);
    const [classes, options]: [Record<string, boolean>, object[]] = [{}, []];
    const matchMedia = (query: string) => ({ matches: query.includes('dark'), addEventListener: () => undefined });
    const classList = { toggle: (name: string, on: boolean) => (classes[name] = on) };
    const localStorage = { removeItem: (name: string) => kept.delete(name) };
    const kept = new Set(['authorized']);
    const MutationObserver = class {
      observe = () => undefined;
    };
    const document = { documentElement: { classList }, querySelector: () => null };
    const window = { matchMedia, localStorage, MutationObserver, document };
    runInContext(script.text, createContext({ ...window, SwaggerUIBundle: (given: object) => options.push(given) }));
    expect(classes).toEqual({ 'dark-mode': true });
    expect(options).toMatchObject([{ url: '/openapi.json', dom_id: '#swagger-ui', validatorUrl: null }]);
    expect((await app.call('GET', '/docs')).text).toContain('id="swagger-ui"');
    // Keys of an earlier release are removed, and no new ones are stored.
    expect([...kept]).toEqual([]);
    expect(options[0]).not.toHaveProperty('persistAuthorization');
  });
});

describe('the start page', () => {
  it('leads to the documentation in development', async () => {
    const { status, headers } = await app.call('GET', '/');
    expect([status, headers.get('location')]).toEqual([302, '/docs']);
  });

  it('is a short page in production', async () => {
    const production = await startApp({
      env: { NODE_ENV: 'production', BASE_URL: 'https://id.example', ALLOW_PRIVATE_NETWORKS: 'false' },
    });
    try {
      const { status, headers, text } = await production.call('GET', '/');
      expect(status).toBe(200);
      expectSafePage(text, headers);
      expect(text).toContain('href="/docs"');
    } finally {
      await production.stop();
    }
  });
});

/** The fixed paths that a route with an id matches too, each with a method that only that route has. */
const { paths } = readDocument<{ paths: Record<string, Record<string, unknown>> }>();
const FIXED_BESIDE_IDS = Object.keys(paths)
  .filter((path) => !path.includes('{'))
  .flatMap((path) =>
    Object.entries(paths)
      .filter(([other]) => new RegExp(`^${other.replaceAll(/\{[^}]+\}/g, '[^/{}]+')}$`).test(path) && other !== path)
      .flatMap(([, item]) => Object.keys(item).filter((method) => !(method in paths[path]!)))
      .map((method): [string, string, string] => [method.toUpperCase(), path, 'POST']),
  );

describe('a path that exists', () => {
  it('stands nine times beside a path with an id that has other methods', () => {
    expect(FIXED_BESIDE_IDS).toHaveLength(9);
  });

  it.each([
    ['DELETE', '/', 'GET, HEAD'],
    ['POST', '/docs', 'GET, HEAD'],
    ['POST', '/reference', 'GET, HEAD'],
    ['POST', '/docs/swagger-ui.css', 'GET, HEAD'],
    ['PUT', '/errors', 'GET, HEAD'],
    ['PUT', '/errors/not_found', 'GET, HEAD'],
    ['POST', '/metrics', 'GET, HEAD'],
    ['POST', '/livez', 'GET, HEAD'],
    ['POST', '/readyz', 'GET, HEAD'],
    ['POST', '/version', 'GET, HEAD'],
    ['DELETE', '/openapi.json', 'GET, HEAD'],
    ['PUT', '/management/v1/apps', 'GET, HEAD, POST'],
    ['PUT', '/management/v1/apps/app_1', 'DELETE, GET, HEAD, PATCH'],
    ['DELETE', '/v1/auth/oauth/verify', 'POST'],
    ['PATCH', '/v1/auth/sessions/verify', 'POST'],
    ['GET', '/management/v1/apps/app_1/users/search', 'POST'],
    ...FIXED_BESIDE_IDS,
  ])('refuses %s %s with the supported methods', async (method, path, allowed) => {
    const { status, headers, body } = await app.call(method, path);
    expect({ status, allow: headers.get('allow'), type: body.error_type }).toEqual({
      status: 405,
      allow: allowed,
      type: 'method_not_allowed',
    });
  });
});
