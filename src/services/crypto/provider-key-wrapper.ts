import type { OnApplicationShutdown } from '@nestjs/common';
import { createHmac, randomBytes } from 'node:crypto';
import type { Registry } from 'prom-client';
import { KeyNotReady, type KeyOwner } from '../../kernel/app-keys.js';
import { KeysUnavailable } from '../../kernel/errors.js';
import { SharedRuns } from '../../kernel/shared-runs.js';
import { SealAltered, SealBroken, SealKeyGone } from '../../kernel/vault.js';
import type { Condition } from '../../postgres/conditions.js';
import { currentContext, OpenTransaction, runIn } from '../../postgres/current-transaction.js';
import { scrapedGauge } from '../observability/metrics.js';
import { secretBuffer } from './aes-gcm.js';
import type { BoundedProvider } from './bounded-provider.js';
import type { SealAlarm } from './envelope-vault.js';
import { isEqual } from './key-check.js';
import { type KeyPlace, ProviderFailed } from './key-provider.js';
import { DATA_KEY_LABEL, KeyWrapper, unwrapBy, wrapBy, type WrappedKey } from './keyring-key-wrapper.js';
import type { KeyProviders } from './providers/key-providers.js';
import type { SealingKeys } from './sealing-keys.js';
import { holdOf, idOf, type StoredKey, type WrappingKeyTable } from './wrapping-key-table.js';

const KEY_BYTES = 32;
const CHECK_LABEL = 'wrapping key check value v1';

/**
 * How long an opened key stays in memory. Longer times survive longer outages of the provider; shorter ones end the use of a key sooner
 * after the operator has revoked it at the provider.
 */
const LIFETIME = {
  idleMs: 5 * 60_000,
  totalMs: 60 * 60_000,
  /** A key in use that ends within this time is opened anew in the background, so that it rarely ends while the provider fails. */
  refreshMs: 15 * 60_000,
  /** A key that ends within this time is opened anew before the work that awaits it, so that it lasts for this work. */
  marginMs: 30_000,
  /** How often ended keys are looked for, and how long the keys that were read, and why some did not open, are taken as current. */
  sweepMs: 1_000,
};

interface OpenedKey {
  readonly stored: StoredKey;
  /** In a buffer of its own, so that it can be overwritten. */
  readonly key: Buffer;
  readonly openedAt: number;
  /** Differs between keys that were opened at the same time. */
  readonly refreshAt: number;
  /** Bound to each value that the key seals: the key must be stored, or the value is lost with this process. */
  readonly condition: Condition;
}

/** The keys of one owner. */
interface Owned {
  /** The id of the key that seals. */
  readonly currentId: string;
  readonly keys: ReadonlyMap<string, OpenedKey>;
  /** Why stored keys did not open. A key that could only not be opened anew is in both maps. */
  readonly faults: ReadonlyMap<string, Error>;
  readonly readAt: number;
  /** Ids in seals that were not among the keys. */
  readonly missed: Set<string>;
  usedAt: number;
}

/**
 * Wraps data keys by the wrapping key of their app, which the key provider has wrapped. A wrapping key is opened by `ready`, stays in
 * memory for some minutes, and is overwritten then; in between, wrapping takes no call to the provider. The key ids in seals are
 * `provider:generation.check`, which no master key can have. Values under master keys are opened by the keyring.
 *
 * Each key of an owner is opened by itself: values are sealed as soon as the current one is open, and each value opens with its own.
 */
export class ProviderKeyWrapper extends KeyWrapper implements OnApplicationShutdown {
  private readonly owned = new Map<KeyOwner, Owned>();
  private readonly loads = new SharedRuns();
  private readonly sweep: NodeJS.Timeout;

