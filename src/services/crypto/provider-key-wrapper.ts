import type { OnApplicationShutdown } from '@nestjs/common';
import { createHmac, randomBytes } from 'node:crypto';
import { KeyNotReady, type KeyOwner } from '../../kernel/app-keys.js';
import { KeysUnavailable } from '../../kernel/errors.js';
import { SharedRuns } from '../../kernel/shared-runs.js';
import { SealAltered, SealBroken, SealKeyGone } from '../../kernel/vault.js';
import type { Condition } from '../../postgres/conditions.js';
import { currentContext, OpenTransaction, runIn } from '../../postgres/current-transaction.js';
import { type HttpMetrics, scrapedGauge, tableGauge } from '../observability/metrics.js';
import { secretBuffer } from './aes-gcm.js';
import type { BoundedProvider } from './bounded-provider.js';
import type { SealAlarm } from './envelope-vault.js';
import { isEqual } from './key-check.js';
import { type KeyPlace, ProviderFailed } from './key-provider.js';
import { DATA_KEY_LABEL, KeyWrapper, unwrapBy, wrapBy, type WrappedKey } from './keyring-key-wrapper.js';
import type { KeyProviders } from './providers/key-providers.js';
import type { SealingKeys } from './sealing-keys.js';
import { holdOf, idOf, KEY_ID, type StoredKey, type WrappingKeyTable } from './wrapping-key-table.js';

const KEY_BYTES = 32;
const CHECK_LABEL = 'wrapping key check value v1';

/** Longer times in memory survive longer outages of the provider; shorter ones end a revoked key sooner. */
const LIFETIME = {
  idleMs: 5 * 60_000,
  totalMs: 60 * 60_000,
  /** A key in use that ends within this time is opened anew in the background, so that it rarely ends in an outage. */
  refreshMs: 15 * 60_000,
  /** A key that ends within this time is opened anew before the work, so that it lasts for it. */
  marginMs: 30_000,
  /** The interval of the sweep, in which rows and the reasons why keys did not open also count as current. */
  sweepMs: 1_000,
};

interface OpenedKey {
  readonly stored: StoredKey;
  readonly key: Buffer;
  readonly openedAt: number;
  /** It varies, so that keys opened at the same time do not refresh at the same time. */
  readonly refreshAt: number;
  /** Bound to each value that the key seals: the key must be stored, or the value is lost with this process. */
  readonly condition: Condition;
}

type MadeKey = Pick<OpenedKey, 'stored' | 'key'>;

interface Owned {
  readonly currentId: string;
  readonly ids: readonly string[];
  readonly keys: ReadonlyMap<string, OpenedKey>;
  /** Ids may come from seals and have no key. A key that could only not be opened anew is in both maps. */
  readonly faults: Map<string, Error>;
  readonly readAt: number;
  usedAt: number;
}

/**
 * Wraps data keys by the wrapping key of their app, which the provider has wrapped. `ready` opens it; it stays in memory for some
 * minutes, in which wrapping takes no call to the provider. Its ids are `provider:generation.check`, which no master key can have.
 * Each key is opened by itself: values are sealed as soon as the current one is open. The keyring opens older values.
 */
export class ProviderKeyWrapper extends KeyWrapper implements OnApplicationShutdown {
  private readonly owned = new Map<KeyOwner, Owned>();
  private readonly loads = new SharedRuns();
  private readonly sweep: NodeJS.Timeout;

  constructor(
    private readonly providers: Pick<KeyProviders, 'all' | 'current'>,
    private readonly table: Pick<WrappingKeyTable, 'of' | 'isOfAnother' | 'isRetired' | 'add' | 'restore'>,
    private readonly values: Pick<SealingKeys, 'of'>,
    private readonly masterKeys: KeyWrapper,
    private readonly alarm: SealAlarm,
    private readonly lifetime: Readonly<typeof LIFETIME> = LIFETIME,
  ) {
    super();
    this.sweep = setInterval(() => this.forgetEnded(), lifetime.sweepMs).unref();
  }

  async ready(owner: KeyOwner, keyId?: string): Promise<void> {
    const known = this.live(owner);
    if (known && [known.currentId, keyId ?? known.currentId].every((id) => this.lasts(known, id))) {
      known.usedAt = performance.now();
      // It does not join a transaction, and the work does not wait for it.
      if (this.isStale(known)) void this.load(owner).catch(() => undefined);
      return;
    }
    // No network inside a transaction: it rolls back and runs again.
    if (currentContext() instanceof OpenTransaction) throw new KeyNotReady(owner, () => this.ready(owner, keyId));
    await this.openAll(owner, keyId);
    await this.requireOpen(owner);
    if (keyId !== undefined) await this.requireOpen(owner, keyId);
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
    if (!KEY_ID.test(keyId)) throw new SealAltered(`A value of ${owner} names ${keyId}, which is no id of a key.`);
    const known = this.live(owner);
    if (known) known.usedAt = performance.now();
    const opened = known?.keys.get(keyId);
    if (opened) return unwrapBy(derivedFrom(opened.key), bytes, boundTo);
    const fault = known?.faults.get(keyId);
    // A forged id must not cause a statement each time.
    const isForged = fault instanceof SealAltered && !known!.ids.includes(keyId);
    if (isForged && performance.now() - known!.readAt < this.lifetime.sweepMs) throw fault;
    if (!known || currentContext() instanceof OpenTransaction)
      throw new KeyNotReady(owner, () => this.load(owner, keyId));
    // It may have been stored since the keys were read.
    void this.load(owner, keyId).catch(() => undefined);
    throw fault ?? notInMemory(owner, keyId);
  }

