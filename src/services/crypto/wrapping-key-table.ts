import type { KeyOwner } from '../../kernel/app-keys.js';
import { Injectable } from '@nestjs/common';
import { Transactions } from '../../kernel/transactions.js';
import { setTimeout as pause } from 'node:timers/promises';
import { Database } from '../../postgres/database.js';
import { named, type Statement, statement } from '../../postgres/statement.js';
import type { KeyPlace, Wrapped } from './key-provider.js';
import { PROVIDERS } from '../config/key-providers.js';

export interface NewKey extends KeyPlace, Wrapped {
  readonly provider: string;
  readonly checkValue: Buffer;
}

export interface StoredKey extends NewKey {
  readonly isRetired: boolean;
}

const PAUSE_MS = 100;
export const PAGE = 100;

export const COLUMNS = `app_id as owner, generation, provider, wrapped_key as "wrappedKey", key_ref as "keyRef",
  check_value as "checkValue", retired_at is not null as "isRetired"`;

const ADD = named(`
  insert into wrapping_keys (app_id, generation, provider, wrapped_key, key_ref, check_value)
  values ($owner, $generation, $provider, $wrappedKey, $keyRef, $checkValue) on conflict do nothing`);

export const RESTORE = named<NewKey & { readonly createdAt: Date | null }>(`
  insert into wrapping_keys (app_id, generation, provider, wrapped_key, key_ref, check_value, created_at, restored_at)
  values ($owner, $generation, $provider, $wrappedKey, $keyRef, $checkValue, coalesce($createdAt::timestamptz, now()), now())
  on conflict do nothing`);

const REPLACE = named<KeyPlace & Wrapped & { readonly checkValue: Buffer; readonly former: Uint8Array }>(`
  update wrapping_keys set wrapped_key = $wrappedKey, key_ref = $keyRef
   where app_id = $owner and generation = $generation and check_value = $checkValue and wrapped_key = $former`);

/** Does nothing if another process was first. */
export async function replaceKey(database: Database, key: StoredKey, wrapped: Wrapped): Promise<void> {
  await database.write(...REPLACE({ ...key, ...wrapped, former: key.wrappedKey }));
}

/** Two keys of the same generation must not have the same id. */
const CHECK_BYTES_IN_ID = 6;

export function idOf({
  provider,
  generation,
  checkValue,
}: Pick<NewKey, 'provider' | 'generation' | 'checkValue'>): string {
  return `${provider}:${generation}.${checkValue.toString('hex', 0, CHECK_BYTES_IN_ID)}`;
}

export const KEY_ID = new RegExp(`^(?:${PROVIDERS.join('|')}):[1-9]\\d*\\.[0-9a-f]{${2 * CHECK_BYTES_IN_ID}}$`);

/** A lock would be shared by each transaction of the app. Rows are never deleted, and `outlastTransactions` follows a retirement. */
const HOLD = `
  select 1 / count(*) as held from wrapping_keys
   where app_id = $1 and generation = $2 and check_value = $3 and provider = $4 and retired_at is null`;

/** Fails with a division by zero unless the key is stored and not retired. */
export function holdOf({ owner, generation, checkValue, provider }: NewKey): Statement {
  return statement(HOLD, [owner, generation, checkValue, provider]);
}

/** Rows are never deleted, because values may depend on them, in a backup too. */
@Injectable()
export class WrappingKeyTable {
  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
  ) {}

  of(owner: KeyOwner): Promise<StoredKey[]> {
    return this.database.read<StoredKey>(
      `select ${COLUMNS} from wrapping_keys where app_id = $1 order by generation, check_value`,
      [owner],
    );
  }

  async isOfAnother(owner: KeyOwner, id: string): Promise<boolean> {
    const rows = await this.database.list(
      `select from wrapping_keys where app_id <> $1
          and provider || ':' || generation || '.' || encode(substring(check_value for ${CHECK_BYTES_IN_ID}), 'hex') = $2 limit 1`,
      [owner, id],
    );
    return rows.length > 0;
  }

  /** A retired newest key of the owner or of the service: the provider must make no key for the owner. */
  async isRetired(owner: KeyOwner, provider: string): Promise<boolean> {
    const rows = await this.database.read(
      `select from (
         select distinct on (app_id) retired_at from wrapping_keys where app_id in ($1, 'service') and provider = $2
          order by app_id, generation desc, check_value desc) as newest
        where retired_at is not null`,
      [owner, provider],
    );
    return rows.length > 0;
  }

  async *pagesOf(provider: string): AsyncGenerator<readonly StoredKey[]> {
    for (let last: StoredKey | null = null; ;) {
      const keys: StoredKey[] = await this.database.list<StoredKey>(
        `select ${COLUMNS} from wrapping_keys
          where provider = $1 and (app_id, generation, check_value) > ($2, $3::int, $4)
          order by app_id, generation, check_value limit $5`,
        [provider, last?.owner ?? '', last?.generation ?? 0, last?.checkValue ?? Buffer.alloc(0), PAGE],
      );
      yield keys;
      if (keys.length < PAGE) return;
      last = keys.at(-1)!;
    }
  }

  async counts(): Promise<Readonly<Record<string, number>>> {
    const rows = await this.database.list<{ key: string; apps: number }>(
      `select provider || ':' || generation as key, count(distinct app_id)::int as apps from wrapping_keys
        where retired_at is null group by 1 order by 1`,
    );
    return Object.fromEntries(rows.map(({ key, apps }) => [key, apps]));
  }

  replace(key: StoredKey, wrapped: Wrapped): Promise<void> {
    return replaceKey(this.database, key, wrapped);
  }

  /** Returns how many keys it retired. Transactions that run meanwhile may still seal by them. */
  async retire(provider: string): Promise<number> {
    const rows = await this.database.write(
      `update wrapping_keys set retired_at = now() where provider = $1 and retired_at is null returning 1`,
      [provider],
    );
    return rows.length;
  }

  async outlastTransactions(): Promise<void> {
    const running = await this.database.list<{ id: string }>(
      `select virtualxid as id from pg_locks join pg_stat_activity using (pid)
        where locktype = 'virtualxid' and datname = current_database() and pid <> pg_backend_pid()`,
    );
    const ids = running.map(({ id }) => id);
    const isOver = async (): Promise<boolean> => {
      const left = await this.database.list(
        `select from pg_locks where locktype = 'virtualxid' and virtualxid = any($1)`,
        [ids],
      );
      return left.length === 0;
    };
    while (!(await isOver())) await pause(PAUSE_MS);
  }

  async recall(provider: string): Promise<void> {
    await this.database.write(
      `update wrapping_keys set retired_at = null where provider = $1 and retired_at is not null`,
      [provider],
    );
  }

  /** On disk when it resolves: values under a lost key would be lost. False if the provider is retired or the generation exists. */
  add(key: NewKey): Promise<boolean> {
    return this.transactions.run(
      async () => {
        if (await this.isRetired(key.owner, key.provider)) return false;
        await this.database.write(...ADD(key));
        return true;
      },
      { signs: true },
    );
  }

  async restore(key: NewKey): Promise<void> {
    await this.transactions.run(() => this.database.write(...RESTORE({ ...key, createdAt: null })), { signs: true });
  }
}
