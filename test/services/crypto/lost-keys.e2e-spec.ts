import { SealedColumns } from '../../../src/kernel/vault.js';
import { KeyWrapper } from '../../../src/services/crypto/keyring-key-wrapper.js';
import type { ProviderKeyWrapper } from '../../../src/services/crypto/provider-key-wrapper.js';
import type { Rewrapping } from '../../../src/services/crypto/rewrapping.js';
import { Database } from '../../../src/postgres/database.js';
import { HttpMetrics } from '../../../src/services/observability/metrics.js';
import { startApp, type TestApp } from '../../support/app.js';
import { appIn, callsOf, startWorld, type World } from '../../support/calls.js';
import { createDatabase } from '../../support/database.js';
import type { GivenApp } from '../../support/given.js';
import { startVault, type VaultServer } from '../../support/vault-server.js';

let vault: VaultServer;
beforeAll(async () => {
  vault = await startVault();
});
afterAll(() => vault.stop());

const wrapperOf = (service: TestApp): ProviderKeyWrapper => service.nest.get(KeyWrapper) as ProviderKeyWrapper;
const ID = `provider || ':' || generation || '.' || encode(substring(check_value for 6), 'hex')`;
const storedIds = async (database: Database): Promise<Set<string>> =>
  new Set((await database.list<{ id: string }>(`select ${ID} as id from wrapping_keys`)).map(({ id }) => id));

/** The sealed values of all columns: the id of the key by a hash of the value and its column. */
async function sealedValues(service: TestApp): Promise<Map<string, { column: string; id: string }>> {
  const { columns } = service.nest.get(SealedColumns) as unknown as Rewrapping;
  const found = new Map<string, { column: string; id: string }>();
  for (const { table, column } of columns) {
    const rows = await service.nest
      .get(Database)
      .list<{ hash: string; id: string }>(
        `select md5(${column}) as hash, convert_from(substring(${column} from 3 for get_byte(${column}, 1)), 'UTF8') as id from ${table} where ${column} is not null`,
      );
    for (const { hash, id } of rows) found.set(`${table}.${column} ${hash}`, { column: `${table}.${column}`, id });
  }
  return found;
}

describe('a service whose rows of wrapping keys are lost while it runs', () => {
  let world: World;
  let app: GivenApp;
  beforeAll(async () => {
    world = await startWorld(vault.env);
    app = await appIn(world);
  });
  afterAll(() => world?.stop());

  it('stores no value in any call whose key is not stored', async () => {
    const { service } = world;
    const database = service.nest.get(Database);
    const covered = new Set<string>();
    const faults: string[] = [];
    for (const [operation, prepare] of Object.entries(callsOf(world, app))) {
      const [method = '', route = ''] = operation.split(' ');
      const { path = route, body, key } = (await prepare()) as { path?: string; body?: object; key?: string };
      const before = await sealedValues(service);
      await database.write('delete from wrapping_keys');
      await service.call(method, path, {
        key: key ?? (path.startsWith('/management/') ? service.managementKey : app.secretKey),
        ...(body && { body }),
        ...(method === 'POST' && { headers: { 'idempotency-key': operation.replaceAll(' ', '_') } }),
      });
      const stored = await storedIds(database);
      for (const [name, { column, id }] of await sealedValues(service)) {
        if (before.has(name)) continue;
        covered.add(column);
        if (!stored.has(id)) faults.push(`${operation}: ${column} is sealed by ${id}, which is not stored`);
      }
    }
    expect(faults).toEqual([]);
    expect([...covered]).toEqual(
      expect.arrayContaining(['wallets.sealed_key', 'jobs.payload', 'idempotency_keys.answer', 'totps.sealed_secret']),
    );
    expect(covered.size).toBeGreaterThan(8);
    expect(await service.nest.get(HttpMetrics).registry.metrics()).toMatch(
      /seal_failures_total\{kind="wrapping-key"\} [1-9]/,
    );
  });
});

describe('an app whose only wrapping key is lost', () => {
  it('loses no value where a process still has the key, and gets no other key where none has', async () => {
    const { url: databaseUrl, drop } = await createDatabase();
    const start = () => startApp({ databaseUrl, env: { ...vault.env, ROLE: 'api' } });
    const [warm, cold] = [await start(), await start()];
    const app = await warm.given.app();
    const { user_id } = await warm.given.user(app);
    const create = (service: TestApp) =>
      service.call('POST', '/v1/wallets/create', { key: app.secretKey, body: { user_id, wallet_type: 'ethereum' } });
    const { body: wallet } = await create(warm);
    const sign = (service: TestApp) =>
      service.call('POST', `/v1/wallets/${wallet.id}/sign_message`, { key: app.secretKey, body: { message: 'hello' } });
    const database = warm.nest.get(Database);
    await database.write('delete from wrapping_keys where app_id = $1', [app.id]);
    wrapperOf(cold).forgetAll();
    expect(await sign(cold)).toMatchObject({ status: 503, body: { error_type: 'sealed_value_unavailable' } });
    expect(await database.list('select 1 from wrapping_keys where app_id = $1', [app.id])).toEqual([]);
    expect((await sign(warm)).status).toBe(200);
    // A value that is stored, which brings the row back.
    const body = { email: 'ann@example.com' };
    const sent = await warm.call('POST', '/v1/auth/otps/email/login_or_create', { key: app.secretKey, body });
    expect(sent.status).toBe(200);
    expect((await sign(cold)).status).toBe(200);
    await warm.stop();
    wrapperOf(cold).forgetAll();
    expect((await sign(cold)).status).toBe(200);
    await cold.stop();
    await drop();
  });
});

describe('a provider that is retired while a process seals under it', () => {
  it('seals no new value, opens the earlier ones, and its rows stay', async () => {
    const { url: databaseUrl, drop } = await createDatabase();
    const service = await startApp({ databaseUrl, env: { ...vault.env, ROLE: 'api' } });
    const app = await service.given.app();
    const { user_id } = await service.given.user(app);
    const { body: wallet } = await service.call('POST', '/v1/wallets/create', {
      key: app.secretKey,
      body: { user_id, wallet_type: 'ethereum' },
    });
    const database = service.nest.get(Database);
    await database.write('update wrapping_keys set retired_at = now()');
    const totp = await service.call('POST', '/v1/auth/totps/create', { key: app.secretKey, body: { user_id } });
    expect([200, 503]).toContain(totp.status);
    const again = await service.call('POST', '/v1/auth/otps/email/login_or_create', {
      key: app.secretKey,
      body: { email: 'ben@example.com' },
    });
    expect(again.status).toBe(200);
    const ids = await database.list<{ generation: number }>(
      'select generation from wrapping_keys where app_id = $1 order by 1',
      [app.id],
    );
    expect(ids).toEqual([{ generation: 1 }, { generation: 2 }]);
    const sealed = await database.list<{ id: string }>(
      `select convert_from(substring(sealed_code from 3 for get_byte(sealed_code, 1)), 'UTF8') as id from otps where app_id = $1 order by created_at desc limit 1`,
      [app.id],
    );
    expect(sealed[0]!.id).toMatch(/^vault:2\./);
    wrapperOf(service).forgetAll();
    const signed = await service.call('POST', `/v1/wallets/${wallet.id}/sign_message`, {
      key: app.secretKey,
      body: { message: 'hello' },
    });
    expect(signed.status).toBe(200);
    await service.stop();
    await drop();
  });
});
