import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { KeyNotReady, type KeyOwner } from '../../../src/kernel/app-keys.js';
import { KeysUnavailable } from '../../../src/kernel/errors.js';
import type { AppId } from '../../../src/kernel/ids.js';
import { SealAltered, SealBroken } from '../../../src/kernel/vault.js';
import { OpenTransaction, runIn } from '../../../src/postgres/current-transaction.js';
import { BoundedProvider } from '../../../src/services/crypto/bounded-provider.js';
import { EnvelopeVault } from '../../../src/services/crypto/envelope-vault.js';
import { type KeyPlace, type KeyProvider, ProviderFailed } from '../../../src/services/crypto/key-provider.js';
import { Keyring } from '../../../src/services/crypto/keyring.js';
import { KeyringKeyWrapper } from '../../../src/services/crypto/keyring-key-wrapper.js';
import { ProviderKeyWrapper } from '../../../src/services/crypto/provider-key-wrapper.js';
import type { StoredKey } from '../../../src/services/crypto/wrapping-key-table.js';
import { decrypt, encrypt } from '../../../src/services/crypto/aes-gcm.js';

const SHOP = 'app_00000000000000000000000001' as AppId;
const BANK = 'app_00000000000000000000000002' as AppId;

/** A module whose key stays in it, in memory. */
class FakeModule implements KeyProvider {
  readonly name = 'vault';
  readonly calls: string[] = [];
  /** The buffers that callers received and must overwrite or keep. */
  readonly handedOut: Buffer[] = [];
  fault: 'failed' | 'hang' | null = null;
  private readonly key = randomBytes(32);

  async wrap(key: Uint8Array, place: KeyPlace): Promise<Buffer> {
    await this.work('wrap');
    return encrypt(this.key, key, Buffer.from(JSON.stringify([place.owner, place.generation])));
  }
  async unwrap(wrapped: Buffer, place: KeyPlace): Promise<Buffer> {
    await this.work('unwrap');
    const key = decrypt(this.key, wrapped, Buffer.from(JSON.stringify([place.owner, place.generation])));
    this.handedOut.push(key);
    return key;
  }
  async rewrap(wrapped: Buffer): Promise<Buffer> {
    return wrapped;
  }
  async health(): Promise<void> {}
  close(): void {}

  private async work(operation: string): Promise<void> {
    this.calls.push(operation);
    if (this.fault === 'hang') await new Promise(() => undefined);
    if (this.fault === 'failed') throw new ProviderFailed(this.fault, 'a fault');
    await pause(5);
  }
}

const masterKeys = new KeyringKeyWrapper(Keyring.parse(`k1:${randomBytes(32).toString('base64')}`));
const LIFETIME = { idleMs: 60_000, totalMs: 600_000, marginMs: 1_000, sweepMs: 10 };

function given(lifetime: Partial<typeof LIFETIME> = {}, rows: StoredKey[] = [], module = new FakeModule()) {
  const alarms: string[] = [];
  const table = {
    of: async (owner: KeyOwner) => rows.filter((row) => row.owner === owner),
    add: async (row: StoredKey) => {
      const isTaken = rows.some(({ owner, generation }) => owner === row.owner && generation === row.generation);
      if (!isTaken) rows.push(row);
    },
  };
  const provider = new BoundedProvider(module);
  const wrapper = new ProviderKeyWrapper(
    { all: new Map([['vault', provider]]), current: provider },
    table,
    masterKeys,
    ([kind]) => alarms.push(kind),
    { ...LIFETIME, ...lifetime },
  );
  wrappers.push(wrapper);
  return { module, rows, alarms, wrapper, vault: new EnvelopeVault(wrapper, () => undefined, true) };
}

const wrappers: ProviderKeyWrapper[] = [];
afterEach(() => {
  for (const wrapper of wrappers.splice(0)) wrapper.onApplicationShutdown();
});

/** The buffers with opened keys inside the wrapper. */
const keysIn = (wrapper: ProviderKeyWrapper): Buffer[] =>
  [...(wrapper as unknown as { opened: Map<string, { keys: Map<string, Buffer> }> }).opened.values()].flatMap(
    ({ keys }) => [...keys.values()],
  );

