import { Injectable } from '@nestjs/common';
import { Log } from '../../kernel/log.js';
import type { ProviderState } from './bounded-provider.js';
import { EscrowTable, type LastEscrow } from './escrow/escrow-table.js';
import { MASTER_KEYS, type ProviderName } from './key-provider.js';
import { Keyring } from './keyring.js';
import { KeyProviders } from './providers/key-providers.js';
import { Rewrapping, type SealedValues, type Sealer } from './rewrapping.js';
import { WrappingKeyTable } from './wrapping-key-table.js';

/** How long the result of a scan of the keys is kept. */
const SCAN_LASTS_MS = 5_000;
/** The shortest pause after a count of the values. */
const COUNT_LASTS_MS = 60_000;
/** The pause after a count as a multiple of its duration. Each replica counts, and also repeats counts that fail. */
const PAUSE_PER_COUNT = 20;

interface ScannedKeys {
  /** The numbers of apps by provider and generation, without retired keys. */
  readonly apps: Readonly<Record<string, number>>;
  /** The last escrow of the keys of the holder; null if there is none. */
  readonly escrow: LastEscrow | null;
}

export interface KeysFound extends ScannedKeys {
  /** The holder of the keys that seal new values. */
  readonly holder: ProviderName | typeof MASTER_KEYS;
  /** The providers whose settings are present. */
  readonly providers: readonly (ProviderState & { readonly name: ProviderName })[];
}

/** The count of the values in the background. */
export interface ValueCount {
  /** The values at the last count that was completed; empty before the first one. */
  readonly values: readonly SealedValues[];
  /** The end of that count; null before the first one. */
  readonly at: Date | null;
  /** The end of the last count if it failed; null otherwise. */
  readonly failedAt: Date | null;
}

/** Where the keys are, and whether they can be used: the facts that the command `keys status` and the management API show. */
@Injectable()
export class KeyStatus {
  private scan: Promise<ScannedKeys> | undefined;
  private scanAt = 0;
  private last: ValueCount = { values: [], at: null, failedAt: null };
  private countAt = 0;

  constructor(
    private readonly providers: KeyProviders,
    private readonly table: WrappingKeyTable,
    private readonly escrows: EscrowTable,
    private readonly rewrapping: Rewrapping,
    private readonly keyring: Keyring,
    private readonly log: Log,
  ) {}

  /** The states of the providers in memory, and the keys as this process found them at most 5 s ago. */
  async read(): Promise<KeysFound> {
    const { all, current } = this.providers;
    const providers = [...all.values()].map(({ name, state }) => ({ name, ...state }));
    if (!this.scan || performance.now() >= this.scanAt) this.scan = this.scanKeys();
    return { holder: current?.name ?? MASTER_KEYS, providers, ...(await this.scan) };
  }

  /** Whether new values are sealed by it. */
  isCurrent({ holder, masterKey }: Sealer): boolean {
    const { current } = this.providers;
    return current ? holder === current.name : masterKey === this.keyring.currentId;
  }

  /** The last count of the values by this process. Begins the next one in the background, because it reads all of them, and not before a pause. */
  countedValues(): ValueCount & { readonly isCounting: boolean } {
    if (performance.now() >= this.countAt) void this.count();
    return { ...this.last, isCounting: this.countAt === Infinity };
  }

  /** It reads the keys of all apps, so calls share it while it runs and for 5 s after it. */
  private async scanKeys(): Promise<ScannedKeys> {
    const { current } = this.providers;
    this.scanAt = Infinity;
    let keptMs = 0;
    try {
      const apps = await this.table.counts();
      const escrow = current ? await this.escrows.last(current.name) : null;
      keptMs = SCAN_LASTS_MS;
      return { apps, escrow };
    } finally {
      this.scanAt = performance.now() + keptMs;
    }
  }

  private async count(): Promise<void> {
    const began = performance.now();
    this.countAt = Infinity;
    try {
      this.last = { values: await this.rewrapping.sealedBy(), at: new Date(), failedAt: null };
    } catch (error) {
      this.last = { ...this.last, failedAt: new Date() };
      this.log.warn({ err: error }, 'the sealed values could not be counted');
    } finally {
      const ended = performance.now();
      this.countAt = ended + Math.max(COUNT_LASTS_MS, PAUSE_PER_COUNT * (ended - began));
    }
  }
}