  get cached(): { readonly owners: number; readonly oldestSeconds: number } {
    const now = performance.now();
    const ages = [...this.owned.values()].flatMap(({ keys }) => [...keys.values()].map((key) => now - key.openedAt));
    return { owners: this.owned.size, oldestSeconds: Math.max(0, ...ages) / 1_000 };
  }

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

  private lasts({ keys }: Owned, keyId: string): boolean {
    if (!keyId.includes(':')) return true;
    const key = keys.get(keyId);
    return key !== undefined && key.openedAt + this.lifetime.totalMs - performance.now() > this.lifetime.marginMs;
  }

  private isStale({ keys, faults, readAt }: Owned): boolean {
    const now = performance.now();
    if (now - readAt < this.lifetime.sweepMs) return false;
    const isUnavailable = [...faults].some(
      ([id, fault]) => fault instanceof KeysUnavailable && this.providers.all.has(providerIn(id)),
    );
    return isUnavailable || [...keys.values()].some(({ refreshAt }) => refreshAt <= now);
  }

  private forgetEnded(): void {
    for (const owner of this.owned.keys()) this.live(owner);
  }

  private forget(owner: KeyOwner): void {
    for (const { key } of this.owned.get(owner)?.keys.values() ?? []) key.fill(0);
    this.owned.delete(owner);
  }

  /** Resolves when the key is open, even if it could not be opened anew. Without an id: the key that seals. */
  private async load(owner: KeyOwner, keyId?: string): Promise<void> {
    await this.openAll(owner, keyId);
    await this.requireOpen(owner, keyId);
  }

  private async openAll(owner: KeyOwner, keyId?: string): Promise<void> {
    const since = performance.now();
    // The statements must not join a transaction that only waits for its COMMIT.
    const open = (): Promise<void> => runIn(undefined, () => this.open(owner));
    await this.loads.join(owner, open);
    const known = this.live(owner);
    const isUnknown = keyId?.includes(':') && known && !known.ids.includes(keyId);
    // The run may have read the rows before another process stored this key.
    if (isUnknown && known.readAt < since) await this.loads.follow(owner, open);
  }

  private async requireOpen(owner: KeyOwner, keyId?: string): Promise<void> {
    const known = this.live(owner);
    const id = keyId ?? known?.currentId;
    if (!known || !id?.includes(':') || known.keys.has(id)) return;
    const fault = known.faults.get(id);
    if (fault) throw fault;
    // A stored key without a fault was in memory when the rest was opened, and ended before that was open.
    throw known.ids.includes(id) ? notInMemory(owner, id) : await this.faultOfUnknown(owner, id, known);
  }

  /** A lost key leaves its number free, so an id with the number of another key was altered, like one of another owner. */
  private async faultOfUnknown(owner: KeyOwner, id: string, { ids, faults }: Owned): Promise<SealBroken> {
    const number = id.slice(0, id.indexOf('.') + 1);
    const isAltered =
      !KEY_ID.test(id) ||
      ids.some((each) => each.startsWith(number)) ||
      (await runIn(undefined, () => this.table.isOfAnother(owner, id)));
    const fault = isAltered
      ? new SealAltered(`A value of ${owner} is sealed by ${id}, which is no key of it.`)
      : new SealKeyGone(`A value of ${owner} is sealed by ${id}: this key is gone.`);
    this.alarm(['wrapping-key', owner], fault);
    faults.set(id, fault);
    return fault;
  }

  private async open(owner: KeyOwner): Promise<void> {
    const readAt = performance.now();
    const { current: provider } = this.providers;
    let stored = await this.withLost(owner, await this.table.of(owner));
    const faults = new Map<string, Error>();
    let made: MadeKey | undefined;
    if (provider && !currentOf(stored, provider))
      try {
        made = await this.create(owner, provider, stored);
        stored = await this.table.of(owner);
        if (!currentOf(stored, provider)) throw new Error(`The new key of ${owner} was not found.`);
      } catch (error) {
        // The values under the earlier keys still open.
        faults.set(noneOf(provider), error as Error);
      }
    const opened = new Map<string, OpenedKey>();
    await Promise.all(
      stored.map(async (key) => {
        const id = idOf(key);
        if (!this.providers.all.has(key.provider)) {
          faults.set(
            id,
            new KeysUnavailable({ cause: new Error(`The settings of the provider of ${id} are missing.`) }),
          );
          return;
        }
        const known = this.live(owner)?.keys.get(id);
        if (known && known.refreshAt > readAt) return;
        try {
          const created = made && idOf(made.stored) === id ? made.key : undefined;
          opened.set(id, this.openedNow(key, created ?? (await this.unwrapped(key))));
        } catch (error) {
          faults.set(id, error as Error);
        }
      }),
    );
    if (made && !opened.has(idOf(made.stored))) made.key.fill(0);
    // Keys in memory are replaced only now, so that none is missing while the provider is called.
    const previous = this.live(owner);
    const keys = new Map([...(previous?.keys ?? []), ...opened]);
    for (const [id, { key }] of previous?.keys ?? []) if (opened.has(id)) key.fill(0);
    const ids = stored.map(idOf);
    for (const [id, fault] of previous?.faults ?? []) if (KEY_ID.test(id) && !ids.includes(id)) faults.set(id, fault);
    const current = provider && currentOf(stored, provider);
    const currentId = current ? idOf(current) : provider ? noneOf(provider) : this.masterKeys.currentKeyId(owner);
    this.owned.set(owner, { currentId, ids, keys, faults, readAt, usedAt: performance.now() });
  }

