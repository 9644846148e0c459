import { Injectable } from '@nestjs/common';
import { Log } from '../../kernel/log.js';
import type { ProviderState } from './bounded-provider.js';
import { EscrowTable, type LastEscrow } from './escrow/escrow-table.js';
import { type ProviderName, PROVIDERS } from './key-provider.js';
import { Keyring } from './keyring.js';
import { KeyProviders } from './providers/key-providers.js';
import { Rewrapping } from './rewrapping.js';
import { WrappingKeyTable } from './wrapping-key-table.js';

/** The name that stands for the master keys where a provider is named. */
export const MASTER_KEYS = 'master-keys';
export const KEY_HOLDERS = [MASTER_KEYS, ...PROVIDERS] as const;

/** How long a count of the values is taken as current. */
const COUNT_LASTS_MS = 60_000;

export interface KeysFound {
  /** The holder of the keys that seal new values. */
  readonly holder: ProviderName | typeof MASTER_KEYS;
  /** The providers whose settings are present. */
  readonly providers: readonly (ProviderState & { readonly name: ProviderName })[];
  /** The numbers of apps by provider and generation, without retired keys. */
  readonly apps: Readonly<Record<string, number>>;
  /** The last escrow of the keys of the holder; null if there is none. */
  readonly escrow: LastEscrow | null;
}

export interface CountedValues {
  /** The numbers of values by master key or provider. */
  readonly values: Readonly<Record<string, number>>;
  readonly at: Date;
}

/** Where the keys are, and whether they can be used: the facts that the command `keys status` and the management API show. */
@Injectable()
export class KeyStatus {
  private counted: CountedValues | null = null;
  private countAt = 0;

  constructor(
    private readonly providers: KeyProviders,
    private readonly table: WrappingKeyTable,
    private readonly escrows: EscrowTable,
    private readonly rewrapping: Rewrapping,
    private readonly keyring: Keyring,
    private readonly log: Log,
  ) {}

  /** The facts of two statements and of the states of the providers in memory. */
  async read(): Promise<KeysFound> {
    const { all, current } = this.providers;
    const providers = [...all.values()].map(({ name, state }) => ({ name, ...state }));
    const apps = await this.table.counts();
    const escrow = current ? await this.escrows.last(current.name) : null;
    return { holder: current?.name ?? MASTER_KEYS, providers, apps, escrow };
  }

  /** Whether new values are sealed by the master key or provider of this name. */
  seals(name: string): boolean {
    return name === (this.providers.current?.name ?? this.keyring.currentId);
  }

  /** The numbers of values by master key or provider. It reads all of them. */
  values(): Promise<Readonly<Record<string, number>>> {
    return this.rewrapping.sealedBy();
  }

  /** The values as this process counted them last; null before the first count. One that is older than a minute is repeated in the background. */
  get lastValues(): CountedValues | null {
    if (performance.now() >= this.countAt) void this.count();
    return this.counted;
  }

  private async count(): Promise<void> {
    this.countAt = Infinity;
    try {
      this.counted = { values: await this.values(), at: new Date() };
    } catch (error) {
      this.log.warn({ err: error }, 'the sealed values could not be counted');
    } finally {
      this.countAt = performance.now() + COUNT_LASTS_MS;
    }
  }
}
