import { readFileSync } from 'node:fs';
import type { AppId } from '../../../src/kernel/ids.js';
import { SealBroken } from '../../../src/kernel/vault.js';
import { Database } from '../../../src/postgres/database.js';
import { Config, ConfigurationRefused } from '../../../src/services/config/config.js';
import { BoundedProvider } from '../../../src/services/crypto/bounded-provider.js';
import type { KeyPlace } from '../../../src/services/crypto/key-provider.js';
import { KeyWrapper } from '../../../src/services/crypto/keyring-key-wrapper.js';
import type { ProviderKeyWrapper } from '../../../src/services/crypto/provider-key-wrapper.js';
import { Pkcs11 } from '../../../src/services/crypto/providers/pkcs11.js';
import { startApp, type TestApp } from '../../support/app.js';
import { ensureBuilt } from '../../support/built.js';
import { createDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { describeWithSoftHsm, moduleProcesses, SoftHsm } from '../../support/soft-hsm.js';

const PLACE = { owner: 'app_00000000000000000000000001' as AppId, generation: 1 };
const key = (): Buffer => Buffer.alloc(32, 7);

describeWithSoftHsm('a token of an HSM', () => {
  let hsm: SoftHsm;
  beforeAll(async () => {
    // The process of the module runs from the build.
    await ensureBuilt();
    hsm = new SoftHsm();
  });
  const opened: BoundedProvider[] = [];
  afterEach(async () => {
    for (const provider of opened.splice(0)) provider.close();
    // A killed process is listed until it has ended.
    await eventually(() => expect(moduleProcesses()).toEqual([]));
  });
  const logged: unknown[] = [];
  const provider = (env: Record<string, string> = {}) => {
    const settings = Config.read({ NODE_ENV: 'test', ...hsm.env, ...env }).keyProviders!.pkcs11!;
    const made = new BoundedProvider(new Pkcs11(settings, { error: (...line: unknown[]) => void logged.push(line) }));
    opened.push(made);
    const wrapped = (bytes: Buffer) => ({ wrappedKey: bytes, keyRef: '' });
    return {
      wrap: async (bytes: Buffer, place: KeyPlace) => (await made.wrap(bytes, place)).wrappedKey,
      unwrap: (bytes: Buffer, place: KeyPlace) => made.unwrap(wrapped(bytes), place),
      rewrap: async (bytes: Buffer, place: KeyPlace) => (await made.rewrap(wrapped(bytes), place)).wrappedKey,
      health: () => made.health(),
    };
  };

  it('opens a key for its app and generation only, and calls each other place and each altered byte tampering', async () => {
    const token = provider();
    const wrapped = await token.wrap(key(), PLACE);
    expect(wrapped.includes(key())).toBe(false);
    expect(await token.unwrap(wrapped, PLACE)).toEqual(key());
    const others = [
      { ...PLACE, generation: 2 },
      { ...PLACE, owner: 'service' as const },
    ];
    for (const other of others) await expect(token.unwrap(wrapped, other)).rejects.toThrow(SealBroken);
    for (let at = 0; at < wrapped.length; at++) {
      const altered = Buffer.from(wrapped);
      altered[at]! ^= 1;
      await expect(token.unwrap(altered, PLACE)).rejects.toThrow(SealBroken);
    }
    for (const length of [0, 1, 8, 20, 36, wrapped.length - 1])
      await expect(token.unwrap(wrapped.subarray(0, length), PLACE)).rejects.toThrow(SealBroken);
  });

  it('wraps the same key differently each time', async () => {
    const token = provider();
    const [one, other] = [await token.wrap(key(), PLACE), await token.wrap(key(), PLACE)];
    expect(one.subarray(8).equals(other.subarray(8))).toBe(false);
  });

  it('reports a token that was removed as an outage, also for altered bytes, and logs in again when it is back', async () => {
    const token = provider();
    const wrapped = await token.wrap(key(), PLACE);
    hsm.remove();
    for (const bytes of [wrapped, wrapped.subarray(1)])
      await expect(token.unwrap(bytes, PLACE)).rejects.toMatchObject({ fault: 'unreachable' });
    hsm.insert();
    expect(await token.unwrap(wrapped, PLACE)).toEqual(key());
  });

  it('reports a token with another key of the same label as an outage', async () => {
    const wrapped = await provider().wrap(key(), PLACE);
    hsm.remove();
    const token = provider();
    hsm.exchange();
    await token.health();
    await token.wrap(key(), PLACE);
    await expect(token.unwrap(wrapped, PLACE)).rejects.toMatchObject({ fault: 'failed' });
    hsm = new SoftHsm();
  });

  it('stops a module that hangs after 2 s, without delay for the process, and starts another one', async () => {
    const token = provider();
    const wrapped = await token.wrap(key(), PLACE);
    const [hanging] = moduleProcesses();
    process.kill(hanging!, 'SIGSTOP');
    let turns = 0;
    const ticking = setInterval(() => turns++, 50);
    await expect(token.unwrap(wrapped, PLACE)).rejects.toMatchObject({ fault: 'timeout' });
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(10);
    await eventually(() => expect(moduleProcesses()).not.toContain(hanging));
    await eventually(async () => expect(await token.unwrap(wrapped, PLACE)).toEqual(key()));
  });

  it('waits for a module that logs in slowly, whose calls fail meanwhile', async () => {
    const token = provider();
    const health = token.health();
    const slow = moduleProcesses();
    expect(slow).toHaveLength(1);
    process.kill(slow[0]!, 'SIGSTOP');
    await expect(health).rejects.toMatchObject({ fault: 'timeout' });
    process.kill(slow[0]!, 'SIGCONT');
    await eventually(() => token.health());
    expect(moduleProcesses()).toEqual(slow);
  });

  it('stops a module that never answers', async () => {
    const token = provider();
    const health = token.health();
    const [hanging] = moduleProcesses();
    process.kill(hanging!, 'SIGSTOP');
    await expect(health).rejects.toMatchObject({ fault: 'timeout' });
    await eventually(() => token.health());
    expect(moduleProcesses()).not.toContain(hanging);
  });

  it('gives the module no variable of the service', async () => {
    const secrets = [
      'MASTER_KEYS',
      'MANAGEMENT_KEY',
      'DATABASE_URL',
      'VAULT_TOKEN',
      'AWS_SECRET_ACCESS_KEY',
      'SMTP_URL',
    ];
    const own = ['PKCS11_PIN', 'CONSOLE_OIDC_CLIENT_SECRET', 'TWILIO_AUTH_TOKEN', 'PGPASSWORD', 'ETHEREUM_RPC_URL'];
    const names = [...secrets, ...own, 'MODULE_CONF'];
    const before = { ...process.env };
    for (const name of names) process.env[name] = 'canary';
    try {
      await provider().health();
    } finally {
      for (const name of names) delete process.env[name];
      Object.assign(process.env, before);
    }
    const given = readFileSync(`/proc/${moduleProcesses()[0]}/environ`, 'utf8').split('\0');
    expect(given.filter((each) => each.endsWith('=canary'))).toEqual(['MODULE_CONF=canary']);
    for (const name of ['PATH', 'SOFTHSM2_CONF']) expect(given).toContain(`${name}=${process.env[name]}`);
  });

  it('replaces a module that crashes', async () => {
    const token = provider();
    const wrapped = await token.wrap(key(), PLACE);
    process.kill(moduleProcesses()[0]!, 'SIGSEGV');
    await eventually(() => expect(moduleProcesses()).toEqual([]));
    await eventually(async () => expect(await token.unwrap(wrapped, PLACE)).toEqual(key()));
  });

  it('answers many calls at once, each with its own key', async () => {
    const token = provider();
    const keys = Array.from({ length: 200 }, (_, i) => Buffer.alloc(32, i));
    const wrapped = await Promise.all(keys.map((each) => token.wrap(each, PLACE)));
    expect(await Promise.all(wrapped.map((each) => token.unwrap(each, PLACE)))).toEqual(keys);
    expect(moduleProcesses()).toHaveLength(1);
  });

  it('sends a wrong PIN once until the restart, and says so without the PIN', async () => {
    const own = new SoftHsm();
    const env = { ...own.env, PKCS11_PIN: '0000-canary' };
    const token = provider(env);
    const refusal = { fault: 'denied', message: expect.stringContaining('until it is restarted') };
    const fault = (await token.health().catch((error: unknown) => error)) as Error;
    expect(fault).toMatchObject(refusal);
    await eventually(() => expect(moduleProcesses()).toEqual([]));
    // A second attempt would succeed now.
    own.changePin('0000-canary');
    for (let i = 0; i < 2; i++) await expect(token.health()).rejects.toMatchObject(refusal);
    await provider(env).health();
    expect(logged).toHaveLength(1);
    expect(JSON.stringify([logged, fault.message, fault.stack])).not.toContain('canary');
  });

  it('refuses a key that could leave the token, a missing one, and two of one label', async () => {
    hsm.generate('open', 'extractable');
    hsm.generate('twice');
    hsm.generate('twice');
    for (const [label, reason] of [
      ['open', /can be extracted/],
      ['absent', /has none/],
      ['twice', /has several/],
    ] as const) {
      const fault = { fault: 'denied', message: expect.stringMatching(reason) };
      await expect(provider({ PKCS11_KEY: label }).health()).rejects.toMatchObject(fault);
    }
  });

  it('reports bytes that do not open as an outage while the self-test fails too', async () => {
    hsm.generate('one-way', 'one-way');
    const token = provider({ PKCS11_KEY: 'one-way' });
    const wrapped = await token.wrap(key(), PLACE);
    await expect(token.unwrap(wrapped, PLACE)).rejects.toMatchObject({ fault: 'failed' });
    await expect(token.health()).rejects.toMatchObject({ fault: 'failed' });
  });

  it('opens by former keys, and wraps again by the first', async () => {
    const wrapped = await provider().wrap(key(), PLACE);
    hsm.generate('keys-2');
    const both = provider({ PKCS11_KEY: 'keys-2, app-keys' });
    expect(await both.unwrap(wrapped, PLACE)).toEqual(key());
    const moved = await both.rewrap(wrapped, PLACE);
    expect(await provider({ PKCS11_KEY: 'keys-2' }).unwrap(moved, PLACE)).toEqual(key());
  });

  it('opens by former keys too where the module makes the IVs itself', async () => {
    const own = { PKCS11_MODULE: hsm.moduleWithOwnIvs() };
    hsm.generate('first');
    hsm.generate('second');
    const wrapped = await provider({ ...own, PKCS11_KEY: 'first' }).wrap(key(), PLACE);
    const both = provider({ ...own, PKCS11_KEY: 'second, first' });
    expect(await both.unwrap(wrapped, PLACE)).toEqual(key());
    const moved = await both.rewrap(wrapped, PLACE);
    expect(await provider({ ...own, PKCS11_KEY: 'second' }).unwrap(moved, PLACE)).toEqual(key());
    await expect(both.unwrap(wrapped, { ...PLACE, generation: 2 })).rejects.toThrow(SealBroken);
  });

  it('does not start without its module', () => {
    const read = () => Config.read({ NODE_ENV: 'test', ...hsm.env, PKCS11_MODULE: '/nowhere/module.so' });
    expect(read).toThrow(ConfigurationRefused);
    expect(read).toThrow(/PKCS11_MODULE/);
  });
});

describeWithSoftHsm('a service with a token of an HSM', () => {
  it('signs, restarts and goes on after the token is back, and never takes an outage for tampering', async () => {
    const hsm = new SoftHsm();
    const { url: databaseUrl, drop } = await createDatabase();
    const start = () => startApp({ databaseUrl, env: { ...hsm.env, MASTER_KEYS: '' } });
    const first = await start();
    const app = await first.given.app();
    const { user_id } = await first.given.user(app);
    const post = (service: TestApp, path: string, body: object) =>
      service.call('POST', path, { key: app.secretKey, body });
    const { body: wallet } = await post(first, '/v1/wallets/create', { user_id, wallet_type: 'ethereum' });
    const sign = (service: TestApp) => post(service, `/v1/wallets/${wallet.id}/sign_message`, { message: 'hello' });
    const cool = (service: TestApp): void => (service.nest.get(KeyWrapper) as ProviderKeyWrapper).forgetAll();
    const { body: signed } = await sign(first);
    await first.stop();

    const service = await start();
    expect(await sign(service)).toMatchObject({ status: 200, body: signed });
    hsm.remove();
    expect((await sign(service)).status).toBe(200);
    cool(service);
    expect(await sign(service)).toMatchObject({ status: 503, body: { error_type: 'keys_unavailable' } });
    hsm.insert();
    await eventually(async () => expect((await sign(service)).status).toBe(200));

    process.kill(moduleProcesses()[0]!, 'SIGSTOP');
    cool(service);
    expect(await sign(service)).toMatchObject({ status: 503, body: { error_type: 'keys_unavailable' } });
    await eventually(async () => expect((await sign(service)).status).toBe(200));

    await service.nest
      .get(Database)
      .write(`update wrapping_keys set wrapped_key = wrapped_key || '\\x41'::bytea where app_id = $1`, [app.id]);
    cool(service);
    expect(await sign(service)).toMatchObject({ status: 500, body: { error_type: 'seal_broken' } });
    await service.stop();
    await eventually(() => expect(moduleProcesses()).toEqual([]));
    await drop();
  });
});
