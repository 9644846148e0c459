import type { KeyOwner } from '../../kernel/app-keys.js';
import { Injectable } from '@nestjs/common';
import { Transactions } from '../../kernel/transactions.js';
import { Database } from '../../postgres/database.js';
import { named, type Statement, statement } from '../../postgres/statement.js';
import type { KeyPlace, Wrapped } from './key-provider.js';

/** A new wrapping key, as it is stored. */
export interface NewKey extends KeyPlace, Wrapped {
  readonly provider: string;
  readonly checkValue: Buffer;
}

export interface StoredKey extends NewKey {
  /** It opens values, and seals none. */
  readonly isRetired: boolean;
}

const COLUMNS = `app_id as owner, generation, provider, wrapped_key as "wrappedKey", key_ref as "keyRef",
  check_value as "checkValue", retired_at is not null as "isRetired"`;

const ADD = named(`
  insert into wrapping_keys (app_id, generation, provider, wrapped_key, key_ref, check_value)
  values ($owner, $generation, $provider, $wrappedKey, $keyRef, $checkValue) on conflict do nothing`);

const RESTORE = named(`
  insert into wrapping_keys (app_id, generation, provider, wrapped_key, key_ref, check_value, restored_at)
  values ($owner, $generation, $provider, $wrappedKey, $keyRef, $checkValue, now()) on conflict do nothing`);

/** The part of the check value in a key's id: two keys of the same generation must not be taken for each other. */
const CHECK_BYTES_IN_ID = 6;

/** The id of a key in seals. */
export function idOf({ provider, generation, checkValue }: NewKey): string {
  return `${provider}:${generation}.${checkValue.toString('hex', 0, CHECK_BYTES_IN_ID)}`;
}

/** The lock is one that a change of `retired_at` waits for, because that locks the row for update first. */
const HOLD = `
  select 1 / count(*) as held from (
    select from wrapping_keys
     where app_id = $1 and generation = $2 and check_value = $3 and provider = $4 and retired_at is null for key share) as key`;

/** Fails with a division by zero unless the key is stored and not retired. It stays so until the transaction ends. */
export function holdOf({ owner, generation, checkValue, provider }: NewKey): Statement {
  return statement(HOLD, [owner, generation, checkValue, provider]);
}

/** The wrapping keys of apps, each wrapped by a key provider. Rows are never deleted, because values may hang on them, in a backup too. */
@Injectable()
export class WrappingKeyTable {
  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
  ) {}

  /** All keys of the owner, oldest first. */
  of(owner: KeyOwner): Promise<StoredKey[]> {
    return this.database.read<StoredKey>(
      `select ${COLUMNS} from wrapping_keys where app_id = $1 order by generation, check_value`,
      [owner],
    );
  }

  /** The ids that are those of keys of other owners. */
  async ofOtherOwners(owner: KeyOwner, ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const rows = await this.database.list<{ id: string }>(
      `select distinct id from wrapping_keys,
         lateral (select provider || ':' || generation || '.' || encode(substring(check_value for ${CHECK_BYTES_IN_ID}), 'hex') as id) as named
        where app_id <> $1 and id = any($2::text[])`,
      [owner, ids],
    );
    return rows.map(({ id }) => id);
  }

  /** Up to `limit` keys of the provider, in the order of their owners, generations and check values, after the given one. */
  after(provider: string, last: StoredKey | null, limit: number): Promise<StoredKey[]> {
    return this.database.list<StoredKey>(
      `select ${COLUMNS} from wrapping_keys
        where provider = $1 and (app_id, generation, check_value) > ($2, $3::int, $4)
        order by app_id, generation, check_value limit $5`,
      [provider, last?.owner ?? '', last?.generation ?? 0, last?.checkValue ?? Buffer.alloc(0), limit],
    );
  }

  /** The numbers of apps by provider and generation, without retired keys. */
  async counts(): Promise<Readonly<Record<string, number>>> {
    const rows = await this.database.list<{ key: string; apps: number }>(
      `select provider || ':' || generation as key, count(distinct app_id)::int as apps from wrapping_keys
        where retired_at is null group by 1 order by 1`,
    );
    return Object.fromEntries(rows.map(({ key, apps }) => [key, apps]));
  }

  /** Replaces the wrapped form of a key, unless another process was first. */
  async replace({ owner, generation, checkValue, wrappedKey }: StoredKey, wrapped: Wrapped): Promise<void> {
    await this.database.write(
      `update wrapping_keys set wrapped_key = $4, key_ref = $5
        where app_id = $1 and generation = $2 and check_value = $3 and wrapped_key = $6`,
      [owner, generation, checkValue, wrapped.wrappedKey, wrapped.keyRef, wrappedKey],
    );
  }

  /** Lets a key seal nothing more. Resolves when each transaction that seals by it has ended. */
  async retire({ owner, generation, checkValue }: StoredKey): Promise<void> {
    await this.database.write(
      `with held as (
         select from wrapping_keys where app_id = $1 and generation = $2 and check_value = $3 for update
       )
       update wrapping_keys set retired_at = now()
        where app_id = $1 and generation = $2 and check_value = $3 and exists (select from held)`,
      [owner, generation, checkValue],
    );
  }

  /** Lets a key seal again. */
  async recall({ owner, generation, checkValue }: StoredKey): Promise<void> {
    await this.database.write(
      `update wrapping_keys set retired_at = null where app_id = $1 and generation = $2 and check_value = $3`,
      [owner, generation, checkValue],
    );
  }

  /**
   * Stores a key, unless another process has stored one of the same generation. It is on disk when this resolves: values sealed under a
   * lost key would be lost.
   */
  add(key: NewKey): Promise<void> {
    return this.store(ADD(key));
  }

  /** Stores a key again whose row is missing, beside any other of its generation. */
  restore(key: NewKey): Promise<void> {
    return this.store(RESTORE(key));
  }

  private async store(insert: ReturnType<typeof ADD>): Promise<void> {
    await this.transactions.run(() => this.database.write(...insert), { signs: true });
  }
}