describe('a vault with a key provider', () => {
  it('seals under a key of the app, whose id names provider and generation', async () => {
    const { vault, rows } = given();
    await vault.ready(SHOP);
    const sealed = vault.seal(Buffer.from('secret'), ['kind', SHOP]);
    expect(sealed.toString('latin1', 2, 2 + sealed[1]!)).toBe('vault:1');
    expect(vault.open(sealed, ['kind', SHOP]).toString()).toBe('secret');
    expect(rows.map(({ owner, generation, provider }) => [owner, generation, provider])).toEqual([[SHOP, 1, 'vault']]);
  });

  it('uses a key of the service for values of no app, and the named owner where the context names none', async () => {
    const { vault, rows } = given();
    await Promise.all([vault.ready('service'), vault.ready(SHOP)]);
    vault.seal(Buffer.from('secret'), ['kind', 'x']);
    const ofShop = { context: ['job', 'mail', 'job_1'], owner: SHOP } as const;
    const sealed = vault.seal(Buffer.from('secret'), ofShop);
    expect(vault.open(sealed, ofShop).toString()).toBe('secret');
    expect(() => vault.open(sealed, { ...ofShop, owner: 'service' })).toThrow(SealAltered);
    expect(rows.map(({ owner }) => owner).toSorted()).toEqual([SHOP, 'service']);
  });

  it('opens values under master keys, and moves them', async () => {
    const { vault } = given();
    const earlier = new EnvelopeVault(masterKeys).seal(Buffer.from('secret'), ['kind', SHOP]);
    expect(vault.open(earlier, ['kind', SHOP]).toString()).toBe('secret');
    await vault.ready(SHOP);
    const moved = vault.rewrap(earlier, ['kind', SHOP])!;
    expect(moved.toString('latin1', 2, 2 + moved[1]!)).toBe('vault:1');
    expect(vault.open(moved, ['kind', SHOP]).toString()).toBe('secret');
    expect(vault.rewrap(moved, ['kind', SHOP])).toBeNull();
  });

  it('refuses to seal and to open with a key that is not in memory', async () => {
    const { vault } = given();
    expect(() => vault.seal(Buffer.from('secret'), ['kind', SHOP])).toThrow(KeyNotReady);
    await vault.ready(SHOP);
    expect(() => vault.seal(Buffer.from('secret'), ['kind', BANK])).toThrow(KeyNotReady);
  });

  it('calls the provider twice for the first key of an app, once for a cold app, and once for simultaneous callers', async () => {
    const { vault, module, wrapper } = given();
    await Promise.all(Array.from({ length: 20 }, () => vault.ready(SHOP)));
    expect(module.calls).toEqual(['wrap', 'unwrap']);
    wrapper.forgetAll();
    await Promise.all(Array.from({ length: 20 }, () => vault.ready(SHOP)));
    expect(module.calls).toEqual(['wrap', 'unwrap', 'unwrap']);
  });

  it('makes one key when two replicas meet a new app', async () => {
    const first = given();
    const second = given({}, first.rows, first.module);
    await Promise.all([first.vault.ready(SHOP), second.vault.ready(SHOP)]);
    expect(first.rows).toHaveLength(1);
    const sealed = first.vault.seal(Buffer.from('secret'), ['kind', SHOP]);
    expect(second.vault.open(sealed, ['kind', SHOP]).toString()).toBe('secret');
  });

  it('calls no provider inside a transaction', async () => {
    const { wrapper, module } = given();
    const transaction = Object.create(OpenTransaction.prototype) as OpenTransaction;
    await expect(runIn(transaction, () => wrapper.ready(SHOP))).rejects.toThrow(KeyNotReady);
    expect(module.calls).toEqual([]);
  });
});

