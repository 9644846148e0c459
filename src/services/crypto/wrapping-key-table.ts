import type { KeyOwner } from '../../kernel/app-keys.js';
import { Injectable } from '@nestjs/common';
import { Transactions } from '../../kernel/transactions.js';
import { Database } from '../../postgres/database.js';

/** A wrapping key as it is stored. */
export interface StoredKey {
  readonly owner: KeyOwner;
  readonly generation: number;
  readonly provider: string;
  readonly wrappedKey: Buffer;
  readonly checkValue: Buffer;
}

const COLUMNS = `app_id as owner, generation, provider, wrapped_key as "wrappedKey", check_value as "checkValue"`;

/** The wrapping keys of apps, each wrapped by a key provider. */
@Injectable()
export class WrappingKeyTable {
  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
  ) {}

  /** All generations of the owner, oldest first. */
  of(owner: KeyOwner): Promise<StoredKey[]> {
    return this.database.read<StoredKey>(`select ${COLUMNS} from wrapping_keys where app_id = $1 order by generation`, [
      owner,
    ]);
  }

  /** Up to `limit` keys of the provider, in the order of their owners and generations, after the given one. */
  after(provider: string, last: Pick<StoredKey, 'owner' | 'generation'> | null, limit: number): Promise<StoredKey[]> {
    return this.database.list<StoredKey>(
      `select ${COLUMNS} from wrapping_keys
        where provider = $1 and (app_id, generation) > ($2, $3::int) order by app_id, generation limit $4`,
      [provider, last?.owner ?? '', last?.generation ?? 0, limit],
    );
  }

  /** The numbers of apps by provider and generation. */
  async counts(): Promise<Readonly<Record<string, number>>> {
    const rows = await this.database.list<{ key: string; apps: number }>(
      `select provider || ':' || generation as key, count(*)::int as apps from wrapping_keys group by 1 order by 1`,
    );
    return Object.fromEntries(rows.map(({ key, apps }) => [key, apps]));
  }

  /** Replaces the wrapped form of a key, unless another process was first. */
  async replace({ owner, generation, wrappedKey }: StoredKey, wrapped: Buffer): Promise<void> {
    await this.database.write(
      `update wrapping_keys set wrapped_key = $3 where app_id = $1 and generation = $2 and wrapped_key = $4`,
      [owner, generation, wrapped, wrappedKey],
    );
  }

  /** Removes the keys of a provider that seals nothing. */
  async remove(provider: string): Promise<void> {
    await this.database.write(`delete from wrapping_keys where provider = $1`, [provider]);
  }

  /** Stores a key, unless another process was first. It is on disk when this resolves: values sealed under a lost key would be lost. */
  async add({ owner, generation, provider, wrappedKey, checkValue }: StoredKey): Promise<void> {
    await this.transactions.run(
      () =>
        this.database.write(
          `insert into wrapping_keys (app_id, generation, provider, wrapped_key, check_value) values ($1, $2, $3, $4, $5)
           on conflict (app_id, generation) do nothing`,
          [owner, generation, provider, wrappedKey, checkValue],
        ),
      { signs: true },
    );
  }
}
