import { Injectable } from '@nestjs/common';
import { SealBroken } from '../../kernel/vault.js';
import type { BoundedProvider } from './bounded-provider.js';
import { isEqual } from './key-check.js';
import { KeyRefused } from './key-provider.js';
import { checkValueOf } from './provider-key-wrapper.js';
import { KeyProviders } from './providers/key-providers.js';
import { type Rewrapped, Rewrapping } from './rewrapping.js';
import { idOf, type StoredKey, WrappingKeyTable } from './wrapping-key-table.js';

const MOST_NAMED = 100;

export interface RewrappedKeys {
  rewrapped: number;
  broken: number;
  refused: number;
  readonly named: string[];
}

/** All operations run beside the service, and can be repeated after an interruption. */
@Injectable()
export class MoveKeys {
  constructor(
    private readonly providers: KeyProviders,
    private readonly table: WrappingKeyTable,
    private readonly rewrapping: Rewrapping,
  ) {}

  /** A provider that was retired before seals again. */
  async move(progress: (table: string, done: Rewrapped) => void): Promise<Rewrapped> {
    const { current } = this.providers;
    if (current) await this.table.recall(current.name);
    return this.rewrapping.rewrapAll(progress);
  }

  /** Returns unused holders. Keys retire before the count, so that none is added meanwhile, and seal again if values are found. */
  async retire(): Promise<string[]> {
    const unused: string[] = [];
    const names = new Set(Object.keys(await this.table.counts()).map((key) => key.split(':')[0]!));
    for (const name of names) {
      if (name === this.providers.current?.name || (await this.sealsValues(name))) continue;
      // A replica with the former settings may store a new key until the keys of the app and of the service are retired.
      while ((await this.table.retire(name)) > 0) await this.table.outlastTransactions();
      if (await this.sealsValues(name)) await this.table.recall(name);
      else unused.push(name);
    }
    return [...(await this.rewrapping.retireUnused()), ...unused];
  }

  private async sealsValues(provider: string): Promise<boolean> {
    return (await this.rewrapping.sealedBy()).some(({ holder }) => holder === provider);
  }

  /** Each key is opened and compared before it is stored. */
  async rewrap(progress: (done: number) => void): Promise<RewrappedKeys> {
    const done: RewrappedKeys = { rewrapped: 0, broken: 0, refused: 0, named: [] };
    for (const provider of this.providers.all.values())
      for await (const keys of this.table.pagesOf(provider.name)) {
        for (const key of keys) {
          const outcome = await this.rewrapOne(provider, key);
          done[outcome]++;
          if (outcome !== 'rewrapped' && done.named.length < MOST_NAMED) done.named.push(`${key.owner}/${idOf(key)}`);
        }
        progress(done.rewrapped);
      }
    return done;
  }

  private async rewrapOne(provider: BoundedProvider, stored: StoredKey): Promise<'rewrapped' | 'broken' | 'refused'> {
    try {
      const wrapped = await provider.rewrap(stored, stored);
      const key = await provider.unwrap(wrapped, stored);
      const isSame = isEqual(checkValueOf(key, stored), stored.checkValue);
      key.fill(0);
      if (isSame) await this.table.replace(stored, wrapped);
      return isSame ? 'rewrapped' : 'broken';
    } catch (error) {
      if (error instanceof SealBroken) return 'broken';
      // The refusal may concern this key alone, for example because its version is disabled.
      if (error instanceof KeyRefused) return 'refused';
      throw error;
    }
  }
}