  private openedNow(stored: StoredKey, key: Buffer): OpenedKey {
    const { refreshMs, totalMs } = this.lifetime;
    const openedAt = performance.now();
    const refreshAt = openedAt + totalMs - refreshMs * (1 - Math.random() / 2);
    const condition = { statement: holdOf(stored), unmet: () => this.notReady(stored.owner) };
    return { stored, key, openedAt, refreshAt, condition };
  }

  /** Stores again a key in memory whose row is missing, as after a failover or a restored backup: values depend on it. */
  private async withLost(owner: KeyOwner, stored: readonly StoredKey[]): Promise<readonly StoredKey[]> {
    const known = new Set(stored.map(idOf));
    const lost = [...(this.live(owner)?.keys.values() ?? [])].filter((key) => !known.has(idOf(key.stored)));
    for (const { stored: key } of lost) {
      this.alarm(['wrapping-key', owner], new SealKeyGone(`The row of ${idOf(key)} was missing, and is stored again.`));
      await this.table.restore(key);
    }
    return lost.length > 0 ? this.table.of(owner) : stored;
  }

  /** The new key is opened before it is stored, to prove that the provider returns it. */
  private async create(owner: KeyOwner, provider: BoundedProvider, stored: readonly StoredKey[]): Promise<MadeKey> {
    if (stored.length === 0) await this.refuseLost(owner);
    if (await this.table.isRetired(owner, provider.name)) throw this.retired(owner, provider);
    const place = { owner, generation: (stored.at(-1)?.generation ?? 0) + 1 };
    const key = ownBuffer(randomBytes(KEY_BYTES));
    try {
      const wrapped = await available(provider.wrap(key, place));
      const made = { ...place, ...wrapped, provider: provider.name, checkValue: checkValueOf(key, place) };
      const opened = await this.unwrapped({ ...made, isRetired: false });
      if (await this.table.add(made)) return { stored: { ...made, isRetired: false }, key: opened };
      opened.fill(0);
      throw this.retired(owner, provider);
    } finally {
      key.fill(0);
    }
  }

  /** A replica that still has the former settings must not seal by a provider whose keys are about to be deleted. */
  private retired(owner: KeyOwner, { name }: Pick<BoundedProvider, 'name'>): KeysUnavailable {
    const cause = new SealBroken(
      `The keys of ${name} are retired. Restart this process with the present settings, or move back by: keys move --to ${name}`,
    );
    this.alarm(['wrapping-key', owner], cause);
    return new KeysUnavailable({ cause });
  }

  /** Another first key would hide that values depend on a lost one. */
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

export function registerKeyMetrics(metrics: HttpMetrics, wrapper: ProviderKeyWrapper, table: WrappingKeyTable): void {
  tableGauge(
    metrics,
    { name: 'wrapping_keys', help: 'Wrapping keys of apps, by provider and generation.', label: 'key' },
    () => table.counts(),
  );
  scrapedGauge(
    metrics.registry,
    { name: 'wrapping_keys_in_memory', help: 'Apps whose wrapping keys this process has in memory.' },
    () => wrapper.cached.owners,
  );
  scrapedGauge(
    metrics.registry,
    {
      name: 'wrapping_keys_oldest_seconds',
      help: 'Time since the key provider opened the oldest wrapping key in memory.',
    },
    () => wrapper.cached.oldestSeconds,
  );
}

function currentOf(stored: readonly StoredKey[], { name }: Pick<BoundedProvider, 'name'>): StoredKey | undefined {
  const newest = stored.findLast(({ provider }) => provider === name);
  return newest?.isRetired ? undefined : newest;
}

/** No key has this id; it stands for the key that could not be made. */
function noneOf({ name }: Pick<BoundedProvider, 'name'>): string {
  return `${name}:none`;
}

function notInMemory(owner: KeyOwner, keyId: string): KeysUnavailable {
  return new KeysUnavailable({ cause: new Error(`${keyId} of ${owner} is not in memory.`) });
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

/** A pooled buffer shares its memory with other values. The given bytes are overwritten. */
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