describe('a key in memory', () => {
  it('is overwritten when it was not used for the idle time', async () => {
    const { vault, wrapper, module } = given({ idleMs: 50 });
    await vault.ready(SHOP);
    const [key] = keysIn(wrapper);
    expect(key!.equals(Buffer.alloc(32))).toBe(false);
    await pause(100);
    expect(key!.equals(Buffer.alloc(32))).toBe(true);
    expect(module.handedOut.every((each) => each.equals(Buffer.alloc(32)))).toBe(true);
    expect(() => vault.seal(Buffer.from('secret'), ['kind', SHOP])).toThrow(KeyNotReady);
  });

  it('is overwritten after its total time, however often it is used', async () => {
    const { vault, wrapper } = given({ idleMs: 50, totalMs: 200, marginMs: 0 });
    await vault.ready(SHOP);
    const [key] = keysIn(wrapper);
    for (let i = 0; i < 6; i++) {
      vault.seal(Buffer.from('secret'), ['kind', SHOP]);
      await pause(25);
    }
    expect(keysIn(wrapper)[0]).toBe(key);
    await pause(150);
    expect(key!.equals(Buffer.alloc(32))).toBe(true);
  });

  it('is opened anew before its end, and stays until its end when the provider fails', async () => {
    const { vault, wrapper, module } = given({ totalMs: 400, marginMs: 300 });
    await vault.ready(SHOP);
    await pause(150);
    await vault.ready(SHOP);
    expect(module.calls).toEqual(['wrap', 'unwrap', 'unwrap']);
    module.fault = 'failed';
    await pause(150);
    await vault.ready(SHOP);
    expect(vault.seal(Buffer.from('secret'), ['kind', SHOP])).toBeInstanceOf(Buffer);
    await pause(300);
    await expect(vault.ready(SHOP)).rejects.toThrow(KeysUnavailable);
    expect(keysIn(wrapper)).toEqual([]);
  });

  it('is overwritten when the service stops', async () => {
    const { vault, wrapper } = given();
    await vault.ready(SHOP);
    const [key] = keysIn(wrapper);
    wrapper.onApplicationShutdown();
    expect(key!.equals(Buffer.alloc(32))).toBe(true);
  });
});

describe('a provider that fails', () => {
  it('makes cold keys unavailable, and leaves warm keys usable', async () => {
    const { vault, module } = given();
    await vault.ready(SHOP);
    module.fault = 'failed';
    await expect(vault.ready(BANK)).rejects.toThrow(KeysUnavailable);
    await vault.ready(SHOP);
    expect(vault.seal(Buffer.from('secret'), ['kind', SHOP])).toBeInstanceOf(Buffer);
  });

  it('is waited for at most 2 s', async () => {
    const { vault, module } = given();
    module.fault = 'hang';
    const began = performance.now();
    await expect(vault.ready(SHOP)).rejects.toThrow(KeysUnavailable);
    expect(performance.now() - began).toBeLessThan(3_500);
  });

  it('is not called again at once after three failures, and is used again when it works', async () => {
    const { vault, module } = given();
    module.fault = 'failed';
    for (let i = 0; i < 10; i++) await expect(vault.ready(SHOP)).rejects.toThrow(KeysUnavailable);
    expect(module.calls).toHaveLength(3);
    module.fault = null;
    await pause(1_100);
    await vault.ready(SHOP);
  });

  it('is no reason to report tampering, and tampering is no failure of the provider', async () => {
    const { vault, module, rows, alarms, wrapper } = given();
    await Promise.all([vault.ready(SHOP), vault.ready(BANK)]);
    wrapper.forgetAll();
    module.fault = 'failed';
    await expect(vault.ready(SHOP)).rejects.toThrow(KeysUnavailable);
    expect(alarms).toEqual([]);
    module.fault = null;
    for (let i = 0; i < 5; i++) {
      Object.assign(rows[0]!, { wrappedKey: Buffer.alloc(60) });
      await expect(vault.ready(rows[0]!.owner)).rejects.toThrow(SealBroken);
    }
    // The breaker is closed: the provider worked.
    await vault.ready(rows[1]!.owner);
    expect(alarms).toHaveLength(5);
  });

  it('that opens another key than the one that was wrapped is reported as tampering', async () => {
    const { vault, rows, wrapper, module } = given();
    await vault.ready(SHOP);
    wrapper.forgetAll();
    Object.assign(rows[0]!, { wrappedKey: await module.wrap(randomBytes(32), rows[0]!) });
    await expect(vault.ready(SHOP)).rejects.toThrow(SealAltered);
  });

  it('whose settings are missing makes its values unavailable', async () => {
    const { vault, wrapper } = given();
    await vault.ready(SHOP);
    const sealed = Buffer.from(vault.seal(Buffer.from('secret'), ['kind', SHOP]));
    const ofAnother = Buffer.concat([Buffer.from([1, 9]), Buffer.from('aws-kms:1'), sealed.subarray(2 + sealed[1]!)]);
    expect(() => vault.open(ofAnother, ['kind', SHOP])).toThrow(KeysUnavailable);
    expect(wrapper.cached.owners).toBe(1);
  });
});