  constructor(
    private readonly providers: Pick<KeyProviders, 'all' | 'current'>,
    private readonly table: Pick<WrappingKeyTable, 'of' | 'ofOtherOwners' | 'add' | 'restore'>,
    private readonly values: Pick<SealingKeys, 'of'>,
    private readonly masterKeys: KeyWrapper,
    private readonly alarm: SealAlarm,
    private readonly lifetime: Readonly<typeof LIFETIME> = LIFETIME,
  ) {
    super();
    this.sweep = setInterval(() => this.forgetEnded(), lifetime.sweepMs).unref();
  }

  async ready(owner: KeyOwner): Promise<void> {
    const known = this.live(owner);
    if (known && this.lasts(known)) {
      known.usedAt = performance.now();
      // It does not join a transaction, and the work does not wait for it.
      if (this.isStale(known)) void this.load(owner).catch(() => undefined);
      return;
    }
    // No network inside a transaction: it rolls back and runs again.
    if (currentContext() instanceof OpenTransaction) throw this.notReady(owner);
    await this.load(owner);
  }

  currentKeyId(owner: KeyOwner): string {
    return this.providers.current ? this.of(owner).currentId : this.masterKeys.currentKeyId(owner);
  }

  wrap(dataKey: Uint8Array, boundTo: Uint8Array, owner: KeyOwner): WrappedKey {
    if (!this.providers.current) return this.masterKeys.wrap(dataKey, boundTo, owner);
    const { currentId: keyId, keys } = this.of(owner);
    const current = keys.get(keyId);
    if (!current) throw this.notReady(owner);
    const { key, condition } = current;
    return { keyId, bytes: wrapBy(derivedFrom(key), dataKey, boundTo), condition };
  }

  unwrap(wrapped: WrappedKey, boundTo: Uint8Array, owner: KeyOwner): Buffer {
    const { keyId, bytes } = wrapped;
    if (!keyId.includes(':')) return this.masterKeys.unwrap(wrapped, boundTo, owner);
    if (!this.providers.all.has(providerIn(keyId)))
      throw new KeysUnavailable({ cause: new Error(`A value is sealed by ${keyId}, whose settings are missing.`) });
    const known = this.of(owner);
    const opened = known.keys.get(keyId);
    if (opened) return unwrapBy(derivedFrom(opened.key), bytes, boundTo);
    const fault = known.faults.get(keyId);
    // A key may have been stored since they were read. A forged id must not cause a statement each time.
    const isRecent = performance.now() - known.readAt < this.lifetime.sweepMs;
    const wasMissed = known.missed.has(keyId);
    if (!fault) known.missed.add(keyId);
    if (fault || !isRecent || !wasMissed) {
      if (currentContext() instanceof OpenTransaction) throw new KeyNotReady(owner, () => this.load(owner, keyId));
      void this.load(owner).catch(() => undefined);
    }
    if (fault) throw fault;
    if (!wasMissed) throw new KeysUnavailable({ cause: new Error(`${keyId} of ${owner} is not in memory.`) });
    throw new SealKeyGone(`Sealed by ${keyId} of ${owner}: this key is gone.`);
  }

  /** Seconds since the opening of the oldest key in memory, and the number of owners whose keys are in memory. */
  get cached(): { readonly owners: number; readonly oldestSeconds: number } {
    const now = performance.now();
    const ages = [...this.owned.values()].flatMap(({ keys }) => [...keys.values()].map((key) => now - key.openedAt));
    return { owners: this.owned.size, oldestSeconds: Math.max(0, ...ages) / 1_000 };
  }

  /** Overwrites all keys in memory. */
  forgetAll(): void {
    for (const owner of this.owned.keys()) this.forget(owner);
  }

  onApplicationShutdown(): void {
    clearInterval(this.sweep);
    this.forgetAll();
  }

  private of(owner: KeyOwner): Owned {
    const known = this.live(owner);
    if (!known) throw this.notReady(owner);
    known.usedAt = performance.now();
    return known;
  }

  private notReady(owner: KeyOwner): KeyNotReady {
    return new KeyNotReady(owner, () => this.load(owner));
  }

