import { setTimeout as pause } from 'node:timers/promises';
import type { AppId } from '../../../src/kernel/ids.js';
import { Database } from '../../../src/postgres/database.js';
import { KeyWrapper } from '../../../src/services/crypto/keyring-key-wrapper.js';
import type { ProviderKeyWrapper } from '../../../src/services/crypto/provider-key-wrapper.js';
import { HttpMetrics } from '../../../src/services/observability/metrics.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { type GivenApp, unique } from '../../support/given.js';
import { areAllCasesRun } from '../../support/sampled.js';
import { startVault, type VaultServer } from '../../support/vault-server.js';

/** KEY_OUTAGE_SECONDS=60 runs the whole outage. `npm run bench -- keys` measures it. */
const OUTAGE_MS = Number(process.env['KEY_OUTAGE_SECONDS'] ?? (areAllCasesRun ? 60 : 6)) * 1_000;

let vault: VaultServer;
let service: TestApp;
beforeAll(async () => {
  vault = await startVault();
  service = await startApp({ env: { ...vault.env, MASTER_KEYS: '' } });
});
afterAll(async () => {
  vault.fault = null;
  await service.stop();
  await vault.stop();
});
beforeEach(async () => {
  vault.fault = null;
  await eventually(() => wrapper().ready('service'));
  vault.forgetCalls();
});

const wrapper = (): ProviderKeyWrapper => service.nest.get(KeyWrapper) as ProviderKeyWrapper;
const post = (app: GivenApp, path: string, body: object) => service.call('POST', path, { key: app.secretKey, body });

interface Signer {
  readonly app: GivenApp;
  readonly userId: string;
  readonly sign: () => ReturnType<typeof post>;
}
async function signer(): Promise<Signer> {
  const app = await service.given.app();
  const { user_id } = await service.given.user(app);
  const { body } = await post(app, '/v1/wallets/create', { user_id, wallet_type: 'ethereum' });
  return {
    app,
    userId: user_id,
    sign: () => post(app, `/v1/wallets/${body.id}/sign_message`, { message: 'hello' }),
  };
}

describe('a provider that hangs', () => {
  it('costs a signature of a cold app at most 3 s, stops no sign-in of a warm app, and is used again within 5 s', async () => {
    const [cold, warm] = [await signer(), await signer()];
    const jwks = () => service.call('GET', `/v1/auth/jwks/${cold.app.id}`);
    const { body: published } = await jwks();
    wrapper().forgetAll();
    await Promise.all([wrapper().ready('service'), wrapper().ready(warm.app.id as AppId)]);
    vault.fault = 'hang';
    const end = performance.now() + OUTAGE_MS;
    while (performance.now() < end) {
      const began = performance.now();
      const refused = await cold.sign();
      expect(refused).toMatchObject({ status: 503, body: { error_type: 'keys_unavailable' } });
      expect(performance.now() - began).toBeLessThan(3_000);
      const email = `${unique()}@example.com`;
      expect((await post(warm.app, '/v1/auth/otps/email/login_or_create', { email })).status).toBe(200);
      expect((await warm.sign()).status).toBe(200);
      // A public key is readable without the provider, and so is each list.
      const answered = await jwks();
      expect([answered.status, answered.body]).toEqual([200, published]);
      expect((await post(cold.app, '/v1/auth/users/search', {})).status).toBe(200);
      await pause(100);
    }
    vault.fault = null;
    const back = performance.now();
    await eventually(async () => expect((await cold.sign()).status).toBe(200));
    expect(performance.now() - back).toBeLessThan(5_000);
  });
});

describe('wrapped keys of two apps that are exchanged in the database', () => {
  it.each([
    ['without', ''],
    ['with', ', check_value = o.check_value'],
  ])('sign nothing, and raise the alarm, %s their check values', async (_, further) => {
    const [one, two] = [await signer(), await signer()];
    const metric = async (): Promise<number> => {
      const text = await service.nest.get(HttpMetrics).registry.metrics();
      return Number(/seal_failures_total\{kind="wrapping-key"\} (\d+)/.exec(text)?.[1] ?? 0);
    };
    const before = await metric();
    await service.nest.get(Database).write(
      `update wrapping_keys k set wrapped_key = o.wrapped_key, key_ref = o.key_ref${further}
         from wrapping_keys o where k.app_id = any($1::text[]) and o.app_id = any($1::text[]) and o.app_id <> k.app_id`,
      [[one.app.id, two.app.id]],
    );
    wrapper().forgetAll();
    for (const each of [one, two, one])
      expect(await each.sign()).toMatchObject({ status: 500, body: { error_type: 'seal_broken' } });
    expect(await metric()).toBeGreaterThan(before);
    // Other apps go on: the breaker stays closed.
    expect((await (await signer()).sign()).status).toBe(200);
  });
});

describe('a thousand signatures of cold apps', () => {
  it('call the provider once for each app', async () => {
    const signers = await Promise.all([signer(), signer(), signer(), signer()]);
    wrapper().forgetAll();
    await wrapper().ready('service');
    vault.forgetCalls();
    for (let i = 0; i < 25; i++) {
      const answers = await Promise.all(signers.flatMap(({ sign }) => Array.from({ length: 10 }, sign)));
      expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(200));
    }
    expect(vault.calls).toEqual({ decrypt: signers.length });
  });
});
