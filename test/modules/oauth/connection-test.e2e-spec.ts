import { startApp, type TestApp } from '../../support/app.js';
import type { GivenApp } from '../../support/given.js';
import { type HostileProvider, startHostileProvider } from '../../support/hostile-provider.js';

let service: TestApp;
let provider: HostileProvider;
let app: GivenApp;
let connection: string;
beforeAll(async () => {
  [service, provider] = await Promise.all([startApp(), startHostileProvider()]);
  app = await service.given.app();
  const fields = { provider: 'company', issuer: provider.issuer, client_id: 'c', client_secret: 'the-client-secret' };
  connection = (await service.given.connection(app, fields)).id;
});
afterAll(async () => {
  await service?.stop();
  await provider?.stop();
});
beforeEach(() => provider.behave());

const test = (appId = app.id, id = connection) =>
  service.call('POST', `/management/v1/apps/${appId}/oauth_connections/${id}/test`, { key: service.managementKey });
async function checks(): Promise<Record<string, { ok: boolean; detail: string }>> {
  const { status, body, text } = await test();
  expect(status).toBe(200);
  expect(text).not.toContain('the-client-secret');
  return Object.fromEntries(body.checks.map((check: { name: string }) => [check.name, check]));
}

describe('the test of a connection', () => {
  it('passes for an honest provider', async () => {
    const { body } = await test();
    expect(body.checks.map(({ name, ok }: { name: string; ok: boolean }) => [name, ok])).toEqual([
      ['credentials', true],
      ['discovery', true],
      ['keys', true],
      ['clock', true],
      ['pkce', true],
      ['userinfo', true],
    ]);
  });

  it('says what the settings of the connection mean', async () => {
    const { pkce, userinfo } = await checks();
    expect(pkce!.detail).toContain('pkce=false');
    expect(userinfo!.detail).toMatch(/new user must contain the email/);
    const change = (body: object) =>
      service.call('PATCH', `/management/v1/apps/${app.id}/oauth_connections/${connection}`, {
        key: service.managementKey,
        body,
      });
    provider.behave({ discovery: { code_challenge_methods_supported: ['plain'] } });
    expect((await checks())['pkce']).toMatchObject({ ok: false, detail: expect.stringContaining('S256') });
    await change({ pkce: false, userinfo: 'optional' });
    expect((await checks())['pkce']).toMatchObject({ ok: true, detail: expect.stringContaining('redirect=true') });
    expect((await checks())['userinfo']!.detail).toMatch(/suffices for every user/);
    await change({ pkce: true, userinfo: 'required' });
    provider.behave({
      discovery: { code_challenge_methods_supported: ['plain', 'S256'], userinfo_endpoint: undefined },
    });
    expect((await checks())['pkce']).toMatchObject({ ok: true, detail: expect.stringContaining('announces') });
    expect((await checks())['userinfo']).toMatchObject({ ok: true, detail: expect.stringContaining('no userinfo') });
  });

  it('asks the provider again, also after an answer that it remembers', async () => {
    expect((await checks())['discovery']!.ok).toBe(true);
    provider.behave({ discovery: { issuer: 'https://mallory.example' } });
    const { discovery, keys, clock, pkce, userinfo } = await checks();
    expect(discovery).toMatchObject({ ok: false, detail: expect.stringContaining('discovery document') });
    expect([keys, clock, pkce, userinfo].map((check) => check!.ok)).toEqual([false, false, false, false]);
    provider.behave();
    expect((await checks())['discovery']!.ok).toBe(true);
  });

  it.each<[string, number, string]>([
    ['no key', 200, '{"keys":[]}'],
    ['a symmetric key', 200, '{"keys":[{"kty":"oct","k":"AAAA"}]}'],
    ['a key for encryption', 200, '{"keys":[{"kty":"RSA","use":"enc"}]}'],
    ['keys that are none', 200, '{"keys":[null,1,"x",{}]}'],
    ['no list', 200, '{"keys":"x"}'],
    ['no object', 200, '[]'],
    ['a page', 200, '<html>'],
    ['a refusal', 404, '{}'],
    ['an error', 500, 'the-client-secret'],
  ])('finds that the key set is %s', async (_, status, body) => {
    const jwks = new URL((await jwksOf()) as string).pathname;
    provider.behave({ routes: { [jwks]: (_request, response) => void response.writeHead(status).end(body) } });
    const { keys, discovery } = await checks();
    expect([discovery!.ok, keys!.ok]).toEqual([true, false]);
  });

  it('finds that the clock of the provider is wrong', async () => {
    const jwks = new URL((await jwksOf()) as string).pathname;
    const keys = await (await fetch((await jwksOf()) as string)).text();
    const date = new Date(Date.now() - 600_000).toUTCString();
    provider.behave({ routes: { [jwks]: (_, response) => void response.writeHead(200, { date }).end(keys) } });
    expect((await checks())['clock']).toMatchObject({ ok: false, detail: expect.stringMatching(/behind the clock/) });
  });

  it('of an unknown connection or of another app is not found', async () => {
    const stranger = await service.given.app();
    expect((await test(stranger.id)).body.error_type).toBe('oauth_connection_not_found');
    expect((await test(app.id, `oauthconn_${'0'.repeat(26)}`)).body.error_type).toBe('oauth_connection_not_found');
    expect((await test(`app_${'0'.repeat(26)}`)).body.error_type).toBe('app_not_found');
    expect(provider.seen).toEqual([]);
  });
});

async function jwksOf(): Promise<unknown> {
  const document = await (await fetch(`${provider.issuer}/.well-known/openid-configuration`)).json();
  return (document as { jwks_uri: unknown }).jwks_uri;
}
