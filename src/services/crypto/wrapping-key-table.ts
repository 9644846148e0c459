import type { KeyOwner } from '../../kernel/app-keys.js';
import type { Transactions } from '../../kernel/transactions.js';
import type { Database } from '../../postgres/database.js';

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
