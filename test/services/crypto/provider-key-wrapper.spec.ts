import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { KeyNotReady, type KeyOwner } from '../../../src/kernel/app-keys.js';
import { KeysUnavailable } from '../../../src/kernel/errors.js';
import type { AppId } from '../../../src/kernel/ids.js';
import { SealAltered, SealBroken, SealKeyGone } from '../../../src/kernel/vault.js';
import { conditionsOf } from '../../../src/postgres/conditions.js';
import { OpenTransaction, runIn } from '../../../src/postgres/current-transaction.js';
import { BoundedProvider } from '../../../src/services/crypto/bounded-provider.js';
import { EnvelopeVault } from '../../../src/services/crypto/envelope-vault.js';
import {
  type KeyPlace,
  type KeyProvider,
  KeyRefused,
  ProviderFailed,
  type Wrapped,
} from '../../../src/services/crypto/key-provider.js';
import { Keyring } from '../../../src/services/crypto/keyring.js';
import { KeyringKeyWrapper } from '../../../src/services/crypto/keyring-key-wrapper.js';
import { ProviderKeyWrapper } from '../../../src/services/crypto/provider-key-wrapper.js';
import { idOf, type NewKey, type StoredKey } from '../../../src/services/crypto/wrapping-key-table.js';
import { decrypt, encrypt } from '../../../src/services/crypto/aes-gcm.js';
import { eventually } from '../../support/eventually.js';

const SHOP = 'app_00000000000000000000000001' as AppId;
const BANK = 'app_00000000000000000000000002' as AppId;

/** A module whose key stays in it, in memory. */
class FakeModule implements KeyProvider {
  readonly calls: string[] = [];
  /** The buffers that callers received and must overwrite or keep. */
  readonly handedOut: Buffer[] = [];
  fault: 'failed' | 'hang' | null = null;
  /** The generations that it refuses to open. */
  readonly refused = new Set<number>();
  private readonly key = randomBytes(32);

  constructor(readonly name: 'vault' | 'aws-kms' = 'vault') {}

