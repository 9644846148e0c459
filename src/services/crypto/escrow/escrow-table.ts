import { Injectable } from '@nestjs/common';
import { Database } from '../../../postgres/database.js';
import { named } from '../../../postgres/statement.js';
import type { KeyPlace, Wrapped } from '../key-provider.js';
import { COLUMNS, type NewKey, PAGE, replaceKey, RESTORE, type StoredKey } from '../wrapping-key-table.js';

const PAGE_OF = named(`
  select ${COLUMNS}, created_at as "createdAt"
    from wrapping_keys
   where (app_id, generation, check_value) > ($after, $afterGeneration::int, $afterCheck)
     and ($last::text is null or (app_id, generation, check_value) <= ($last, $lastGeneration::int, $lastCheck))
   order by app_id, generation, check_value limit $limit`);

export type Position = KeyPlace & Pick<NewKey, 'checkValue'>;

export interface PagedKey extends StoredKey {
  readonly createdAt: Date;
}

export interface LastEscrow {
  readonly createdAt: Date;
  readonly keys: number;
  readonly threshold: number;
  readonly recipients: number;
  /** Keys that were made, or restored from another source, since this escrow. */
  readonly newer: number;
}

@Injectable()
export class EscrowTable {
  constructor(private readonly database: Database) {}

  async now(): Promise<Date> {
    const [row] = await this.database.list<{ now: Date }>('select clock_timestamp() as now');
    return row!.now;
  }

  /** The range excludes `first` and includes `last`, in the order of the primary key. */
  async *pages(first: Position | null = null, last: Position | null = null): AsyncGenerator<readonly PagedKey[]> {
    for (let after = first; ;) {
      const page: PagedKey[] = await this.database.list<PagedKey>(
        ...PAGE_OF({
          after: after?.owner ?? '',
          afterGeneration: after?.generation ?? 0,
          afterCheck: after?.checkValue ?? Buffer.alloc(0),
          last: last?.owner ?? null,
          lastGeneration: last?.generation ?? null,
          lastCheck: last?.checkValue ?? null,
          limit: PAGE,
        }),
      );
      if (page.length > 0) yield page;
      if (page.length < PAGE) return;
      after = page.at(-1)!;
    }
  }

  replace(key: PagedKey, wrapped: Wrapped): Promise<void> {
    return replaceKey(this.database, key, wrapped);
  }

  /** The date of the escrow marks the row, by which `last` recognises it. */
  async restore(key: NewKey, createdAt: Date): Promise<void> {
    await this.database.write(...RESTORE({ ...key, createdAt }));
  }

  async record(escrow: Omit<LastEscrow, 'newer'>, provider: string, recipientsHash: Buffer): Promise<void> {
    const { createdAt, keys, threshold, recipients } = escrow;
    await this.database.write(
      `insert into key_escrows (provider, created_at, keys, threshold, recipients, recipients_hash)
       values ($1, $2, $3, $4, $5, $6)
       on conflict (provider) do update set created_at = excluded.created_at, keys = excluded.keys,
         threshold = excluded.threshold, recipients = excluded.recipients, recipients_hash = excluded.recipients_hash`,
      [provider, createdAt, keys, threshold, recipients, recipientsHash],
    );
  }

  async last(provider: string): Promise<LastEscrow | null> {
    const [escrow] = await this.database.list<Omit<LastEscrow, 'newer'>>(
      `select created_at as "createdAt", keys, threshold, recipients from key_escrows where provider = $1`,
      [provider],
    );
    if (!escrow) return null;
    // Citus refuses a subquery on the distributed keys for each row of the other table.
    const [row] = await this.database.list<{ newer: number }>(
      `select count(*)::int as newer from wrapping_keys
        where coalesce(restored_at, created_at) > $1 and created_at <> $1`,
      [escrow.createdAt],
    );
    return { ...escrow, newer: row!.newer };
  }
}
