import { AuditKeys } from '../../../src/modules/audit/application/audit-keys.js';
import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { AppId } from '../../../src/kernel/ids.js';
import { Transactions } from '../../../src/kernel/transactions.js';
import { SealedColumns, Vault } from '../../../src/kernel/vault.js';
import { conditionsOf } from '../../../src/postgres/conditions.js';
import { runIn } from '../../../src/postgres/current-transaction.js';
import { KEY_ID } from '../../../src/services/crypto/wrapping-key-table.js';
import { MoveKeys } from '../../../src/services/crypto/move-keys.js';
import { KeyWrapper } from '../../../src/services/crypto/keyring-key-wrapper.js';
import type { ProviderKeyWrapper } from '../../../src/services/crypto/provider-key-wrapper.js';
import type { Rewrapping } from '../../../src/services/crypto/rewrapping.js';
import { Database } from '../../../src/postgres/database.js';
import { HttpMetrics } from '../../../src/services/observability/metrics.js';
import { startApp, type TestApp } from '../../support/app.js';
import { appIn, callsOf, startWorld, type World } from '../../support/calls.js';
import { createDatabase } from '../../support/database.js';
import type { GivenApp } from '../../support/given.js';
import { beforeEachRoundTrip } from '../../support/statements.js';
import { startKms } from '../../support/kms-server.js';
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

/** Whether the value is sealed under a key of a provider. */
const isSealed = (value: unknown): value is Buffer =>
  Buffer.isBuffer(value) && KEY_ID.test(value.toString('latin1', 2, 2 + (value[1] ?? 0)));

describe('a service whose rows of wrapping keys are lost while it runs', () => {
  let world: World;
  let app: GivenApp;
  beforeAll(async () => {
    world = await startWorld(vault.env);
    app = await appIn(world);
  });
  afterAll(() => world?.stop());

  it('stores no value in any call whose key is not stored, and sends none without this condition', async () => {
    const { service } = world;
    const database = service.nest.get(Database);
    const covered = new Set<string>();
    const faults: string[] = [];
    let sent = 0;
    for (const [operation, prepare] of Object.entries(callsOf(world, app))) {
      const [method = '', route = ''] = operation.split(' ');
      const { path = route, body, key } = (await prepare()) as { path?: string; body?: object; key?: string };
      const before = await sealedValues(service);
      await database.write('delete from wrapping_keys');
      const call = () =>
        service.call(method, path, {
          key: key ?? (path.startsWith('/management/') ? service.managementKey : app.secretKey),
          ...(body && { body }),
          ...(method === 'POST' && { headers: { 'idempotency-key': operation.replaceAll(' ', '_') } }),
        });
      // An update of a row may also write a value that was read from it.
      const known = new Set([...before.keys()].map((name) => name.split(' ')[1]));
      await beforeEachRoundTrip(call, (_, statements) => {
        for (const { text, values } of statements)
          for (const value of values.flat().filter(isSealed)) {
            sent++;
            if (conditionsOf([value]).length === 0 && !known.has(hash('md5', value)))
              faults.push(`${operation} has no condition for a sealed value of: ${text}`);
          }
      });
      const stored = await storedIds(database);
      for (const [name, { column, id }] of await sealedValues(service)) {
        if (before.has(name)) continue;
        covered.add(column);
        if (!stored.has(id)) faults.push(`${operation}: ${column} is sealed by ${id}, which is not stored`);
      }
    }
    expect(faults).toEqual([]);
    expect(sent).toBeGreaterThan(50);
    expect([...covered]).toEqual(
      expect.arrayContaining(['wallets.sealed_key', 'jobs.payload', 'idempotency_keys.answer', 'totps.sealed_secret']),
    );
    expect(covered.size).toBeGreaterThan(8);
    expect(await service.nest.get(HttpMetrics).registry.metrics()).toMatch(
      /seal_failures_total\{kind="wrapping-key"\} [1-9]/,
    );
  });
});

