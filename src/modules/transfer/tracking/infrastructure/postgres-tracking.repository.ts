import { Injectable } from '@nestjs/common';
import type { ChainName } from '../../../../kernel/chain/chain-name.js';
import type { ProofProgress } from '../../../../kernel/chain/payment.js';
import { grouped } from '../../../../kernel/collections.js';
import type { AppId, TransferId } from '../../../../kernel/ids.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { Database } from '../../../../postgres/database.js';
import type { SenderQueueId } from '../../transfer/domain/sender-queue.js';
import { type DoubtedQueue, type DueTransfer, TrackingRepository } from '../domain/tracking.repository.js';
import type { Transfer } from '../../transfer/domain/transfer.js';
import type { TimedTransfer } from '../../transfer/domain/transfer.repository.js';
import { SERVER_STARTED, timed, TIMED_TRANSFER, type TimedRow } from '../../transfer/infrastructure/transfer-rows.js';

// $3 has the app of each transfer under way, so that a busy app delays no other one. Locks nothing, and returns more than are claimed:
// another replica may just claim the first of them.
const DUE = `
  select app_id as "appId", id
    from (select app_id, id, next_check_at, row_number() over (partition by app_id order by next_check_at) as place
            from transfers where chain = $1 and status = 'pending' and next_check_at <= now()) due
   where place <= 4 * $2
   order by place + cardinality(array_positions($3::text[], app_id)), next_check_at limit 4 * $2`;

// A transfer is due every second at first, and every 30 seconds at last.
const CLAIM = `
  with due as materialized (
    select id, now() + make_interval(secs => greatest(1, least(30, extract(epoch from now() - updated_at) / 20))) as next_check_at
      from transfers
     where app_id = $1 and id = any($2::text[]) and status = 'pending' and next_check_at <= now() for update skip locked
  )
  update transfers t set next_check_at = due.next_check_at from due where t.app_id = $1 and t.id = due.id
  returning t.app_id as "appId", t.id`;

const PENDING_ELSEWHERE = `
  select t.chain as network, count(*)::int as transfers from known_apps a join transfers t on t.app_id = a.app_id
   where t.status = 'pending' and t.chain <> all($1::text[]) group by t.chain`;

// A process that has the network claims a transfer within seconds after it is due.
const UNSERVED = `
  select t.app_id as "appId", t.id from known_apps a join transfers t on t.app_id = a.app_id
   where t.status = 'pending' and t.chain <> all($1::text[]) and t.stuck_reason is distinct from 'network_not_configured'
     and t.next_check_at < now() - interval '30 seconds'
   order by t.next_check_at limit $2`;

const IS_OVERDUE = `t.status = 'unconfirmed' and t.expires_at <= now()`;

const IS_OF_THIS_START = `t.history = database_history() and t.created_at > ${SERVER_STARTED}`;

const OVERDUE = `
  select t.app_id as "appId", t.id from transfers t
   where ${IS_OVERDUE} and ${IS_OF_THIS_START}
   order by t.expires_at limit $1`;
const CLAIM_OVERDUE = `
  select ${TIMED_TRANSFER} from transfers t
   where t.app_id = $1 and t.id = any($2::text[]) and ${IS_OVERDUE} and ${IS_OF_THIS_START} order by t.expires_at for update skip locked`;

const IS_DOUBTED = `${IS_OVERDUE} and (t.history is distinct from database_history() or t.created_at <= ${SERVER_STARTED})`;

// The order is random: a queue that stays held must not keep other queues from being compared.
const QUEUES_IN_DOUBT = `
  select q.* from (
    select t.app_id as "appId", t.network, t.source_address as address, t.chain from transfers t
     where ${IS_DOUBTED} group by t.app_id, t.network, t.source_address, t.chain) q
   order by random() limit $1`;
const OVERDUE_IN_DOUBT = `
  select ${TIMED_TRANSFER} from transfers t
   where t.app_id = $1 and t.network = $2 and t.source_address = $3 and ${IS_DOUBTED} order by t.expires_at limit $4`;

// The transfer is due at once: each observation advances a long proof by a bounded part.
const STORE_PROGRESS = `
  update transfers set proof_progress = $3, next_check_at = least(next_check_at, now())
   where app_id = $1 and id = $2 and status = 'pending'`;

const MAKE_DUE = `
  update transfers set next_check_at = least(next_check_at, now()) where app_id = $1 and id = $2 and status = 'pending'`;

@Injectable()
export class PostgresTrackingRepository extends TrackingRepository {
  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
  ) {
    super();
  }

  async claimDue(chain: ChainName, limit: number, underWay: readonly AppId[]): Promise<DueTransfer[]> {
    const due = await this.database.list<DueTransfer>(DUE, [chain, limit, underWay]);
    const claimed: DueTransfer[] = [];
    while (due.length > 0 && claimed.length < limit) {
      const next = due.splice(0, limit - claimed.length);
      const claims = await this.transactions.run(() =>
        Promise.all(idsByApp(next).map((app) => this.database.write<DueTransfer>(CLAIM, app))),
      );
      claimed.push(...claims.flat());
    }
    return claimed;
  }

  pendingElsewhere(networks: readonly ChainName[]): Promise<{ network: ChainName; transfers: number }[]> {
    return this.database.list(PENDING_ELSEWHERE, [networks]);
  }

  unserved(networks: readonly ChainName[], limit: number): Promise<DueTransfer[]> {
    return this.database.list(UNSERVED, [networks, limit]);
  }

  async storeProgress({ appId, id }: Transfer, progress: ProofProgress | null): Promise<void> {
    await this.database.write(STORE_PROGRESS, [appId, id, progress]);
  }

  async makeDue({ appId, id }: Transfer): Promise<void> {
    await this.database.write(MAKE_DUE, [appId, id]);
  }

  queuesInDoubt(limit: number): Promise<DoubtedQueue[]> {
    return this.database.list(QUEUES_IN_DOUBT, [limit]);
  }

  async overdueInDoubt({ appId, network, address }: SenderQueueId, limit: number): Promise<TimedTransfer[]> {
    return (await this.database.list<TimedRow>(OVERDUE_IN_DOUBT, [appId, network, address, limit])).map(timed);
  }

  async claimOverdue(limit: number): Promise<TimedTransfer[]> {
    const overdue = await this.database.list<DueTransfer>(OVERDUE, [limit]);
    const locks = idsByApp(overdue).map((app) => this.database.write<TimedRow>(CLAIM_OVERDUE, app));
    return (await Promise.all(locks)).flat().map(timed);
  }
}

function idsByApp(due: readonly DueTransfer[]): [AppId, TransferId[]][] {
  return [...grouped(due, ({ appId }) => appId)].map(([appId, ofApp]) => [appId, ofApp.map(({ id }) => id)]);
}
