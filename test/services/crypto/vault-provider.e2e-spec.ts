import { createHash } from 'node:crypto';
import type { AppId } from '../../../src/kernel/ids.js';
import { SealBroken, Vault } from '../../../src/kernel/vault.js';
import { Database } from '../../../src/postgres/database.js';
import { KeyWrapper } from '../../../src/services/crypto/keyring-key-wrapper.js';
import type { ProviderKeyWrapper } from '../../../src/services/crypto/provider-key-wrapper.js';
import { ProviderFailed } from '../../../src/services/crypto/key-provider.js';
import { VaultTransit } from '../../../src/services/crypto/providers/vault-transit.js';
import { runCommand } from '../../../src/cli/run-command.js';
import { HttpMetrics } from '../../../src/services/observability/metrics.js';
import { Config } from '../../../src/services/config/config.js';
import { startApp, type TestApp } from '../../support/app.js';
import { createDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { type GivenApp, unique } from '../../support/given.js';
import { signRows } from '../../support/row-macs.js';
import { startVault, type VaultServer } from '../../support/vault-server.js';
import { PolicyApp } from '../../modules/policy/policies.js';

const MASTER_KEYS = `test:${createHash('sha256').update('the master key of the tests').digest('base64')}`;

let vault: VaultServer;
beforeAll(async () => {
  vault = await startVault();
});
afterAll(() => vault.stop());
beforeEach(() => {
  vault.fault = null;
  vault.minDecryptionVersion = 1;
  vault.forgetCalls();
});

const wrapperOf = (service: TestApp): ProviderKeyWrapper => service.nest.get(KeyWrapper) as ProviderKeyWrapper;
const wrappedIn = async (service: TestApp): Promise<string> => {
  const rows = await service.nest
    .get(Database)
    .write<{ key: Buffer }>('select wrapped_key as key from wrapping_keys order by wrapped_key limit 1');
  return rows[0]!.key.toString();
};
const keyIds = async (service: TestApp, table: string, column: string): Promise<string[]> =>
  (
    await service.nest.get(Database).write<{ id: string }>(
      `select distinct convert_from(substring(${column} from 3 for get_byte(${column}, 1)), 'UTF8') as id from ${table}
          where ${column} is not null order by 1`,
    )
  ).map(({ id }) => id);

describe('the transit engine', () => {
  const provider = (env: Record<string, string>, minTokenAgeMs = 0): VaultTransit => {
    const opened = new VaultTransit(Config.read({ NODE_ENV: 'test', ...env }).keyProviders!.vault!, minTokenAgeMs);
    providers.push(opened);
    return opened;
  };
  const providers: VaultTransit[] = [];
  afterEach(() => {
    for (const opened of providers.splice(0)) opened.close();
  });
  const place = { owner: 'app_00000000000000000000000001' as AppId, generation: 1 };
  const key = (): Buffer => Buffer.alloc(32, 7);
  const { signal } = new AbortController();

  it('opens a key for its app and generation only, and calls each other place tampering', async () => {
    const transit = provider(vault.env);
    const wrapped = await transit.wrap(key(), place, signal);
    expect(await transit.unwrap(wrapped, place, signal)).toEqual(key());
    const others = [
      { ...place, generation: 2 },
      { ...place, owner: 'service' as const },
    ];
    for (const other of others) await expect(transit.unwrap(wrapped, other, signal)).rejects.toThrow(SealBroken);
    await expect(transit.unwrap({ ...wrapped, wrappedKey: Buffer.from('nothing') }, place, signal)).rejects.toThrow(
      SealBroken,
    );
  });

  it('keeps keys of every length byte by byte', async () => {
    const transit = provider(vault.env);
    for (const length of [32, 33, 34]) {
      const bytes = Buffer.from(Array.from({ length }, (_, i) => 255 - i));
      const wrapped = await transit.wrap(bytes, place, signal);
      expect(await transit.unwrap(wrapped, place, signal)).toEqual(bytes);
    }
  });

  it.each([
    [403, 'denied'],
    [429, 'throttled'],
    [500, 'failed'],
    [503, 'failed'],
  ] as const)('reports %s as a failure', async (fault, name) => {
    const transit = provider(vault.env);
    const wrapped = await transit.wrap(key(), place, signal);
    vault.fault = fault;
    await expect(transit.unwrap(wrapped, place, signal)).rejects.toMatchObject({ fault: name });
    await expect(transit.health(signal)).rejects.toThrow(ProviderFailed);
  });

  it('reports a version that is no longer allowed as a failure', async () => {
    const transit = provider(vault.env);
    const wrapped = await transit.wrap(key(), place, signal);
    vault.rotate();
    expect(await transit.unwrap(wrapped, place, signal)).toEqual(key());
    vault.minDecryptionVersion = 2;
    await expect(transit.unwrap(wrapped, place, signal)).rejects.toThrow(ProviderFailed);
  });

  it('moves a key to the newest version', async () => {
    const transit = provider(vault.env);
    const wrapped = await transit.wrap(key(), place, signal);
    vault.rotate();
    const moved = await transit.rewrap(wrapped, place, signal);
    vault.minDecryptionVersion = Number(/v(\d+)/.exec(moved.wrappedKey.toString())![1]);
    expect(vault.minDecryptionVersion).toBeGreaterThan(Number(/v(\d+)/.exec(wrapped.wrappedKey.toString())![1]));
    expect(await transit.unwrap(moved, place, signal)).toEqual(key());
  });

  it('logs in by AppRole once, and again when its token is revoked', async () => {
    const transit = provider(vault.envOfRole);
    const wrapped = await transit.wrap(key(), place, signal);
    await transit.unwrap(wrapped, place, signal);
    expect(vault.calls['login']).toBe(1);
    vault.revokeTokens();
    expect(await transit.unwrap(wrapped, place, signal)).toEqual(key());
    expect(vault.calls['login']).toBe(2);
  });

  it('does not log in again for a refusal soon after the login', async () => {
    const transit = provider(vault.envOfRole, 10_000);
    const wrapped = await transit.wrap(key(), place, signal);
    vault.fault = 403;
    for (let i = 0; i < 3; i++)
      await expect(transit.unwrap(wrapped, place, signal)).rejects.toMatchObject({ fault: 'denied' });
    expect(vault.calls['login']).toBe(1);
  });

  it('reports a refused login as a failure of the provider, not as the refusal of one key', async () => {
    const transit = provider({ ...vault.envOfRole, VAULT_SECRET_ID: 'revoked' });
    await expect(transit.wrap(key(), place, signal)).rejects.toMatchObject({ name: 'ProviderFailed', fault: 'denied' });
  });

  it('logs in once for simultaneous calls, also after its token was revoked', async () => {
    const transit = provider(vault.envOfRole);
    const wrapped = await Promise.all(Array.from({ length: 8 }, () => transit.wrap(key(), place, signal)));
    expect(vault.calls['login']).toBe(1);
    vault.revokeTokens();
    await Promise.all(wrapped.map((each) => transit.unwrap(each, place, signal)));
    expect(vault.calls['login']).toBe(2);
  });

  it('checks the form of a wrapped key before the call', async () => {
    const transit = provider(vault.env);
    const wrapped = await transit.wrap(key(), place, signal);
    const ofAnotherVersion = { ...wrapped, keyRef: wrapped.keyRef.replace(':v', ':v9') };
    const isLonger = { ...wrapped, wrappedKey: Buffer.concat([wrapped.wrappedKey, Buffer.alloc(400, 'A')]) };
    const ofAnotherPath = { ...wrapped, keyRef: '../sys/seal:v1' };
    vault.fault = 500;
    for (const altered of [ofAnotherVersion, isLonger, ofAnotherPath])
      await expect(transit.unwrap(altered, place, signal)).rejects.toThrow(SealBroken);
  });

  it('renews its token when half of the lease is over', async () => {
    const shortLived = await startVault({ leaseSeconds: 1 });
    const transit = provider(shortLived.envOfRole);
    await transit.wrap(key(), place, signal);
    await eventually(() => {
      expect(shortLived.calls['renew-self']).toBeGreaterThan(1);
      return Promise.resolve();
    });
    expect(shortLived.calls['login']).toBe(1);
    await shortLived.stop();
  });

  it('reports a server that is gone as a failure', async () => {
    const gone = await startVault();
    await gone.stop();
    await expect(provider(gone.env).wrap(key(), place, signal)).rejects.toMatchObject({ fault: 'unreachable' });
  });
});

describe('a service with a key provider', () => {
  let service: TestApp;
  let app: GivenApp;
  beforeAll(async () => {
    service = await startApp({ env: { ...vault.envOfRole, MASTER_KEYS: '' } });
    app = await service.given.app();
  });
  afterAll(() => service.stop());
  const post = (path: string, body: object, headers = {}) =>
    service.call('POST', path, { key: app.secretKey, body, headers });
  const cool = (): void => wrapperOf(service).forgetAll();
  /** The breaker of an earlier outage may still be open. */
  const untilBack = async (): Promise<void> => {
    vault.fault = null;
    await eventually(async () => wrapperOf(service).ready('service'));
  };
  afterEach(untilBack);
  const wallet = async (): Promise<string> => {
    const { user_id } = await service.given.user(app);
    const made = await post('/v1/wallets/create', { user_id, wallet_type: 'ethereum' });
    expect(made.status).toBe(200);
    return made.body.id;
  };

  it('seals everything under keys of the provider, and needs no master key', async () => {
    await wallet();
    await post('/v1/auth/otps/email/login_or_create', { email: `${unique()}@example.com` });
    expect(await keyIds(service, 'wallets', 'sealed_key')).toEqual([expect.stringMatching(/^vault:1\.[0-9a-f]{12}$/)]);
    expect(await keyIds(service, 'service_secrets', 'sealed_secret')).toEqual([expect.stringMatching(/^vault:1\./)]);
    expect(await service.nest.get(Database).write('select 1 from master_keys')).toEqual([]);
  });

  it('calls the provider twice for a new app and once for a cold app, however many values it opens', async () => {
    const id = await wallet();
    cool();
    vault.forgetCalls();
    for (let i = 0; i < 5; i++)
      expect((await post(`/v1/wallets/${id}/sign_message`, { message: 'hello' })).status).toBe(200);
    expect(vault.calls).toEqual({ decrypt: 1 });
    const other = await service.given.app();
    vault.forgetCalls();
    await service.call('GET', `/v1/auth/jwks/${other.id}`);
    expect(vault.calls).toEqual({ encrypt: 1, decrypt: 1 });
  });

  it.each([403, 429, 500, 'hang'] as const)(
    'answers 503 keys_unavailable for a cold app while the provider fails (%s), and reads and lists go on',
    async (fault) => {
      const id = await wallet();
      const { user_id } = await service.given.user(app);
      cool();
      vault.fault = fault;
      const began = performance.now();
      const refused = await post(`/v1/wallets/${id}/sign_message`, { message: 'hello' });
      expect(performance.now() - began).toBeLessThan(4_000);
      expect(refused).toMatchObject({ status: 503, body: { error_type: 'keys_unavailable' } });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      const get = (path: string) => service.call('GET', path, { key: app.secretKey });
      expect((await get(`/v1/wallets/${id}`)).status).toBe(200);
      expect((await get(`/v1/auth/users/${user_id}`)).status).toBe(200);
      expect((await service.call('GET', '/readyz')).status).toBe(200);
      await untilBack();
      expect((await post(`/v1/wallets/${id}/sign_message`, { message: 'hello' })).status).toBe(200);
    },
  );

  it('goes on with a warm app while the provider fails', async () => {
    const id = await wallet();
    vault.fault = 500;
    expect((await post(`/v1/wallets/${id}/sign_message`, { message: 'hello' })).status).toBe(200);
    const sent = await post('/v1/auth/otps/email/login_or_create', { email: `${unique()}@example.com` });
    expect(sent.status).toBe(200);
  });

  it('spends and counts nothing while the provider fails', async () => {
    const email = `${unique()}@example.com`;
    const sent = await post('/v1/auth/otps/email/login_or_create', { email });
    cool();
    vault.fault = 500;
    for (let i = 0; i < 12; i++) {
      const tried = await post('/v1/auth/otps/verify', { method_id: sent.body.email_id, otp: '000000' });
      expect(tried).toMatchObject({ status: 503, body: { error_type: 'keys_unavailable' } });
    }
    await untilBack();
    const tried = await post('/v1/auth/otps/verify', { method_id: sent.body.email_id, otp: '000000' });
    expect(tried.body.error_type).toBe('invalid_otp');
  });

  it('answers 500 seal_broken and raises the alarm when a wrapped key was altered or exchanged', async () => {
    const id = await wallet();
    const other = await service.given.app();
    await wrapperOf(service).ready(other.id as AppId);
    const database = service.nest.get(Database);
    const [own] = await database.write<{ key: Buffer }>(
      'select wrapped_key as key from wrapping_keys where app_id = $1',
      [app.id],
    );
    const store = (text: string) =>
      database.write(`update wrapping_keys set wrapped_key = ${text} where app_id = $1`, [app.id]);
    const altered = [
      `wrapped_key || '\\x41'::bytea`,
      `(select wrapped_key from wrapping_keys where app_id = '${other.id}')`,
    ];
    for (const text of altered) {
      await store(text);
      cool();
      const broken = await post(`/v1/wallets/${id}/sign_message`, { message: 'hello' });
      expect(broken).toMatchObject({ status: 500, body: { error_type: 'seal_broken' } });
    }
    expect(await service.nest.get(HttpMetrics).registry.metrics()).toMatch(
      /seal_failures_total\{kind="wrapping-key"\} 2/,
    );
    await database.write('update wrapping_keys set wrapped_key = $2 where app_id = $1', [app.id, own!.key]);
    expect((await post(`/v1/wallets/${id}/sign_message`, { message: 'hello' })).status).toBe(200);
  });
});

describe('a service that starts while its provider fails', () => {
  it('answers 503 keys_unavailable until the provider is back, and then serves without a restart', async () => {
    const { url: databaseUrl, drop } = await createDatabase();
    const first = await startApp({ databaseUrl, env: vault.env });
    const app = await first.given.app();
    await first.stop();
    vault.fault = 503;
    const second = await startApp({ databaseUrl, env: vault.env });
    const list = () => second.call('POST', '/v1/auth/users/search', { key: app.secretKey, body: {} });
    expect(await list()).toMatchObject({ status: 503, body: { error_type: 'keys_unavailable' } });
    expect(await second.call('GET', '/readyz')).toMatchObject({ status: 200, body: { key_provider: 'unavailable' } });
    vault.fault = null;
    await eventually(async () => expect((await list()).status).toBe(200));
    await eventually(async () => expect((await second.call('GET', '/readyz')).body.key_provider).toBe('ok'));
    await second.stop();
    await drop();
  });

  it('binds the networks that policies of an earlier release name once the provider is back', async () => {
    const { url: databaseUrl, drop } = await createDatabase();
    const env = { ...vault.env, ETHEREUM_RPC_URL: 'http://127.0.0.1:1', ETHEREUM_CHAIN_ID: '31337' };
    const first = await startApp({ databaseUrl, env });
    const policies = PolicyApp.at(first, await first.given.app());
    await policies.version({ rules: [{ effect: 'allow', match: { networks: ['ethereum'] } }] });
    await first.nest.get(Database).write(`update policies set network_ids = '{}'`);
    await signRows(first, 'policies');
    await first.stop();
    vault.fault = 503;
    const second = await startApp({ databaseUrl, env });
    const ids = () => second.nest.get(Database).read('select network_ids as ids from policies');
    expect(await ids()).toEqual([{ ids: {} }]);
    vault.fault = null;
    await eventually(async () => expect(await ids()).toEqual([{ ids: { ethereum: 'eip155:31337' } }]));
    await second.stop();
    await drop();
  });
});

describe('a database that was sealed under master keys', () => {
  it('is opened beside a provider, and moved to it value by value', async () => {
    const { url: databaseUrl, drop } = await createDatabase();
    const before = await startApp({ databaseUrl, env: { ROLE: 'api' } });
    const app = await before.given.app();
    const { user_id } = await before.given.user(app);
    const make = (service: TestApp) =>
      service.call('POST', '/v1/wallets/create', { key: app.secretKey, body: { user_id, wallet_type: 'ethereum' } });
    const { body } = await make(before);
    await before.stop();

    const after = await startApp({ databaseUrl, env: { ...vault.env, ROLE: 'api' } });
    expect((await make(after)).body).toEqual(body);
    expect(await keyIds(after, 'wallets', 'sealed_key')).toEqual(['test']);
    const run = async (command: string, env: Record<string, string> = {}) => {
      let out = '';
      const terminal = { out: (text: string) => void (out += text), err: () => undefined };
      const settings = { NODE_ENV: 'test', DATABASE_URL: databaseUrl, MASTER_KEYS, ...vault.env, ...env };
      const status = await runCommand([...command.split(' '), '--json'], { env: settings, terminal });
      return { status, result: (out ? JSON.parse(out) : {}) as Record<string, string | number> };
    };
    expect((await run('keys move --to aws-kms')).status).toBe(64);
    vault.fault = 503;
    expect((await run('keys move --to vault')).status).toBe(1);
    expect((await run('keys status')).status).toBe(1);
    expect(await keyIds(after, 'wallets', 'sealed_key')).toEqual(['test']);
    vault.fault = null;
    const moved = await run('keys move --to vault --retire');
    expect(moved).toMatchObject({ status: 0, result: { broken: 0, retired: 'test' } });
    expect(await keyIds(after, 'wallets', 'sealed_key')).toEqual([expect.stringMatching(/^vault:1\./)]);
    expect((await run('keys move --to vault')).result).toEqual({ moved: 0, broken: 0 });
    const { status, result } = await run('keys status');
    expect([status, result['provider'], result['vault'], result['apps of vault:1']]).toEqual([0, 'vault', 'ok', 2]);
    expect(result['values of master key test']).toBeUndefined();
    vault.rotate();
    expect(await run('keys rewrap')).toEqual({ status: 0, result: { rewrapped: 2, broken: 0, refused: 0 } });
    vault.minDecryptionVersion = Number(/v(\d+)/.exec(await wrappedIn(after))![1]);
    wrapperOf(after).forgetAll();
    expect((await make(after)).status).toBe(200);
    expect((await run('doctor')).result['key_provider']).toContain('No escrow');

    vault.rotate();
    const later = await after.given.app();
    await wrapperOf(after).ready(later.id as AppId);
    vault.minDecryptionVersion++;
    const { status: exit, result: rewrapped } = await run('keys rewrap');
    expect(exit).toBe(1);
    expect(rewrapped).toMatchObject({ rewrapped: 1, broken: 0, refused: 2 });
    for (const owner of [app.id, 'service'])
      expect(rewrapped['named']).toMatch(new RegExp(`\\b${owner}/vault:1\\.[0-9a-f]{12}`));
    expect(rewrapped['named']).not.toContain(later.id);
    vault.minDecryptionVersion = 1;
    await after.stop();

    vault.fault = 503;
    expect((await run('freeze --all --reason drill')).status).toBe(0);
    expect((await run('thaw --all')).status).toBe(1);
    vault.fault = null;
    expect((await run('thaw --all')).result).toEqual({ thawed: true });

    const without = await startApp({ databaseUrl, env: { ...vault.env, ROLE: 'api', MASTER_KEYS: '' } });
    expect((await make(without)).status).toBe(200);
    await without.stop();
    await drop();
  });
});

describe('a service without a key provider', () => {
  it('reads and writes no wrapping key', async () => {
    const service = await startApp();
    const app = await service.given.app();
    await service.call('GET', `/v1/auth/jwks/${app.id}`);
    expect(service.nest.get(Vault).ready(app.id as AppId)).toBeInstanceOf(Promise);
    expect(await service.nest.get(Database).write('select 1 from wrapping_keys')).toEqual([]);
    await service.stop();
  });
});
