import type { OnApplicationShutdown } from '@nestjs/common';
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Registry } from 'prom-client';
import { KeyNotReady, type KeyOwner } from '../../kernel/app-keys.js';
import { KeysUnavailable } from '../../kernel/errors.js';
import { SharedRuns } from '../../kernel/shared-runs.js';
import { SealAltered, SealBroken } from '../../kernel/vault.js';
import { scrapedGauge } from '../observability/metrics.js';
import { currentContext, OpenTransaction, runIn } from '../../postgres/current-transaction.js';
import type { SealAlarm } from './envelope-vault.js';
import type { BoundedProvider } from './bounded-provider.js';
import { secretBuffer } from './aes-gcm.js';
import { type KeyPlace, ProviderFailed } from './key-provider.js';
import { DATA_KEY_LABEL, KeyWrapper, unwrapBy, wrapBy, type WrappedKey } from './keyring-key-wrapper.js';
import type { KeyProviders } from './providers/key-providers.js';
import type { StoredKey, WrappingKeyTable } from './wrapping-key-table.js';

const KEY_BYTES = 32;
const CHECK_LABEL = 'wrapping key check value v1';

/**
 * How long an opened key stays in memory. Longer times survive longer outages of the provider; shorter ones end the use of a key sooner
 * after the operator has revoked it at the provider.
 */
const LIFETIME = {
  idleMs: 5 * 60_000,
  totalMs: 60 * 60_000,
  /** A key that ends within this time is opened anew, so that it lasts for the work that awaited it. */
  marginMs: 30_000,
  /** How often ended keys are looked for. */
  sweepMs: 1_000,
};

/** The opened keys of one owner. */
interface Opened {
  /** The id of the key that seals. */
  readonly currentId: string;
  /** The keys by id; each in a buffer of its own, so that it can be overwritten. */
  readonly keys: ReadonlyMap<string, Buffer>;
  readonly openedAt: number;
  usedAt: number;
}

/**
 * Wraps data keys by the wrapping key of their app, which the key provider has wrapped. A wrapping key is opened by `ready`, stays in
 * memory for some minutes, and is overwritten then; in between, wrapping takes no call to the provider. The key ids in seals are
 * `provider:generation`, which no master key can have. Values under master keys are opened by the keyring.
 */
export class ProviderKeyWrapper extends KeyWrapper implements OnApplicationShutdown {
  private readonly opened = new Map<KeyOwner, Opened>();
  private readonly loads = new SharedRuns();
  private readonly sweep: NodeJS.Timeout;

  constructor(
    private readonly providers: Pick<KeyProviders, 'all' | 'current'>,
    private readonly table: Pick<WrappingKeyTable, 'of' | 'add'>,
    private readonly masterKeys: KeyWrapper,
    private readonly alarm: SealAlarm,
    private readonly lifetime: Readonly<typeof LIFETIME> = LIFETIME,
  ) {
    super();
    this.sweep = setInterval(() => this.forgetEnded(), lifetime.sweepMs).unref();
  }

  async ready(owner: KeyOwner): Promise<void> {
    const known = this.live(owner);
    const now = performance.now();
    if (known && known.openedAt + this.lifetime.totalMs - now > this.lifetime.marginMs) {
      known.usedAt = now;
      return;
    }
    // No network inside a transaction: it rolls back and runs again.
    if (currentContext() instanceof OpenTransaction) throw this.notReady(owner);
    try {
      await this.load(owner);
    } catch (error) {
      // The key is still in memory: it only could not be opened anew.
      if (!(error instanceof KeysUnavailable) || !this.live(owner)) throw error;
    }
  }

  currentKeyId(owner: KeyOwner): string {
    return this.providers.current ? this.of(owner).currentId : this.masterKeys.currentKeyId(owner);
  }

  wrap(dataKey: Uint8Array, boundTo: Uint8Array, owner: KeyOwner): WrappedKey {
    if (!this.providers.current) return this.masterKeys.wrap(dataKey, boundTo, owner);
    const { currentId: keyId, keys } = this.of(owner);
    return { keyId, bytes: wrapBy(derivedFrom(keys.get(keyId)!), dataKey, boundTo) };
  }

  unwrap(wrapped: WrappedKey, boundTo: Uint8Array, owner: KeyOwner): Buffer {
    const { keyId, bytes } = wrapped;
    if (!keyId.includes(':')) return this.masterKeys.unwrap(wrapped, boundTo, owner);
    if (!this.providers.all.has(providerIn(keyId)))
      throw new KeysUnavailable({ cause: new Error(`A value is sealed by ${keyId}, whose settings are missing.`) });
    const opened = this.of(owner);
    const key = opened.keys.get(keyId);
    if (key) return unwrapBy(derivedFrom(key), bytes, boundTo);
    // Another process may have made the generation since these keys were opened. A forged id must not cause a call each time.
    if (performance.now() - opened.openedAt < this.lifetime.sweepMs)
      throw new SealBroken(`Sealed by ${keyId}, which is not a key of ${owner}.`);
    this.forget(owner);
    throw this.notReady(owner);
  }

  /** Seconds since the opening of the oldest key in memory, and the number of owners whose keys are in memory. */
  get cached(): { readonly owners: number; readonly oldestSeconds: number } {
    const now = performance.now();
    const oldest = Math.max(0, ...[...this.opened.values()].map(({ openedAt }) => now - openedAt));
    return { owners: this.opened.size, oldestSeconds: oldest / 1_000 };
  }

  /** Overwrites all keys in memory. */
  forgetAll(): void {
    for (const owner of this.opened.keys()) this.forget(owner);
  }

