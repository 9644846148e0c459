import { createHash } from 'node:crypto';
import { EscrowTable } from '../../../src/services/crypto/escrow/escrow-table.js';
import { runCommand } from '../../../src/cli/run-command.js';
import { startApp, type TestApp } from '../../support/app.js';
import { createDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { textsOf } from '../../support/statements.js';
import { startVault, type VaultServer } from '../../support/vault-server.js';

const MASTER_KEYS = `test:${createHash('sha256').update('the master key of the tests').digest('base64')}`;

let vault: VaultServer;
let databaseUrl: string;
let drop: () => Promise<void>;
beforeAll(async () => {
  vault = await startVault();
  ({ url: databaseUrl, drop } = await createDatabase());
});
afterAll(async () => {
  await vault.stop();
  await drop();
});

const read = async (service: TestApp) => {
  const { status, body, text } = await service.call('GET', '/management/v1/key_storage', {
    key: service.managementKey,
  });
  expect(status).toBe(200);
  for (const secret of [vault.url, vault.env['VAULT_TOKEN']!, vault.env['VAULT_TRANSIT_KEY']!])
    expect(text).not.toContain(secret);
  return body;
};
const counted = (service: TestApp) =>
  eventually(async () => {
    const body = await read(service);
    expect(body.counted_at).toBeGreaterThan(0);
    return body;
  });
const walletOf = async (service: TestApp): Promise<void> => {
  const app = await service.given.app();
  const { user_id } = await service.given.user(app);
  const body = { user_id, wallet_type: 'ethereum' };
  expect((await service.call('POST', '/v1/wallets/create', { key: app.secretKey, body })).status).toBe(200);
};

describe('the key storage that operators read', () => {
  it('is the current master key without a provider, and counts the values in the background', async () => {
    const service = await startApp({ databaseUrl, env: { ROLE: 'api' } });
    await walletOf(service);
    const before = { provider: 'master-keys', providers: [], app_keys: [], escrow: null };
    expect(await read(service)).toMatchObject({ ...before, sealed_values: [], counted_at: 0 });
    const { sealed_values: values, ...rest } = await counted(service);
    expect(rest).toMatchObject(before);
    expect(values).toEqual([{ sealed_by: 'test', values: expect.any(Number), is_current: true }]);
    expect(values[0].values).toBeGreaterThan(1);
    await service.stop();
  });

  it('names the provider, the values that are still under a master key, and the escrow with the keys made since', async () => {
    const service = await startApp({ databaseUrl, env: { ...vault.env, ROLE: 'api' } });
    await walletOf(service);
    const now = Math.floor(Date.now() / 1_000);
    const found = await counted(service);
    expect(found).toMatchObject({
      provider: 'vault',
      providers: [{ name: 'vault', status: 'ok', fault: null, failing_since: 0 }],
      app_keys: [{ provider: 'vault', generation: 1, apps: 2 }],
      escrow: null,
    });
    expect(Math.abs(found.providers[0].checked_at - now)).toBeLessThan(60);
    expect(found.sealed_values.toSorted(bySealer)).toEqual([
      { sealed_by: 'test', values: expect.any(Number), is_current: false },
      { sealed_by: 'vault', values: expect.any(Number), is_current: true },
    ]);
    const escrow = { createdAt: new Date(), keys: 2, threshold: 2, recipients: 3 };
    await service.nest.get(EscrowTable, { strict: false }).record(escrow, 'vault', Buffer.alloc(32));
    const shown = { created_at: Math.floor(escrow.createdAt.getTime() / 1_000), keys: 2, threshold: 2, recipients: 3 };
    expect((await read(service)).escrow).toEqual({ ...shown, newer_keys: 0 });
    await walletOf(service);
    expect((await read(service)).escrow).toEqual({ ...shown, newer_keys: 1 });
    await service.stop();
  });

  it('has the same numbers as the command', async () => {
    const service = await startApp({ databaseUrl, env: { ...vault.env, ROLE: 'api' } });
    const { sealed_values: values, app_keys: keys } = await counted(service);
    let out = '';
    const terminal = { out: (text: string) => void (out += text), err: () => undefined };
    const env = { NODE_ENV: 'test', DATABASE_URL: databaseUrl, MASTER_KEYS, ...vault.env };
    expect(await runCommand(['keys', 'status', '--json'], { env, terminal })).toBe(0);
    const { escrow, ...told } = JSON.parse(out) as Record<string, unknown>;
    expect(told).toEqual({
      provider: 'vault',
      vault: 'ok',
      ...Object.fromEntries(keys.map((row: AppKeys) => [`apps of ${row.provider}:${row.generation}`, row.apps])),
      ...Object.fromEntries(values.map((row: Values) => [`values of ${row.sealed_by}`, row.values])),
    });
    expect(escrow).toContain('opens with 2 of 3');
    await service.stop();
  });

  it('says since when the provider fails and why, without a further call to it, and that it works again', async () => {
    const service = await startApp({ databaseUrl, env: { ...vault.env, ROLE: 'api' } });
    await walletOf(service);
    vault.forgetCalls();
    for (let i = 0; i < 10; i++) expect((await read(service)).providers[0].status).toBe('ok');
    expect(vault.calls).toEqual({});
    vault.fault = 403;
    const app = await service.given.app();
    await service.call('GET', `/v1/auth/jwks/${app.id}`);
    const began = (await read(service)).providers[0];
    expect(began).toMatchObject({ name: 'vault', status: 'unavailable', fault: 'denied' });
    expect(Math.abs(began.failing_since - Date.now() / 1_000)).toBeLessThan(60);
    vault.fault = 500;
    await eventually(async () => {
      await service.call('GET', `/v1/auth/jwks/${app.id}`);
      const [state] = (await read(service)).providers;
      expect(state).toMatchObject({ fault: 'failed', failing_since: began.failing_since });
      expect(state.checked_at).toBeGreaterThan(began.failing_since);
    });
    vault.fault = null;
    await eventually(async () => {
      expect((await service.call('GET', `/v1/auth/jwks/${app.id}`)).status).toBe(200);
      const state = { status: 'ok', fault: null, failing_since: 0 };
      expect((await read(service)).providers).toMatchObject([state]);
    });
    await service.stop();
  });

  it('counts the values once for calls that come together', async () => {
    const service = await startApp({ databaseUrl, env: { ROLE: 'api', ...vault.env } });
    const texts = await textsOf(async () => {
      await Promise.all(Array.from({ length: 8 }, () => read(service)));
      await counted(service);
    });
    expect(texts.filter((text) => text.includes('from wallets where sealed_key'))).toHaveLength(1);
    await service.stop();
  });
});

interface Values {
  readonly sealed_by: string;
  readonly values: number;
}
interface AppKeys {
  readonly provider: string;
  readonly generation: number;
  readonly apps: number;
}

const bySealer = (one: Values, other: Values): number => (one.sealed_by < other.sealed_by ? -1 : 1);
