import type { AppId } from '../../../src/kernel/ids.js';
import { AppsFacade } from '../../../src/modules/apps/index.js';
import { type Call, MANAGEMENT_KEY, startApp, type TestApp } from '../../support/app.js';
import { patiently } from '../../support/eventually.js';
import type { GivenApp } from '../../support/given.js';

let service: TestApp;
let app: GivenApp;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.stop());
beforeEach(async () => {
  app = await service.given.app();
});

const manage = (method: string, path: string, call: Call = {}) =>
  service.call(method, `/management/v1/apps/${app.id}${path}`, { key: MANAGEMENT_KEY, ...call });
const register = (body: object) => manage('POST', '/redirect_urls', { body });
const listed = async (): Promise<{ id: string; url: string; kind: string; is_default: boolean }[]> =>
  (await manage('GET', '/redirect_urls')).body.redirect_urls;
const redirectUrl = (kind: 'login' | 'registration' | 'invite', asked?: string) =>
  service.nest.get(AppsFacade).redirectUrl(app.id as AppId, kind, asked);

describe('registering a redirect URL', () => {
  it('stores and answers its canonical form', async () => {
    const { status, body } = await register({ url: 'HTTPS://App.Example:443/a/../cb?x=1', kind: 'login' });
    expect([status, body]).toEqual([
      200,
      {
        id: expect.stringMatching(/^rurl_/),
        url: 'https://app.example/cb?x=1',
        kind: 'login',
        is_default: false,
        created_at: expect.any(Number),
      },
    ]);
  });

  it('twice for the same purpose is a conflict, however it is spelt; for another purpose it is not', async () => {
    await register({ url: 'https://app.example/cb', kind: 'login' });
    const again = await register({ url: 'https://APP.example:443/./cb', kind: 'login' });
    expect([again.status, again.body.error_type]).toEqual([409, 'duplicate_redirect_url']);
    expect((await register({ url: 'https://app.example/cb', kind: 'invite' })).status).toBe(200);
  });

  it.each([
    'https://user:pass@app.example/cb',
    'https://user@app.example/cb',
    'https://app.example/cb#fragment',
    'https://app.example/cb#',
    'https://*.app.example/cb',
  ])('refuses %s', async (url) => {
    const { status, body } = await register({ url, kind: 'login' });
    expect([status, body.error_type]).toEqual([400, 'invalid_redirect_url']);
  });

  it.each([
    '',
    'app.example/cb',
    '/cb',
    '//app.example/cb',
    'javascript:alert(1)',
    'data:text/html,x',
    'myapp://cb',
    7,
    null,
  ])('refuses %p as no web address at all, naming the field', async (url) => {
    const { status, body } = await register({ url, kind: 'login' });
    expect([status, body.errors[0].field]).toEqual([400, 'url']);
  });

  it('refuses one of more than 2,048 characters, also when only its canonical form is', async () => {
    expect((await register({ url: `https://app.example/${'a'.repeat(2_048)}`, kind: 'login' })).status).toBe(400);
    const growing = await register({ url: `https://app.example/${'ü'.repeat(1_000)}`, kind: 'login' });
    expect([growing.status, growing.body.error_type]).toEqual([400, 'invalid_redirect_url']);
  });

  it('takes plain http only on loopback, unless the app is in test mode', async () => {
    const allowed = ['http://localhost:3001/cb', 'http://127.0.0.1/cb', 'http://[::1]:8080/cb'];
    const refused = ['http://app.example/cb', 'http://localhost.app.example/cb', 'http://127.0.0.1.nip.io/cb'];
    for (const url of [...allowed, ...refused]) expect((await register({ url, kind: 'login' })).status).toBe(200);
    app = await service.given.app({ mode: 'live' });
    for (const url of allowed) expect([url, (await register({ url, kind: 'login' })).status]).toEqual([url, 200]);
    for (const url of refused) expect([url, (await register({ url, kind: 'login' })).status]).toEqual([url, 400]);
  });

  it('as a default replaces the default of its kind only', async () => {
    await register({ url: 'https://a.example/1', kind: 'login', is_default: true });
    await register({ url: 'https://a.example/2', kind: 'registration', is_default: true });
    await register({ url: 'https://a.example/3', kind: 'login', is_default: true });
    const defaults = (await listed()).filter(({ is_default }) => is_default).map(({ url }) => url);
    expect(defaults.toSorted()).toEqual(['https://a.example/2', 'https://a.example/3']);
  });

  it('as a default that is refused leaves the one before in place', async () => {
    await register({ url: 'https://a.example/1', kind: 'login', is_default: true });
    await register({ url: 'https://a.example/2', kind: 'login' });
    expect((await register({ url: 'https://a.example/2', kind: 'login', is_default: true })).status).toBe(409);
    expect(await redirectUrl('login')).toBe('https://a.example/1');
  });

  it('as defaults, twenty at the same time, ends with exactly one', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        patiently(() => register({ url: `https://a.example/${i}`, kind: 'login', is_default: true })),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const all = await listed();
    expect(all).toHaveLength(20);
    expect(all.filter(({ is_default }) => is_default)).toHaveLength(1);
  });

  it('the same, twenty at the same time, succeeds once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        patiently(() => register({ url: 'https://a.example/cb', kind: 'login', is_default: true })),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.error_type === 'duplicate_redirect_url')).toHaveLength(19);
  });
});

