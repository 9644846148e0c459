import { Injectable } from '@nestjs/common';
import { Log } from '../../kernel/log.js';
import type { ProviderState } from './bounded-provider.js';
import { EscrowTable, type LastEscrow } from './escrow/escrow-table.js';
import { MASTER_KEYS, type ProviderName } from '../config/key-providers.js';
import { Keyring } from './keyring.js';
import { KeyProviders } from './providers/key-providers.js';
import { Rewrapping, type SealedValues, type Sealer } from './rewrapping.js';
import { WrappingKeyTable } from './wrapping-key-table.js';

const SCAN_LASTS_MS = 5_000;
const COUNT_LASTS_MS = 60_000;
/** A multiple of the count's duration. Each replica counts, and also repeats counts that fail. */
const PAUSE_PER_COUNT = 20;

interface ScannedKeys {
  readonly apps: Readonly<Record<string, number>>;
  readonly escrow: LastEscrow | null;
}

export interface KeysFound extends ScannedKeys {
  readonly holder: ProviderName | typeof MASTER_KEYS;
  readonly providers: readonly (ProviderState & { readonly name: ProviderName })[];
}

export interface ValueCount {
  readonly values: readonly SealedValues[];
  readonly at: Date | null;
  readonly failedAt: Date | null;
}

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

  async read(): Promise<KeysFound> {
    const { all, current } = this.providers;
    const providers = [...all.values()].map(({ name, state }) => ({ name, ...state }));
    if (!this.scan || performance.now() >= this.scanAt) this.scan = this.scanKeys();
    return { holder: current?.name ?? MASTER_KEYS, providers, ...(await this.scan) };
  }

  isCurrent({ holder, masterKey }: Sealer): boolean {
    const { current } = this.providers;
    return current ? holder === current.name : masterKey === this.keyring.currentId;
  }

  /** The last count of this process. The next one runs in the background after a pause, because it reads all values. */
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