  /** The keys of the owner that have not ended. */
  private live(owner: KeyOwner): Owned | undefined {
    const known = this.owned.get(owner);
    if (!known) return undefined;
    const now = performance.now();
    if (known.usedAt + this.lifetime.idleMs <= now) {
      this.forget(owner);
      return undefined;
    }
    const keys = new Map<string, OpenedKey>();
    for (const [id, key] of known.keys)
      if (key.openedAt + this.lifetime.totalMs > now) keys.set(id, key);
      else key.key.fill(0);
    if (keys.size === known.keys.size) return known;
    const left = { ...known, keys };
    this.owned.set(owner, left);
    return left;
  }

  /** Whether values can be sealed for long enough. With master keys nothing of a provider seals. */
  private lasts({ currentId, keys }: Owned): boolean {
    if (!this.providers.current) return true;
    const current = keys.get(currentId);
    return (
      current !== undefined && current.openedAt + this.lifetime.totalMs - performance.now() > this.lifetime.marginMs
    );
  }

  private isStale({ keys, faults, readAt }: Owned): boolean {
    const now = performance.now();
    if (now - readAt < this.lifetime.sweepMs) return false;
    const isUnavailable = [...faults.values()].some((fault) => fault instanceof KeysUnavailable);
    return isUnavailable || [...keys.values()].some(({ refreshAt }) => refreshAt <= now);
  }

  private forgetEnded(): void {
    for (const owner of this.owned.keys()) this.live(owner);
  }

  private forget(owner: KeyOwner): void {
    for (const { key } of this.owned.get(owner)?.keys.values() ?? []) key.fill(0);
    this.owned.delete(owner);
  }

  /**
   * Resolves when the owner's values can be sealed, even if the key in memory could not be opened anew. With the id of a key, throws why
   * that one does not open.
   */
  private async load(owner: KeyOwner, keyId?: string): Promise<void> {
    // The statements must not join a transaction that only waits for its COMMIT.
    await this.loads.join(owner, () => runIn(undefined, () => this.open(owner)));
    const known = this.live(owner);
    const wanted = keyId ?? known?.currentId ?? '';
    const fault = known?.faults.get(wanted);
    if (fault && !known?.keys.has(wanted)) throw fault;
  }

  private async open(owner: KeyOwner): Promise<void> {
    const readAt = performance.now();
    const { current: provider } = this.providers;
    let stored = await this.withLost(owner, await this.table.of(owner));
    const made = provider && !currentOf(stored, provider) ? await this.create(owner, provider, stored) : null;
    if (made) stored = await this.table.of(owner);
    const current = provider && currentOf(stored, provider);
    if (provider && !current) throw new KeysUnavailable({ cause: new Error(`The new key of ${owner} was not found.`) });

    const faults = new Map<string, Error>();
    const opened = new Map<string, OpenedKey>();
    const usable = stored.filter((key) => this.providers.all.has(key.provider));
    await Promise.all(
      usable.map(async (key) => {
        const id = idOf(key);
        const known = this.live(owner)?.keys.get(id);
        if (known && known.refreshAt > readAt) return;
        try {
          const isMade = made !== null && idOf(made.stored) === id;
          opened.set(id, this.openedNow(key, isMade ? made.key : await this.unwrapped(key)));
        } catch (error) {
          faults.set(id, error as Error);
        }
      }),
    );
    const missed = this.owned.get(owner)?.missed ?? new Set();
    const unknown = [...missed].filter((id) => !stored.some((key) => idOf(key) === id));
    for (const id of await this.table.ofOtherOwners(owner, unknown)) {
      const fault = new SealAltered(`A value of ${owner} is sealed by ${id}, which is a key of another owner.`);
      this.alarm(['wrapping-key', owner], fault);
      faults.set(id, fault);
    }
    if (made && !opened.has(idOf(made.stored))) made.key.fill(0);
    // Those in memory are replaced only now, so that none is missing while the provider is called.
    const previous = this.live(owner);
    const keys = new Map([...(previous?.keys ?? []), ...opened]);
    for (const [id, { key }] of previous?.keys ?? []) if (opened.has(id)) key.fill(0);
    const currentId = current ? idOf(current) : this.masterKeys.currentKeyId(owner);
    this.owned.set(owner, { currentId, keys, faults, readAt, missed, usedAt: performance.now() });
  }

