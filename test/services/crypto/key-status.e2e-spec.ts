import { createHash } from 'node:crypto';
import { Client } from 'pg';
import { EscrowTable } from '../../../src/services/crypto/escrow/escrow-table.js';
import { runCommand } from '../../../src/cli/run-command.js';
import { startApp, type TestApp } from '../../support/app.js';
import { createDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { textsOf } from '../../support/statements.js';
import { startVault, type VaultServer } from '../../support/vault-server.js';

const SECRET = createHash('sha256').update('the master key of the tests').digest('base64');
const MASTER_KEYS = `test:${SECRET}`;

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
/** Lets the clock of the process run ahead, and each further call more. */
const clock = performance.now.bind(performance);
let aheadMs = 0;
const later = (ms: number): void => {
  aheadMs += ms;
  jest.spyOn(performance, 'now').mockImplementation(() => clock() + aheadMs);
};
const queryIn = async (url: string, sql: string): Promise<void> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
};
const walletOf = async (service: TestApp): Promise<void> => {
  const app = await service.given.app();
  const { user_id } = await service.given.user(app);
  const body = { user_id, wallet_type: 'ethereum' };
  expect((await service.call('POST', '/v1/wallets/create', { key: app.secretKey, body })).status).toBe(200);
};

afterEach(() => {
  jest.restoreAllMocks();
});

describe('the key storage that operators read', () => {
  it('is the current master key without a provider, and counts the values in the background', async () => {
    const service = await startApp({ databaseUrl, env: { ROLE: 'api' } });
    await walletOf(service);
    const before = { provider: 'master-keys', providers: [], app_keys: [], escrow: null };
    expect(await read(service)).toMatchObject({ ...before, sealed_values: [], counted_at: 0 });
    const { sealed_values: values, ...rest } = await counted(service);
    expect(rest).toMatchObject(before);
    const row = { sealed_by: 'master-keys', master_key: 'test', values: expect.any(Number), is_current: true };
    expect(values).toEqual([row]);
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
      { sealed_by: 'master-keys', master_key: 'test', values: expect.any(Number), is_current: false },
      { sealed_by: 'vault', master_key: '', values: expect.any(Number), is_current: true },
    ]);
    const escrow = { createdAt: new Date(), keys: 2, threshold: 2, recipients: 3 };
    await service.nest.get(EscrowTable, { strict: false }).record(escrow, 'vault', Buffer.alloc(32));
    later(5_000);
    const shown = { created_at: Math.floor(escrow.createdAt.getTime() / 1_000), keys: 2, threshold: 2, recipients: 3 };
    expect((await read(service)).escrow).toEqual({ ...shown, newer_keys: 0 });
    await walletOf(service);
    later(5_000);
    expect((await read(service)).escrow).toEqual({ ...shown, newer_keys: 1 });
    await service.stop();
  });

  it('has the same numbers as the command', async () => {
    const service = await startApp({ databaseUrl, env: { ...vault.env, ROLE: 'api' } });
    const { sealed_values: values, app_keys: keys } = await counted(service);
    let out = '';
    const terminal = { out: (text: string) => void (out += text), err: () => undefined };
    const env = { NODE_ENV: 'test', DATABASE_URL: databaseUrl, MASTER_KEYS, ...vault.env };
    vault.forgetCalls();
    expect(await runCommand(['keys', 'status', '--json'], { env, terminal })).toBe(0);
    expect(vault.calls).toMatchObject({ encrypt: 1, decrypt: 1 });
    const { escrow, ...told } = JSON.parse(out) as Record<string, unknown>;
    expect(told).toEqual({
      provider: 'vault',
      vault: 'ok',
      ...Object.fromEntries(keys.map((row: AppKeys) => [`apps of ${row.provider}:${row.generation}`, row.apps])),
      ...Object.fromEntries(values.map((row: Values) => [`values of ${nameOf(row)}`, row.values])),
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

  it('scans the keys once for calls within 5 s', async () => {
    const service = await startApp({ databaseUrl, env: { ROLE: 'api', ...vault.env } });
    const scansOf = async (work: () => Promise<unknown>): Promise<number> =>
      (await textsOf(work)).filter((text) => text.includes('count(distinct app_id)')).length;
    expect(await scansOf(() => Promise.all(Array.from({ length: 8 }, () => read(service))))).toBe(1);
    expect(await scansOf(() => read(service))).toBe(0);
    later(5_000);
    expect(await scansOf(() => read(service))).toBe(1);
    await service.stop();
  });

  it('says when the last count failed, keeps the one before, and counts again after 20 times its duration', async () => {
    const service = await startApp({ databaseUrl, env: { ROLE: 'api', ...vault.env } });
    const { sealed_values: values, counted_at: countedAt } = await counted(service);
    const ended = () =>
      eventually(async () => {
        const body = await read(service);
        expect(body.is_counting).toBe(false);
        return body;
      });
    expect(await ended()).toMatchObject({ count_failed_at: 0 });
    await queryIn(databaseUrl, 'alter table wallets rename column sealed_key to renamed');
    later(60_000);
    expect(await read(service)).toMatchObject({ count_failed_at: 0, is_counting: true });
    // The count lasts for 10 s by the clock that runs ahead.
    later(10_000);
    const failed = await ended();
    expect(failed).toMatchObject({ counted_at: countedAt, sealed_values: values });
    expect(Math.abs(failed.count_failed_at - Date.now() / 1_000)).toBeLessThan(60);
    await queryIn(databaseUrl, 'alter table wallets rename column renamed to sealed_key');
    later(190_000);
    expect(await read(service)).toMatchObject({ count_failed_at: failed.count_failed_at, is_counting: false });
    later(20_000);
    expect(await read(service)).toMatchObject({ is_counting: true });
    expect(await ended()).toMatchObject({ count_failed_at: 0, sealed_values: values });
    await service.stop();
  });

  it('keeps a master key apart from the provider whose name it has', async () => {
    const database = await createDatabase();
    const env = { ROLE: 'api', MASTER_KEYS: `vault:${SECRET}` };
    const before = await startApp({ databaseUrl: database.url, env });
    await walletOf(before);
    expect((await counted(before)).sealed_values).toMatchObject([
      { sealed_by: 'master-keys', master_key: 'vault', is_current: true },
    ]);
    await before.stop();
    const service = await startApp({ databaseUrl: database.url, env: { ...env, ...vault.env } });
    await walletOf(service);
    expect((await counted(service)).sealed_values.toSorted(bySealer)).toMatchObject([
      { sealed_by: 'master-keys', master_key: 'vault', is_current: false },
      { sealed_by: 'vault', master_key: '', is_current: true },
    ]);
    await service.stop();
    await database.drop();
  });
});

interface Values {
  readonly sealed_by: string;
  readonly master_key: string;
  readonly values: number;
}
interface AppKeys {
  readonly provider: string;
  readonly generation: number;
  readonly apps: number;
}

const nameOf = (row: Values): string => (row.master_key ? `master key ${row.master_key}` : row.sealed_by);
const bySealer = (one: Values, other: Values): number => (one.sealed_by < other.sealed_by ? -1 : 1);
