import { Injectable } from '@nestjs/common';
import type { AppId, TransferId } from '../../../kernel/ids.js';
import { type Page, pageFrom } from '../../../kernel/paging.js';
import { Database } from '../../../postgres/database.js';
import { type ManagedTransfer, ManagedTransfers, type ManagedTransferQuery } from '../domain/managed-transfers.js';
import { TransferNotFound } from '../domain/transfer.errors.js';
import { ATTEMPT_VIEWS, viewOf, type ViewRow } from './postgres-transfer.repository.js';
import { TRANSFER } from './transfer-rows.js';

type Condition = (value: string) => string;
type Row = ViewRow & { readonly nextCheckAt: Date | null };

/** A text for each set of conditions, each on the leading columns of an index that ends with the id. */
const select = (conditions: readonly Condition[], { stuck }: Pick<ManagedTransferQuery, 'stuck'> = {}): string => `
  select ${TRANSFER}, case when t.status = 'pending' then t.next_check_at end as "nextCheckAt", ${ATTEMPT_VIEWS}
    from transfers t
   where t.app_id = $1 ${stuck ? 'and t.stuck_since is not null' : ''} ${conditions.map((condition, i) => `and ${condition(`$${i + 3}`)}`).join(' ')}
   order by t.id desc limit $2`;

const HAS_ID: Condition = (id) => `t.id = ${id}`;

const CONDITIONS = {
  userId: (id) => `t.user_id = ${id}`,
  source: (id) => `t.source = ${id}`,
  status: (status) => `t.status = ${status}`,
  // The index of attempts has the network before the hash, and an app uses few networks.
  hash: (hash) => `t.id in (select a.transfer_id from transfer_attempts a where a.app_id = $1 and a.hash = ${hash})`,
  startingAfter: (id) => `t.id < ${id}`,
} as const satisfies Readonly<Record<string, Condition>>;

@Injectable()
export class PostgresManagedTransfers extends ManagedTransfers {
  constructor(private readonly database: Database) {
    super();
  }

  async get(appId: AppId, id: TransferId): Promise<ManagedTransfer> {
    const [row] = await this.database.read<Row>(select([HAS_ID]), [appId, 1, id]);
    if (!row) throw new TransferNotFound();
    return managed(row);
  }

  async list(appId: AppId, { limit, stuck, ...filters }: ManagedTransferQuery): Promise<Page<ManagedTransfer>> {
    const names = (Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[]).filter(
      (name) => filters[name] !== undefined,
    );
    const conditions = names.map((name) => CONDITIONS[name]);
    const values = names.map((name) => filters[name]);
    const rows = await this.database.list<Row>(select(conditions, { stuck }), [appId, limit + 1, ...values]);
    return pageFrom(rows.map(managed), limit);
  }
}

function managed({ nextCheckAt, ...row }: Row): ManagedTransfer {
  return { ...viewOf(row), nextCheckAt };
}