  private openedNow(stored: StoredKey, key: Buffer): OpenedKey {
    const { refreshMs, totalMs } = this.lifetime;
    const openedAt = performance.now();
    const refreshAt = openedAt + totalMs - refreshMs * (1 - Math.random() / 2);
    const condition = { statement: holdOf(stored), unmet: () => this.notReady(stored.owner) };
    return { stored, key, openedAt, refreshAt, condition };
  }

  /**
   * Stores a key that is in memory and whose row is missing, as after a failover or a restored backup: values hang on it. Returns all rows.
   */
  private async withLost(owner: KeyOwner, stored: readonly StoredKey[]): Promise<readonly StoredKey[]> {
    const known = new Set(stored.map(idOf));
    const lost = [...(this.live(owner)?.keys.values() ?? [])].filter((key) => !known.has(idOf(key.stored)));
    for (const { stored: key } of lost) {
      this.alarm(['wrapping-key', owner], new SealKeyGone(`The row of ${idOf(key)} was missing, and is stored again.`));
      await this.table.restore(key);
    }
    return lost.length > 0 ? this.table.of(owner) : stored;
  }

  /** Wraps a new key, opens it to prove that the provider returns it, and only then stores it. Returns it opened. */
  private async create(
    owner: KeyOwner,
    provider: BoundedProvider,
    stored: readonly StoredKey[],
  ): Promise<{ readonly stored: StoredKey; readonly key: Buffer }> {
    if (stored.length === 0) await this.refuseLost(owner);
    const place = { owner, generation: (stored.at(-1)?.generation ?? 0) + 1 };
    const key = ownBuffer(randomBytes(KEY_BYTES));
    try {
      const wrapped = await available(provider.wrap(key, place));
      const made = { ...place, ...wrapped, provider: provider.name, checkValue: checkValueOf(key, place) };
      const opened = await this.unwrapped({ ...made, isRetired: false });
      await this.table.add(made);
      return { stored: { ...made, isRetired: false }, key: opened };
    } finally {
      key.fill(0);
    }
  }

  /** Another first key would hide that values hang on one that is gone. */
  private async refuseLost(owner: KeyOwner): Promise<void> {
    const own = new Set((await this.table.of('service')).map(idOf));
    const gone = (await this.values.of(owner)).filter((id) => !own.has(id));
    if (gone.length === 0) return;
    const fault = new SealKeyGone(`The row of ${gone.join(', ')} of ${owner} is missing, and values are sealed by it.`);
    this.alarm(['wrapping-key', owner], fault);
    throw fault;
  }

  private async unwrapped(stored: StoredKey): Promise<Buffer> {
    const { owner, checkValue } = stored;
    try {
      if (checkValue.length !== CHECK_BYTES) throw new SealBroken(`The check value of ${owner} was altered.`);
      const key = ownBuffer(await available(this.providers.all.get(stored.provider)!.unwrap(stored, stored)));
      if (key.length === KEY_BYTES && isEqual(checkValueOf(key, stored), checkValue)) return key;
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

/** The newest key of the provider that may seal. */
function currentOf(stored: readonly StoredKey[], { name }: Pick<BoundedProvider, 'name'>): StoredKey | undefined {
  return stored.findLast(({ provider, isRetired }) => provider === name && !isRetired);
}

function providerIn(keyId: string): string {
  return keyId.slice(0, keyId.indexOf(':'));
}

function derivedFrom(key: Buffer): (salt: Uint8Array) => Buffer {
  return (salt) => createHmac('sha256', key).update(DATA_KEY_LABEL).update('\0').update(salt).digest();
}

const CHECK_BYTES = 32;

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
