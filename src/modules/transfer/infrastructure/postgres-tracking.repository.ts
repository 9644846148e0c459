import { Injectable } from '@nestjs/common';
import type { ChainName } from '../../../kernel/chain/chain-name.js';
import type { ProofProgress } from '../../../kernel/chain/payment-status.js';
import type { AppId, TransferId } from '../../../kernel/ids.js';
import { Database } from '../../../postgres/database.js';
import { TrackingRepository } from '../domain/tracking.repository.js';
import type { Transfer } from '../domain/transfer.js';
import type { TimedTransfer } from '../domain/transfer.repository.js';
import { timed, TRANSFER, type TransferRow } from './transfer-rows.js';

// The longer a transfer has not changed, the rarer it is due: every second at first, every 30 seconds at last. The apps with the
// fewest transfers under way ($3 has the app of each) come first, then the longest due, so that a busy app delays no other one.
// Chosen without locks, and more than are claimed: another replica may just claim the first of them.
const CLAIM_DUE = `
  with candidates as (
    select d.app_id, d.id,
           row_number() over (partition by d.app_id order by d.next_check_at)
             + cardinality(array_positions($3::text[], d.app_id)) as place
      from known_apps a cross join lateral (
        select t.app_id, t.id, t.next_check_at from transfers t
         where t.app_id = a.app_id and t.chain = $1 and t.status = 'pending' and t.next_check_at <= now()
         order by t.next_check_at limit 4 * $2
      ) d
  ), due as (
    select t.app_id, t.id from candidates c join transfers t on t.app_id = c.app_id and t.id = c.id
     where t.status = 'pending' and t.next_check_at <= now()
     order by c.place, t.next_check_at limit $2 for update of t skip locked
  )
  update transfers set next_check_at =
      now() + make_interval(secs => greatest(1, least(30, extract(epoch from now() - transfers.updated_at) / 20)))
    from due
   where transfers.app_id = due.app_id and transfers.id = due.id
  returning transfers.app_id as "appId", transfers.id`;

const LOCK_OVERDUE = `
  select o.* from known_apps a cross join lateral (
    select ${TRANSFER}, now() from transfers t
     where t.app_id = a.app_id and t.status = 'unconfirmed' and t.expires_at <= now() and t.history = database_history()
       and t.created_at > pg_postmaster_start_time()
     order by t.expires_at limit $1 for update skip locked
  ) o order by o."expiresAt" limit $1`;

// The order is random: a queue that stays held must not keep other queues from being compared.
const OVERDUE_IN_DOUBT = `
  select o.* from known_apps a cross join lateral (
    select ${TRANSFER}, now() from transfers t
     where t.app_id = a.app_id and t.status = 'unconfirmed' and t.expires_at <= now()
       and (t.history is distinct from database_history() or t.created_at <= pg_postmaster_start_time())) o
   order by random() limit $1`;

// The transfer is due at once: each observation advances a long proof by a bounded part.
const STORE_PROGRESS = `
  update transfers set proof_progress = $3, next_check_at = least(next_check_at, now())
   where app_id = $1 and id = $2 and status = 'pending'`;

@Injectable()
export class PostgresTrackingRepository extends TrackingRepository {
  constructor(private readonly database: Database) {
    super();
  }

  claimDue(
    chain: ChainName,
    limit: number,
    underWay: readonly AppId[],
  ): Promise<{ readonly appId: AppId; readonly id: TransferId }[]> {
    return this.database.write(CLAIM_DUE, [chain, limit, underWay]);
  }

  async storeProgress({ appId, id }: Transfer, progress: ProofProgress | null): Promise<void> {
    await this.database.write(STORE_PROGRESS, [appId, id, progress]);
  }

  async overdueInDoubt(limit: number): Promise<TimedTransfer[]> {
    return (await this.database.list<TransferRow>(OVERDUE_IN_DOUBT, [limit])).map(timed);
  }

  async lockOverdue(limit: number): Promise<TimedTransfer[]> {
    return (await this.database.write<TransferRow>(LOCK_OVERDUE, [limit])).map(timed);
  }
}