describe('a key of the audit log', () => {
  it('is stored only if the key that seals it is stored', async () => {
    const { url: databaseUrl, drop } = await createDatabase();
    const service = await startApp({ databaseUrl, env: { ...vault.env, ROLE: 'api' } });
    const database = service.nest.get(Database);
    const keys = service.nest.get(AuditKeys);
    await keys.rotate();
    await database.write('delete from wrapping_keys');
    await keys.rotate();
    const stored = await storedIds(database);
    for (const { column, id } of (await sealedValues(service)).values())
      if (column.startsWith('audit_signing_keys')) expect(stored).toContain(id);
    expect(stored.size).toBe(1);
    await service.stop();
    await drop();
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

describe('a provider that is retired while a replica has the former settings', () => {
  it('seals nothing more by that replica, for no app, until the values are moved back', async () => {
    const { url: databaseUrl, drop } = await createDatabase();
    const kms = await startKms();
    const replica = await startApp({ databaseUrl, env: { ...kms.env.fixed, ...vault.env, ROLE: 'api' } });
    const app = await replica.given.app();
    const { user_id } = await replica.given.user(app);
    const { body: wallet } = await replica.call('POST', '/v1/wallets/create', {
      key: app.secretKey,
      body: { user_id, wallet_type: 'ethereum' },
    });
    const sign = () =>
      replica.call('POST', `/v1/wallets/${wallet.id}/sign_message`, { key: app.secretKey, body: { message: 'hello' } });
    const sendCode = (to: { secretKey: string }) =>
      replica.call('POST', '/v1/auth/otps/email/login_or_create', {
        key: to.secretKey,
        body: { email: 'ann@example.com' },
      });
    const moved = await startApp({ databaseUrl, env: { ...vault.env, ...kms.env.fixed, ROLE: 'api' } });
    const keys = moved.nest.get(MoveKeys);
    expect((await keys.move(() => undefined)).broken).toBe(0);
    expect(await keys.retire()).toContain('vault');
    const made = await moved.given.app();
    for (const each of [app, made])
      expect(await sendCode(each)).toMatchObject({ status: 503, body: { error_type: 'keys_unavailable' } });
    const database = moved.nest.get(Database);
    const sealing = `select 1 from wrapping_keys where provider = 'vault' and (generation > 1 or retired_at is null or app_id = $1)`;
    expect(await database.list(sealing, [made.id])).toEqual([]);
    expect(await replica.nest.get(HttpMetrics).registry.metrics()).toMatch(
      /seal_failures_total\{kind="wrapping-key"\} [1-9]/,
    );
    await replica.nest.get(MoveKeys).move(() => undefined);
    expect((await sendCode(app)).status).toBe(200);
    expect((await sign()).status).toBe(200);
    for (const each of [replica, moved]) await each.stop();
    await kms.stop();
    await drop();
  });

  it('is retired only when the transactions that seal by it have ended', async () => {
    const { url: databaseUrl, drop } = await createDatabase();
    const kms = await startKms();
    const replica = await startApp({ databaseUrl, env: { ...kms.env.fixed, ...vault.env, ROLE: 'api' } });
    const app = await replica.given.app();
    const moved = await startApp({ databaseUrl, env: { ...vault.env, ...kms.env.fixed, ROLE: 'api' } });
    const keys = moved.nest.get(MoveKeys);
    await keys.move(() => undefined);
    const database = replica.nest.get(Database);
    let retiring: Promise<string[]> | undefined;
    await replica.nest.get(Vault).ready(app.id as AppId);
    await replica.nest.get(Transactions).run(async () => {
      const sealed = replica.nest.get(Vault).seal(Buffer.from('secret'), ['service-secret', 'late']);
      await database.write(`insert into service_secrets (id, sealed_secret) values ('late', $1)`, [sealed]);
      retiring = runIn(undefined, () => keys.retire());
      await pause(500);
    });
    expect(await retiring).not.toContain('vault');
    expect(await database.list(`select 1 from wrapping_keys where retired_at is not null`)).toEqual([]);
    for (const each of [replica, moved]) await each.stop();
    await kms.stop();
    await drop();
  });
});

describe('a move of keys that finds a value whose key is unknown', () => {
  it('counts it as broken and moves the remaining values', async () => {
    const { url: databaseUrl, drop } = await createDatabase();
    const before = await startApp({ databaseUrl, env: { ROLE: 'api' } });
    const app = await before.given.app();
    for (let i = 0; i < 3; i++) await before.given.user(app);
    await before.stop();
    const service = await startApp({ databaseUrl, env: { ...vault.env, ROLE: 'api' } });
    const database = service.nest.get(Database);
    await service.nest.get(Vault).ready(app.id as AppId);
    const wallets = await database.list<{ id: string }>('select id from wallets order by id');
    for (const [i, id] of ['aws-kms:9.000000000000', 'wault:1.000000000000'].entries())
      await database.write(
        `update wallets set sealed_key = $2::bytea || substring(sealed_key from 3 + get_byte(sealed_key, 1)) where id = $1`,
        [wallets[i]!.id, Buffer.concat([Buffer.from([1, id.length]), Buffer.from(id)])],
      );
    expect((await service.nest.get(MoveKeys).move(() => undefined)).broken).toBe(2);
    const sealed = [...(await sealedValues(service)).values()].filter(({ column }) => column === 'wallets.sealed_key');
    expect(sealed.filter(({ id }) => id.startsWith('vault:'))).toHaveLength(wallets.length - 2);
    await service.stop();
    await drop();
  });
});