  onApplicationShutdown(): void {
    clearInterval(this.sweep);
    this.forgetAll();
  }

  private of(owner: KeyOwner): Opened {
    const known = this.live(owner);
    if (!known) throw this.notReady(owner);
    known.usedAt = performance.now();
    return known;
  }

  private notReady(owner: KeyOwner): KeyNotReady {
    return new KeyNotReady(owner, () => this.ready(owner));
  }

  private live(owner: KeyOwner): Opened | undefined {
    const known = this.opened.get(owner);
    if (!known || this.endsInMs(known) > 0) return known;
    this.forget(owner);
    return undefined;
  }

  private endsInMs({ openedAt, usedAt }: Opened): number {
    const { idleMs, totalMs } = this.lifetime;
    return Math.min(usedAt + idleMs, openedAt + totalMs) - performance.now();
  }

  private forgetEnded(): void {
    for (const owner of this.opened.keys()) this.live(owner);
  }

  private forget(owner: KeyOwner): void {
    for (const key of this.opened.get(owner)?.keys.values() ?? []) key.fill(0);
    this.opened.delete(owner);
  }

  private load(owner: KeyOwner): Promise<void> {
    // The statements must not join a transaction that only waits for its COMMIT.
    return this.loads.join(owner, () => runIn(undefined, () => this.open(owner)));
  }

  private async open(owner: KeyOwner): Promise<void> {
    const openedAt = performance.now();
    let stored = await this.table.of(owner);
    if (this.providers.current && !currentOf(stored, this.providers.current)) {
      await this.create(owner, this.providers.current, (stored.at(-1)?.generation ?? 0) + 1);
      stored = await this.table.of(owner);
    }
    const usable = stored.filter(({ provider }) => this.providers.all.has(provider));
    const results = await Promise.allSettled(usable.map((key) => this.unwrapped(key)));
    const keys = new Map<string, Buffer>();
    for (const [index, result] of results.entries())
      if (result.status === 'fulfilled') keys.set(idOf(usable[index]!), result.value);
    const failure = results.find((result) => result.status === 'rejected');
    if (failure) {
      for (const key of keys.values()) key.fill(0);
      throw failure.reason;
    }
    const current = this.providers.current && currentOf(stored, this.providers.current)!;
    this.forget(owner);
    this.opened.set(owner, {
      currentId: current ? idOf(current) : this.masterKeys.currentKeyId(owner),
      keys,
      openedAt,
      usedAt: performance.now(),
    });
  }

  /** The first value is sealed only after the provider has also opened the stored key. */
  private async create(owner: KeyOwner, provider: BoundedProvider, generation: number): Promise<void> {
    const place = { owner, generation };
    const key = ownBuffer(randomBytes(KEY_BYTES));
    try {
      const wrappedKey = await available(provider.wrap(key, place));
      const checkValue = checkValueOf(key, place);
      await this.table.add({ ...place, provider: provider.name, wrappedKey, checkValue });
    } finally {
      key.fill(0);
    }
  }

  private async unwrapped(stored: StoredKey): Promise<Buffer> {
    const { owner, wrappedKey, checkValue } = stored;
    try {
      const key = ownBuffer(await available(this.providers.all.get(stored.provider)!.unwrap(wrappedKey, stored)));
      if (key.length === KEY_BYTES && timingSafeEqual(checkValueOf(key, stored), checkValue)) return key;
      key.fill(0);
      throw new SealBroken(`The provider opened ${idOf(stored)} as another key.`);
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error;
      this.alarm(['wrapping-key', owner], error);
      throw new SealAltered(error.message, { cause: error });
    }
  }
}

export function registerKeyMetrics(registry: Registry, wrapper: ProviderKeyWrapper, table: WrappingKeyTable): void {
  scrapedGauge(
    registry,
    { name: 'wrapping_keys', help: 'Wrapping keys of apps, by provider and generation.', label: 'key' },
    () => table.counts(),
  );
  scrapedGauge(
    registry,
    { name: 'wrapping_keys_in_memory', help: 'Apps whose wrapping keys this process has in memory.' },
    async () => wrapper.cached.owners,
  );
  scrapedGauge(
    registry,
    {
      name: 'wrapping_keys_oldest_seconds',
      help: 'Time since the key provider opened the oldest wrapping key in memory.',
    },
    async () => wrapper.cached.oldestSeconds,
  );
}

/** The newest key of the provider. */
function currentOf(stored: readonly StoredKey[], { name }: Pick<BoundedProvider, 'name'>): StoredKey | undefined {
  return stored.findLast(({ provider }) => provider === name);
}

function idOf({ provider, generation }: Pick<StoredKey, 'provider' | 'generation'>): string {
  return `${provider}:${generation}`;
}

function providerIn(keyId: string): string {
  return keyId.slice(0, keyId.indexOf(':'));
}

function derivedFrom(key: Buffer): (salt: Uint8Array) => Buffer {
  return (salt) => createHmac('sha256', key).update(DATA_KEY_LABEL).update('\0').update(salt).digest();
}

/** Recognises a provider that returns another key. It is bound to the place, so rows cannot be exchanged. */
export function checkValueOf(key: Buffer, { owner, generation }: KeyPlace): Buffer {
  return createHmac('sha256', key).update(`${CHECK_LABEL}\0${owner}\0${generation}`).digest();
}

/** Moves a key into memory that it does not share with other values, and overwrites the given bytes. */
function ownBuffer(key: Buffer): Buffer {
  const own = secretBuffer(key.length);
  key.copy(own);
  key.fill(0);
  return own;
}

async function available<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ProviderFailed) throw new KeysUnavailable({ cause: error });
    throw error;
  }
}
