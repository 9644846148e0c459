import { Config } from '../../src/services/config/config.js';
import { startApp, type TestApp } from '../support/app.js';

const statusOf = async (base: string, path: string): Promise<number> => (await fetch(new URL(path, base))).status;

describe('the health port', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ env: { HEALTH_PORT: '0', METRICS_ON: 'health' } });
  });
  afterAll(() => app.stop());

  it('serves health and metrics and nothing else', async () => {
    for (const path of ['/livez', '/readyz', '/version', '/metrics'])
      expect(await statusOf(app.healthUrl!, path)).toBe(200);
    for (const path of ['/v1/auth/users', '/docs', '/openapi.json', '/console', '/'])
      expect(await statusOf(app.healthUrl!, path)).toBe(404);
  });

  it('takes the metrics off the main port, in every spelling that a route accepts, and leaves health there', async () => {
    for (const path of ['/metrics', '/metrics/', '/METRICS', '/metrics?x=1', '/%6Detrics'])
      expect(await statusOf(app.url, path)).toBe(404);
    expect(await statusOf(app.url, '/livez')).toBe(200);
  });
});

it('METRICS_ON=health is refused without a health port', () => {
  expect(() => Config.read({ METRICS_ON: 'health' })).toThrow('METRICS_ON=health needs HEALTH_PORT.');
});