describe('removing a redirect URL', () => {
  it('ends it at once', async () => {
    const { body } = await register({ url: 'https://a.example/1', kind: 'login', is_default: true });
    expect((await manage('DELETE', `/redirect_urls/${body.id}`)).body.id).toBe(body.id);
    await expect(redirectUrl('login')).rejects.toMatchObject({ code: 'no_default_redirect_url' });
    await expect(redirectUrl('login', 'https://a.example/1')).rejects.toMatchObject({ code: 'invalid_redirect_url' });
    expect((await manage('DELETE', `/redirect_urls/${body.id}`)).body.error_type).toBe('redirect_url_not_found');
  });
});

describe('where a browser is sent', () => {
  it('is the registered URL, found by its canonical form', async () => {
    await register({ url: 'https://app.example/cb?x=1', kind: 'login' });
    expect(await redirectUrl('login', 'HTTPS://app.EXAMPLE:443/a/../cb?x=1')).toBe('https://app.example/cb?x=1');
  });

  // Each is a way around a check by prefix, host or substring. @see CVE-2025-27143
  it.each([
    'https://app.example/cb/',
    'https://app.example/cb?x=2',
    'https://app.example/cb',
    'https://app.example/cb?x=1&y=2',
    'https://app.example/cb?x=1#fragment',
    'https://app.example/CB?x=1',
    'https://app.example./cb?x=1',
    'https://app.example:8443/cb?x=1',
    'http://app.example/cb?x=1',
    'https://app.example.evil.example/cb?x=1',
    'https://evil.example/https://app.example/cb?x=1',
    'https://app.example@evil.example/cb?x=1',
    'https://evil.example\\@app.example/cb?x=1',
    'https://user@app.example/cb?x=1',
    'https://app.example/cb?x=1%00',
    'https://app.example/%63b?x=1',
    '//app.example/cb?x=1',
    '/cb?x=1',
    'javascript://app.example/cb?x=1',
    '',
  ])('is not %s when that is not what was registered', async (asked) => {
    await register({ url: 'https://app.example/cb?x=1', kind: 'login' });
    await expect(redirectUrl('login', asked)).rejects.toMatchObject({ code: 'invalid_redirect_url' });
  });

  it('is not what is registered for another purpose or by another app', async () => {
    await register({ url: 'https://app.example/cb', kind: 'login', is_default: true });
    await expect(redirectUrl('registration', 'https://app.example/cb')).rejects.toMatchObject({
      code: 'invalid_redirect_url',
    });
    await expect(redirectUrl('registration')).rejects.toMatchObject({ code: 'no_default_redirect_url' });
    app = await service.given.app();
    await expect(redirectUrl('login', 'https://app.example/cb')).rejects.toMatchObject({
      code: 'invalid_redirect_url',
    });
    await expect(redirectUrl('login')).rejects.toMatchObject({ code: 'no_default_redirect_url' });
  });
});
