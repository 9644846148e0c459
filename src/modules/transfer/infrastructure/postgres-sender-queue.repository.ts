import { Injectable } from '@nestjs/common';
import type { TransferId } from '../../../kernel/ids.js';
import { Database } from '../../../postgres/database.js';
import { AppNotFound } from '../../apps/index.js';
import type { Attempt } from '../domain/attempt.js';
import type { SignedAttempt } from '../../../kernel/chain/payment.js';
import { type SenderQueue, LANE_CAPACITY, type SenderQueueId } from '../domain/sender-queue.js';
import { SenderQueueRepository } from '../domain/sender-queue.repository.js';
import type { Transfer } from '../domain/transfer.js';
import { ATTEMPT, attemptOf, type AttemptRow } from './attempt-rows.js';

// Makes the lane or locks it: an upsert that changes nothing still holds the row.
const LOCK = `
  insert into chain_lanes as l (app_id, network, address) values ($1, $2, $3)
  on conflict (app_id, network, address) do update set next_nonce = l.next_nonce`;

// An upper bound changes nothing but the planner's mind: of an open range it expects a third of all there is, and plans the
// statement anew each time, in the hope of something better and for longer than it then runs.
const NO_BLOCK = '9223372036854775807';

// A statement of its own, after the lock: what it sees is what the holder before has left. Balances of a block tell of all
// that is in it or in one before. What is in a later one, or was not seen in any, may still have to be taken from them: a
// node that lags behind tells of an earlier block. Counted twice is only what nobody has noted yet, and that refuses.
const STATE = `
  select (select deleted_at is null from apps where id = $1) as "hasApp",
         (select next_nonce from chain_lanes where app_id = $1 and network = $2 and address = $3) as "nextNonce",
         coalesce(sum(fee_cap + case when token is null then amount else 0 end) filter (where reserves), 0) as coin,
         coalesce(sum(amount) filter (where reserves and token = $5), 0) as asset,
         (count(*) filter (where stage in ('signed', 'submitted')))::int as open,
         (count(*) filter (where stage = 'queued' and
           ($7::timestamptz is null or (confirmed_at, id) < ($7, $4))))::int as "queuedBefore"
    from (
      select id, token, amount, fee_cap, stage, confirmed_at, mined_block is null or mined_block > $6 as reserves
        from transfers
       where app_id = $1 and network = $2 and source_address = $3 and id <> $4 and status = 'pending'
       union all
      select id, token, amount, fee_cap, stage, confirmed_at, true
        from transfers
       where app_id = $1 and network = $2 and source_address = $3 and id <> $4 and status <> 'pending'
         and mined_block > $6 and mined_block < ${NO_BLOCK}
    ) others`;

const LINE = `
  select t.id from transfers t
    left join transfer_attempts a on a.app_id = t.app_id and a.transfer_id = t.id and a.ordinal = 0
   where t.app_id = $1 and t.network = $2 and t.source_address = $3 and t.status = 'pending' and t.stage <> 'mined'
   order by t.stage = 'queued', a.nonce, t.confirmed_at, t.id limit ${LANE_CAPACITY}`;

const IS_OPEN = `
  select exists (
    select from transfers
     where app_id = $1 and network = $2 and source_address = $3 and status = 'pending' and stage <> 'queued') as open`;

const ATTEMPTS_AT = `
  select ${ATTEMPT} from transfer_attempts where app_id = $1 and network = $2 and address = $3 and nonce = $4 order by ordinal`;

const STORE_CANCELLATION = `
  insert into transfer_attempts (app_id, network, hash, kind, ordinal, address, raw, nonce, max_fee,
    valid_from_block, first_broadcast_started_at)
  values ($1, $2, $4, 'cancellation', $5, $3, $6, $7, $8, $9, now())`;

interface SenderQueueRow {
  readonly hasApp: boolean | null;
  readonly nextNonce: string | null;
  readonly coin: string;
  readonly asset: string;
  readonly open: number;
  readonly queuedBefore: number;
}

@Injectable()
export class PostgresSenderQueueRepository extends SenderQueueRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async lock(
    id: SenderQueueId,
    transfer: Pick<Transfer, 'id' | 'token' | 'confirmedAt'>,
    balancesAt: number,
  ): Promise<SenderQueue> {
    void this.database.write(LOCK, place(id));
    const state = await this.database.one<SenderQueueRow>(STATE, [
      ...place(id),
      transfer.id,
      transfer.token,
      balancesAt,
      transfer.confirmedAt,
    ]);
    if (!state?.hasApp) throw new AppNotFound();
    return {
      ...id,
      nextNonce: state.nextNonce === null ? null : Number(state.nextNonce),
      open: state.open,
      queuedBefore: state.queuedBefore,
      reserved: { coin: BigInt(state.coin), asset: BigInt(state.asset) },
    };
  }

  async line(id: SenderQueueId): Promise<TransferId[]> {
    return (await this.database.query<{ id: TransferId }>(LINE, place(id))).map((transfer) => transfer.id);
  }

  async isOpen(id: SenderQueueId): Promise<boolean> {
    return (await this.database.one<{ open: boolean }>(IS_OPEN, place(id)))?.open === true;
  }

  async attemptsAt(id: SenderQueueId, nonce: number): Promise<Attempt[]> {
    return (await this.database.query<AttemptRow>(ATTEMPTS_AT, [...place(id), nonce])).map(attemptOf);
  }

  storeCancellation(
    id: SenderQueueId,
    { hash, raw, nonce, maxFee, validFromBlock }: SignedAttempt,
    ordinal: number,
  ): void {
    this.database.writeSigned(STORE_CANCELLATION, [
      ...place(id),
      hash,
      ordinal,
      raw,
      nonce,
      maxFee.toString(),
      validFromBlock,
    ]);
  }
}

function place({ appId, network, address }: SenderQueueId): [string, string, string] {
  return [appId, network, address];
}
