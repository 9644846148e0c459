import type { AppId, OauthConnectionId } from '../../../src/kernel/ids.js';
import { AppsFacade } from '../../../src/modules/apps/index.js';
import { Brands } from '../../../src/services/mail/brands.js';
import { type Call, MANAGEMENT_KEY, startApp, type TestApp } from '../../support/app.js';
import type { GivenApp } from '../../support/given.js';
import { roundTripsOf } from '../../support/statements.js';

let service: TestApp;
let app: GivenApp;
let connection: string;
beforeAll(async () => {
  service = await startApp({ env: { ROLE: 'api' } });
  app = await service.given.app();
  await service.given.redirectUrl(app, 'login', 'https://a.example/');
  connection = (await service.given.connection(app, { provider: 'google', client_id: 'c', client_secret: 's' })).id;
});
afterAll(() => service.stop());

/** Brings both keys and the app's settings into memory. */
async function useKeys(): Promise<void> {
  await manage('GET', '/keys');
  await service.call('GET', '/v1/auth/oauth_connections/list', { key: app.secretKey });
}

/**
 * Statements sent while `work` runs with the keys and settings it needs already in memory, which stay fresh: time stands still. The
 * uses of keys are stored a second later, also while other work runs.
 */
async function statements(work: () => Promise<unknown>): Promise<string[]> {
  const now = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
  try {
    await work();
    await useKeys();
    const texts = (await roundTripsOf(work)).flat().map(({ text }) => text.trim());
    return texts.filter((text) => !text.includes('set last_used_at'));
  } finally {
    now.mockRestore();
  }
}

const manage = (method: string, path = '', call: Call = {}) =>
  service.call(method, `/management/v1/apps/${app.id}${path}`, { key: MANAGEMENT_KEY, ...call });

describe('a read asks the database once', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['an app', () => manage('GET')],
    ['its keys', () => manage('GET', '/keys')],
    ['its redirect URLs', () => manage('GET', '/redirect_urls')],
    ['its connections', () => manage('GET', '/oauth_connections')],
    ['a connection', () => manage('GET', `/oauth_connections/${connection}`)],
    [
      'a connection, by an old client',
      () => service.call('GET', `/v1/auth/oauth_connections/${connection}`, { key: app.secretKey }),
    ],
    [
      'where to send a browser that is to go to a URL',
      () => service.nest.get(AppsFacade).redirectUrl(app.id as AppId, 'login', 'https://a.example/'),
    ],
    ['the connection of a provider', () => service.nest.get(AppsFacade).connection(app.id as AppId, 'google')],
    [
      'the connection of a callback',
      () => service.nest.get(AppsFacade).connectionById(connection as OauthConnectionId),
    ],
  ])('%s', async (_, work) => {
    expect(await statements(work)).toHaveLength(1);
  });

  it('but the audit log, which then asks for the names of its keys in both of their tables at once', async () => {
    expect(await statements(() => manage('GET', '/audit_log'))).toHaveLength(3);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['settings', async () => service.nest.get(AppsFacade).settings(app.id as AppId)],
    ['default redirect URLs', () => service.nest.get(AppsFacade).redirectUrl(app.id as AppId, 'login')],
    ['how an app appears in mails', () => service.nest.get(Brands).of(app.id as AppId)],
  ])('and %s known for less than half a second not at all', async (_, work) => {
    expect(await statements(work)).toEqual([]);
  });
});

describe('a write is one transaction', () => {
  it.each<[string, number, () => Promise<unknown>]>([
    [
      'creating an app: app, keys, audit with its personal data, events',
      7,
      () => service.call('POST', '/management/v1/apps', { key: MANAGEMENT_KEY, body: { name: 'Other', mode: 'test' } }),
    ],
    [
      'changing an app: lock, update, audit with its personal data, events',
      7,
      () => manage('PATCH', '', { body: { name: 'Other' } }),
    ],
    [
      'creating a key: mode of the app, key, the job that signs an audit head, audit with its personal data, events',
      8,
      () => manage('POST', '/keys', { body: { kind: 'secret' } }),
    ],
  ])('%s', async (_, count, work) => {
    const sent = await statements(work);
    expect(sent).toHaveLength(count);
    expect(sent.at(-1)).toMatch(/^commit$/i);
  });
});