  async wrap(key: Uint8Array, place: KeyPlace): Promise<Wrapped> {
    await this.work('wrap');
    const bound = Buffer.from(JSON.stringify([place.owner, place.generation]));
    return { wrappedKey: encrypt(this.key, key, bound), keyRef: 'key:1' };
  }
  async unwrap({ wrappedKey }: Wrapped, place: KeyPlace): Promise<Buffer> {
    await this.work('unwrap');
    if (this.refused.has(place.generation)) throw new KeyRefused('denied', 'a refusal');
    const key = decrypt(this.key, wrappedKey, Buffer.from(JSON.stringify([place.owner, place.generation])));
    this.handedOut.push(key);
    return key;
  }
  async rewrap(wrapped: Wrapped): Promise<Wrapped> {
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
const LIFETIME = { idleMs: 60_000, totalMs: 600_000, refreshMs: 2_000, marginMs: 1_000, sweepMs: 10 };

function given(
  lifetime: Partial<typeof LIFETIME> = {},
  rows: StoredKey[] = [],
  module = new FakeModule(),
  previous: FakeModule[] = [],
) {
  const alarms: string[] = [];
  /** Ids of the keys that seal values. */
  const sealing: string[] = [];
  const table = {
    of: async (owner: KeyOwner) =>
      rows
        .filter((row) => row.owner === owner)
        .toSorted((a, b) => a.generation - b.generation || a.checkValue.compare(b.checkValue)),
    isOfAnother: async (owner: KeyOwner, id: string) => rows.some((row) => row.owner !== owner && idOf(row) === id),
    isRetired: async (owner: KeyOwner, name: string) =>
      [owner, 'service'].some(
        (each) => rows.findLast((row) => row.owner === each && row.provider === name)?.isRetired === true,
      ),
    add: async (row: NewKey) => {
      const isTaken = rows.some(
        ({ owner, generation, provider: name }) =>
          owner === row.owner && generation === row.generation && name === row.provider,
      );
      if (!isTaken) rows.push({ ...row, isRetired: false });
      return true;
    },
    restore: async (row: NewKey) => void rows.push({ ...row, isRetired: false }),
  };
  const provider = new BoundedProvider(module);
  const all = [provider, ...previous.map((each) => new BoundedProvider(each))];
  const wrapper = new ProviderKeyWrapper(
    { all: new Map(all.map((each) => [each.name, each])), current: provider },
    table,
    { of: async () => sealing },
    masterKeys,
    ([kind]) => alarms.push(kind),
    { ...LIFETIME, ...lifetime },
  );
  wrappers.push(wrapper);
  return { module, rows, alarms, sealing, wrapper, vault: new EnvelopeVault(wrapper, () => undefined, true) };
}

const wrappers: ProviderKeyWrapper[] = [];
afterEach(() => {
  for (const wrapper of wrappers.splice(0)) wrapper.onApplicationShutdown();
  jest.useRealTimers();
});

/** Stops the clock of the wrapper, which moves only by `pass`: on a busy machine a key would end between two lines of a test. */
function stopTheClock(): void {
  jest.useFakeTimers({ doNotFake: ['Date', 'nextTick', 'setImmediate', 'queueMicrotask'] });
}
const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

/** The buffers with opened keys inside the wrapper. */
const keysIn = (wrapper: ProviderKeyWrapper): Buffer[] =>
  [...(wrapper as unknown as { owned: Map<string, { keys: Map<string, { key: Buffer }> }> }).owned.values()].flatMap(
    ({ keys }) => [...keys.values()].map(({ key }) => key),
  );

const idIn = (sealed: Buffer): string => sealed.toString('latin1', 2, 2 + sealed[1]!);
const withId = (sealed: Buffer, id: string): Buffer =>
  Buffer.concat([Buffer.from([1, id.length]), Buffer.from(id), sealed.subarray(2 + sealed[1]!)]);
const inTransaction = <T>(work: () => T): Promise<T> =>
  runIn(Object.create(OpenTransaction.prototype) as OpenTransaction, async () => work());

describe('a vault with a key provider', () => {
  it('seals under a key of the app, whose id names provider and generation', async () => {
    const { vault, rows } = given();
    await vault.ready(SHOP);
    const sealed = vault.seal(Buffer.from('secret'), ['kind', SHOP]);
    expect(idIn(sealed)).toBe(idOf(rows[0]!));
    expect(idIn(sealed)).toMatch(/^vault:1\.[0-9a-f]{12}$/);
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
    const openElsewhere = () => inTransaction(() => vault.open(sealed, { ...ofShop, owner: 'service' }));
    await pause(20);
    const refused = (await openElsewhere().catch((error: unknown) => error)) as KeyNotReady;
    await expect(refused.makeReady()).rejects.toThrow(SealAltered);
    expect(rows.map(({ owner }) => owner).toSorted()).toEqual([SHOP, 'service']);
  });

  it('opens values under master keys, and moves them', async () => {
    const { vault } = given();
    const earlier = new EnvelopeVault(masterKeys).seal(Buffer.from('secret'), ['kind', SHOP]);
    expect(vault.open(earlier, ['kind', SHOP]).toString()).toBe('secret');
    await vault.ready(SHOP);
    const moved = vault.rewrap(earlier, ['kind', SHOP])!;
    expect(idIn(moved)).toMatch(/^vault:1\./);
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
    await expect(inTransaction(() => wrapper.ready(SHOP))).rejects.toThrow(KeyNotReady);
    expect(module.calls).toEqual([]);
  });
});

describe('a key in memory', () => {
  it('is overwritten when it was not used for the idle time', async () => {
    stopTheClock();
    const { vault, wrapper, module } = given({ idleMs: 50 });
    await vault.ready(SHOP);
    const [key] = keysIn(wrapper);
    await pass(49);
    expect(key!.equals(Buffer.alloc(32))).toBe(false);
    await pass(1);
    expect(key!.equals(Buffer.alloc(32))).toBe(true);
    expect(module.handedOut.every((each) => each.equals(Buffer.alloc(32)))).toBe(true);
    expect(() => vault.seal(Buffer.from('secret'), ['kind', SHOP])).toThrow(KeyNotReady);
  });

  it('is overwritten after its total time, however often it is used', async () => {
    stopTheClock();
    const { vault, wrapper } = given({ idleMs: 50, totalMs: 200, refreshMs: 0, marginMs: 0 });
    await vault.ready(SHOP);
    const [key] = keysIn(wrapper);
    for (let i = 0; i < 7; i++) {
      vault.seal(Buffer.from('secret'), ['kind', SHOP]);
      await pass(25);
    }
    vault.seal(Buffer.from('secret'), ['kind', SHOP]);
    expect(keysIn(wrapper)[0]).toBe(key);
    await pass(25);
    expect(key!.equals(Buffer.alloc(32))).toBe(true);
  });

  it('is opened anew before its end, and stays until its end when the provider fails', async () => {
    stopTheClock();
    const { vault, wrapper, module } = given({ totalMs: 400, refreshMs: 600, marginMs: 300 });
    await vault.ready(SHOP);
    await pass(150);
    await vault.ready(SHOP);
    expect(module.calls).toEqual(['wrap', 'unwrap', 'unwrap']);
    module.fault = 'failed';
    await pass(150);
    await vault.ready(SHOP);
    expect(vault.seal(Buffer.from('secret'), ['kind', SHOP])).toBeInstanceOf(Buffer);
    await pass(250);
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
    stopTheClock();
    const { vault, module } = given();
    module.fault = 'hang';
    let fault: unknown;
    void vault.ready(SHOP).catch((error: unknown) => (fault = error));
    await pass(1_999);
    expect(fault).toBeUndefined();
    await pass(1);
    expect(fault).toBeInstanceOf(KeysUnavailable);
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
    Object.assign(rows[0]!, await module.wrap(randomBytes(32), rows[0]!));
    await expect(vault.ready(SHOP)).rejects.toThrow(SealAltered);
  });

  it('whose settings are missing makes its values unavailable', async () => {
    const { vault, rows } = given({}, [], new FakeModule('aws-kms'));
    await vault.ready(SHOP);
    const sealed = vault.seal(Buffer.from('secret'), ['kind', SHOP]);
    const without = given({}, rows, new FakeModule('vault'));
    await expect(without.vault.ready(SHOP, sealed)).rejects.toThrow(KeysUnavailable);
    expect(() => without.vault.open(sealed, ['kind', SHOP])).toThrow(KeysUnavailable);
    without.vault.seal(Buffer.from('secret'), ['kind', SHOP]);
  });
});

describe('a key whose row is gone', () => {
  it('is stored again by a process that has it in memory, with an alarm, and is not made anew', async () => {
    const { vault, rows, alarms, module, wrapper } = given();
    await vault.ready(SHOP);
    const sealed = vault.seal(Buffer.from('secret'), ['kind', SHOP]);
    const [lost] = rows.splice(0);
    const [condition] = conditionsOf([sealed]);
    const unmet = condition!.unmet() as KeyNotReady;
    expect(unmet).toBeInstanceOf(KeyNotReady);
    await unmet.makeReady();
    expect(rows).toEqual([lost]);
    expect(alarms).toEqual(['wrapping-key']);
    expect(module.calls.filter((call) => call === 'wrap')).toHaveLength(1);
    wrapper.forgetAll();
    await vault.ready(SHOP);
    expect(vault.open(sealed, ['kind', SHOP]).toString()).toBe('secret');
  });

  it('is not replaced by a cold process while values are sealed by it', async () => {
    const { vault, rows, alarms, wrapper, sealing } = given();
    await vault.ready(SHOP);
    sealing.push(idIn(vault.seal(Buffer.from('secret'), ['kind', SHOP])));
    rows.splice(0);
    wrapper.forgetAll();
    await expect(vault.ready(SHOP)).rejects.toThrow(SealKeyGone);
    expect(rows).toEqual([]);
    expect(alarms).toEqual(['wrapping-key']);
  });

  it('is reported as gone, and not as an altered value', async () => {
    const { vault } = given();
    await vault.ready(SHOP);
    const sealed = withId(vault.seal(Buffer.from('secret'), ['kind', SHOP]), 'vault:7.000000000000');
    const open = () => vault.open(sealed, ['kind', SHOP]);
    expect(open).toThrow(KeysUnavailable);
    await eventually(() => expect(open).toThrow(SealKeyGone));
    await expect(vault.ready(SHOP, sealed)).rejects.toThrow(SealKeyGone);
  });
});

describe('an altered id in a seal', () => {
  it.each([
    ['names an unknown provider', (id: string) => id.replace('vault', 'wault')],
    ['has no check value', (id: string) => id.slice(0, -13)],
    ['has another check value', (id: string) => id.slice(0, -1) + (id.endsWith('0') ? '1' : '0')],
  ])('that %s is reported as tampering while the provider works and while it fails', async (_, alter) => {
    const { vault, module, alarms, wrapper } = given();
    await vault.ready(SHOP);
    const whole = vault.seal(Buffer.from('secret'), ['kind', SHOP]);
    const sealed = withId(whole, alter(idIn(whole)));
    wrapper.forgetAll();
    const refused = await inTransaction(() => vault.open(sealed, ['kind', SHOP])).catch((error: unknown) => error);
    const fault = refused instanceof KeyNotReady ? await refused.makeReady().catch((error: unknown) => error) : refused;
    expect(fault).toBeInstanceOf(SealAltered);
    await vault.ready(SHOP);
    module.fault = 'failed';
    await expect(vault.ready(SHOP, sealed)).rejects.toThrow(SealAltered);
    expect(() => vault.open(sealed, ['kind', SHOP])).toThrow(SealAltered);
    expect(alarms).toContain('wrapping-key');
  });
});

describe('one of several keys', () => {
  /** An app with the generations 1 of the previous module and 2 of the current one. */
  async function moved() {
    const before = given({}, [], new FakeModule('aws-kms'));
    await before.vault.ready(SHOP);
    const earlier = before.vault.seal(Buffer.from('earlier'), ['kind', SHOP]);
    const after = given({}, before.rows, new FakeModule('vault'), [before.module]);
    await after.vault.ready(SHOP);
    const later = after.vault.seal(Buffer.from('later'), ['kind', SHOP]);
    return { ...after, earlier, later, previous: before.module };
  }

  it('that another process stores while the keys are opened is not gone', async () => {
    const [aws, vaultModule] = [new FakeModule('aws-kms'), new FakeModule('vault')];
    const a = given({}, [], aws, [vaultModule]);
    await a.vault.ready(SHOP);
    a.wrapper.forgetAll();
    const unwrap = aws.unwrap.bind(aws);
    let release!: () => void;
    const gate = new Promise<void>((resolve) => (release = resolve));
    let calls = 0;
    aws.unwrap = async (...args) => {
      if (++calls === 1) await gate;
      return unwrap(...args);
    };
    const first = a.vault.ready(SHOP);
    await eventually(() => expect(calls).toBe(1));
    const b = given({}, a.rows, vaultModule, [aws]);
    await b.vault.ready(SHOP);
    const later = b.vault.seal(Buffer.from('later'), ['kind', SHOP]);
    const second = a.vault.ready(SHOP, later);
    release();
    await Promise.all([first, second]);
    expect(a.vault.open(later, ['kind', SHOP]).toString()).toBe('later');
    expect(a.alarms).toEqual([]);
  });

  it('that does not open leaves the values of the other keys usable', async () => {
    const { vault, wrapper, previous, earlier, later } = await moved();
    wrapper.forgetAll();
    previous.fault = 'failed';
    await vault.ready(SHOP);
    expect(vault.open(later, ['kind', SHOP]).toString()).toBe('later');
    vault.seal(Buffer.from('more'), ['kind', SHOP]);
    expect(() => vault.open(earlier, ['kind', SHOP])).toThrow(KeysUnavailable);
    previous.fault = null;
    await pause(1_100);
    await vault.ready(SHOP);
    await eventually(() => expect(vault.open(earlier, ['kind', SHOP]).toString()).toBe('earlier'));
  });

  it('that was altered is no reason to refuse the values of the other keys', async () => {
    const { vault, wrapper, rows, earlier, later } = await moved();
    wrapper.forgetAll();
    Object.assign(rows[0]!, { wrappedKey: Buffer.alloc(60) });
    await vault.ready(SHOP);
    expect(vault.open(later, ['kind', SHOP]).toString()).toBe('later');
    expect(() => vault.open(earlier, ['kind', SHOP])).toThrow(SealAltered);
  });

  it('that is refused stays usable until the end of its time in memory', async () => {
    const { vault, wrapper, module, later } = await moved();
    module.refused.add(2);
    for (const key of keysIn(wrapper)) expect(key.equals(Buffer.alloc(32))).toBe(false);
    await expect(given({}, [], module).vault.ready(SHOP)).resolves.toBeUndefined();
    expect(vault.open(later, ['kind', SHOP]).toString()).toBe('later');
  });

  it('of the same generation by two providers opens beside the other one', async () => {
    const [first, second] = [new FakeModule('vault'), new FakeModule('aws-kms')];
    const rows: StoredKey[] = [];
    const [one, two] = [given({}, rows, first, [second]), given({}, rows, second, [first])];
    await Promise.all([one.vault.ready(SHOP), two.vault.ready(SHOP)]);
    const made = rows.map(({ provider, generation }) => `${provider}:${generation}`);
    expect(made.toSorted((a, b) => a.localeCompare(b))).toEqual(['aws-kms:1', 'vault:1']);
    const sealed = one.vault.seal(Buffer.from('secret'), ['kind', SHOP]);
    two.wrapper.forgetAll();
    await two.vault.ready(SHOP);
    expect(two.vault.open(sealed, ['kind', SHOP]).toString()).toBe('secret');
  });

  it('that is retired opens values, seals none, and gets no successor by its provider', async () => {
    const { vault, rows, wrapper, alarms } = given();
    await Promise.all([vault.ready(SHOP), vault.ready('service')]);
    const sealed = vault.seal(Buffer.from('secret'), ['kind', SHOP]);
    for (const row of rows) Object.assign(row, { isRetired: true });
    wrapper.forgetAll();
    for (const owner of [SHOP, BANK]) await expect(vault.ready(owner)).rejects.toThrow(KeysUnavailable);
    expect(vault.open(sealed, ['kind', SHOP]).toString()).toBe('secret');
    expect(() => vault.seal(Buffer.from('more'), ['kind', SHOP])).toThrow(KeyNotReady);
    expect(rows.map(({ owner }) => owner)).not.toContain(BANK);
    expect(rows).toHaveLength(2);
    expect(alarms).toContain('wrapping-key');
  });

  it('that cannot be made leaves the values of the earlier keys usable', async () => {
    const before = given({}, [], new FakeModule('aws-kms'));
    await before.vault.ready(SHOP);
    const sealed = before.vault.seal(Buffer.from('earlier'), ['kind', SHOP]);
    const { vault, module } = given({}, before.rows, new FakeModule('vault'), [before.module]);
    module.fault = 'failed';
    const refused = await inTransaction(() => vault.open(sealed, ['kind', SHOP])).catch((error: unknown) => error);
    await (refused as KeyNotReady).makeReady();
    expect(vault.open(sealed, ['kind', SHOP]).toString()).toBe('earlier');
    await expect(vault.ready(SHOP)).rejects.toThrow(KeysUnavailable);
  });

  it('that ends while another one is opened is unavailable, and not reported as tampering', async () => {
    const { vault, wrapper, previous, alarms, earlier, later } = await moved();
    wrapper.forgetAll();
    previous.fault = 'failed';
    await vault.ready(SHOP);
    previous.fault = 'hang';
    const fault = (work: Promise<void>) => work.catch((error: unknown) => error);
    const opening = fault(vault.ready(SHOP, earlier));
    await eventually(() => expect(previous.calls.filter((call) => call === 'unwrap')).toHaveLength(4));
    wrapper.forgetAll();
    expect(await fault(vault.ready(SHOP, later))).toBeInstanceOf(KeysUnavailable);
    expect(await opening).toBeInstanceOf(KeysUnavailable);
    expect(alarms).toEqual([]);
    await vault.ready(SHOP, later);
  });

  it('is ready only if it opens, where a value names it', async () => {
    const { vault, wrapper, previous, earlier } = await moved();
    wrapper.forgetAll();
    previous.fault = 'failed';
    await vault.ready(SHOP);
    await expect(vault.ready(SHOP, earlier)).rejects.toThrow(KeysUnavailable);
    previous.fault = null;
    await vault.ready(SHOP, earlier);
    expect(vault.open(earlier, ['kind', SHOP]).toString()).toBe('earlier');
  });
});

describe('a new key', () => {
  it('is not stored when the provider does not return what it wrapped', async () => {
    const { vault, rows, module } = given();
    const { unwrap } = module;
    module.unwrap = async () => randomBytes(32);
    await expect(vault.ready(SHOP)).rejects.toThrow(SealAltered);
    expect(rows).toEqual([]);
    module.unwrap = unwrap;
    await vault.ready(SHOP);
    expect(rows).toHaveLength(1);
  });
});

describe('a key in use', () => {
  it('is opened anew in the background long before its end, so that an outage finds it open', async () => {
    stopTheClock();
    const { vault, wrapper, module } = given({ totalMs: 600, refreshMs: 1_000, marginMs: 0 });
    await vault.ready(SHOP);
    const [first] = keysIn(wrapper);
    await pass(150);
    await vault.ready(SHOP);
    await eventually(() => expect(keysIn(wrapper)[0]).not.toBe(first));
    module.fault = 'failed';
    // The first opening ended before, and the second did not.
    await pass(500);
    await vault.ready(SHOP);
    expect(vault.seal(Buffer.from('secret'), ['kind', SHOP])).toBeInstanceOf(Buffer);
  });
});

describe('the circuit breaker', () => {
  it('is not opened by wrapped keys that were altered or that the provider refuses', async () => {
    const { vault, module, rows, wrapper } = given();
    await Promise.all([vault.ready(SHOP), vault.ready(BANK)]);
    wrapper.forgetAll();
    const ofShop = rows.find(({ owner }) => owner === SHOP)!;
    const whole = { ...ofShop };
    for (const damage of [
      { wrappedKey: Buffer.alloc(0) },
      { wrappedKey: Buffer.alloc(60) },
      { checkValue: Buffer.alloc(3) },
      { checkValue: Buffer.alloc(0) },
    ]) {
      Object.assign(ofShop, whole, damage);
      for (let i = 0; i < 4; i++) await expect(vault.ready(SHOP)).rejects.toThrow(SealAltered);
      wrapper.forgetAll();
      await vault.ready(BANK);
    }
    Object.assign(ofShop, whole, { generation: 7 });
    module.refused.add(7);
    for (let i = 0; i < 5; i++) await expect(vault.ready(SHOP)).rejects.toThrow(KeysUnavailable);
    wrapper.forgetAll();
    await vault.ready(BANK);
  });
});
