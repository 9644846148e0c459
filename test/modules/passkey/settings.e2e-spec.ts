import { startApp, type TestApp } from '../../support/app.js';
import { newId } from '../../../src/kernel/ids.js';
import { ANDROID_APP, ORIGIN, PasskeyApp, refusal, RP_ID } from './passkeys.js';

let service: TestApp;
let acme: PasskeyApp;
beforeAll(async () => {
  service = await startApp();
  acme = await PasskeyApp.of(service);
});
afterAll(() => service.stop());

const patch = (webauthn: unknown) => acme.manage('PATCH', '', { webauthn });

describe('the webauthn settings of an app', () => {
  it('are shown without their key, and keep what a change does not mention', async () => {
    await patch({ rp_name: 'Acme Login' });
    await patch({ origins: [ORIGIN, 'https://example.com', 'https://example.com'] });
    const { body } = await acme.manage('GET', '');
    const origins = [ORIGIN, 'https://example.com'];
    expect(body.webauthn).toEqual({ rp_id: RP_ID, rp_name: 'Acme Login', origins });
    expect((await patch({ rp_name: null })).body.webauthn).toEqual({ rp_id: RP_ID, rp_name: null, origins });
  });

  it.each([
    [{ rp_id: 'localhost', origins: ['http://localhost:3000', 'http://app.localhost'] }],
    [{ rp_id: 'acme.github.io', origins: ['https://acme.github.io'] }],
    [{ rp_id: 'example.internal', origins: ['https://example.internal'] }],
    [{ rp_id: 'app.example.co.uk', origins: ['https://app.example.co.uk:8443'] }],
    [{ rp_id: 'example.com', origins: ['https://example.com', 'https://example.de', 'https://notexample.com'] }],
    [{ rp_id: 'login.example.com', origins: ['https://example.com'] }],
    [{ rp_id: 'example.com', origins: [ANDROID_APP] }],
  ])('may be %j', async (webauthn) => {
    const { id } = await service.given.app({ webauthn });
    expect(id).toMatch(/^app_/);
  });

  it.each<[object, string]>([
    [{}, 'webauthn.rp_id'],
    [{ rp_id: 'example.com' }, 'webauthn.origins'],
    [{ rp_id: 'example.com', origins: [] }, 'webauthn.origins'],
    [{ rp_id: 'com', origins: ['https://example.com'] }, 'webauthn.rp_id'],
    ...['co.uk', 'github.io', 'foo.kawasaki.jp', 'xn--55qx5d.cn'].map((rp_id): [object, string] => [
      { rp_id, origins: [`https://acme.${rp_id}`] },
      'webauthn.rp_id',
    ]),
    [{ rp_id: 'https://example.com', origins: ['https://example.com'] }, 'webauthn.rp_id'],
    [{ rp_id: 'Example.com', origins: ['https://example.com'] }, 'webauthn.rp_id'],
    [{ rp_id: '127.0.0.1', origins: ['https://127.0.0.1'] }, 'webauthn.rp_id'],
    [{ rp_id: 'example.com', origins: ['https://example.com', 'http://example.de'] }, 'webauthn.origins[1]'],
    ...[
      ANDROID_APP.slice(0, -1),
      `${ANDROID_APP}A`,
      `${ANDROID_APP.slice(0, -1)}/`,
      // Bits that no hash has.
      `${ANDROID_APP.slice(0, -1)}B`,
      ANDROID_APP.toUpperCase(),
      `${ANDROID_APP}\n`,
      'android:apk-key-hash-sha256:AAAA',
      'ios:bundle-id:com.example.app',
      'android://example.com',
    ].map((origin): [object, string] => [{ rp_id: 'example.com', origins: [origin] }, 'webauthn.origins[0]']),
    [{ rp_id: 'example.com', origins: ['http://example.com'] }, 'webauthn.origins[0]'],
    [{ rp_id: 'example.com', origins: ['https://example.com/'] }, 'webauthn.origins[0]'],
    [{ rp_id: 'example.com', origins: ['https://example.com:443'] }, 'webauthn.origins[0]'],
    [{ rp_id: 'example.com', origins: ['https://*.example.com'] }, 'webauthn.origins[0]'],
    [{ rp_id: 'example.com', origins: ['null'] }, 'webauthn.origins[0]'],
  ])('are refused as %j, and the error names the field', async (webauthn, field) => {
    const { id } = await service.given.app();
    const { status, body } = await service.call('PATCH', `/management/v1/apps/${id}`, {
      key: service.managementKey,
      body: { webauthn },
    });
    expect([status, body.error_type, body.errors[0].field]).toEqual([400, 'invalid_request', field]);
  });

  it('are needed for every call', async () => {
    const app = await service.given.app({ default_wallet_type: 'none' });
    const { user_id } = await service.given.user(app);
    const calls: [string, object][] = [
      ['registrations/begin', { user_id }],
      ['registrations/create', { user_id, public_key_credential: {} }],
      ['authentication/begin', {}],
      ['authentication/begin', { user_id: newId('user') }],
      ['verify', { public_key_credential: {} }],
    ];
    for (const [path, body] of calls) {
      const answer = await service.call('POST', `/v1/auth/webauthn/${path}`, { key: app.secretKey, body });
      expect(refusal(answer)).toEqual([409, 'webauthn_not_configured']);
    }
  });
});
