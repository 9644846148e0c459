import { Injectable } from '@nestjs/common';
import { MOST_WAITING } from '../../../../kernel/chain/chain.js';
import type { SignedAttempt } from '../../../../kernel/chain/payment.js';
import { evolve } from '../../../../kernel/entity.js';
import type { AppId, UserId } from '../../../../kernel/ids.js';
import { RowMacs } from '../../../../kernel/row-macs.js';
import { Database } from '../../../../postgres/database.js';
import { columnsOf, named } from '../../../../postgres/statement.js';
import { type LockedForSigning, type LockedTransfer, TransferStateRepository } from '../domain/transfer.repository.js';
import { type Attempt, TRACKED_AFTER_SECONDS, type Transfer } from '../domain/transfer.js';
import { isDoubted, isUncompared, type LastComparison, mayBeCopiedSince } from '../domain/books.js';
import { booksStateOf, HELD } from '../domain/sender-queue.js';
import {
  ATTEMPT_COLUMNS,
  CHANGING_FIELDS,
  changingNumbersOf,
  SERVER_STARTED,
  STATE_FIELDS,
  TRANSFER_MAC,
  type TransferRow,
} from './transfer-rows.js';

type Fees = Pick<TransferRow, 'fee' | 'l1Fee' | 'operatorFee'>;
type State = Omit<Pick<Transfer, 'appId' | 'id' | 'mac' | (typeof STATE_FIELDS)[number]>, keyof Fees> & Fees;

const LOCK = `select from transfers where app_id = $1 and id = $2 for update`;

const ITS_QUEUE = 'l.app_id = $appId and l.network = t.network and l.address = t.source_address';

// A statement after the lock sees the rows committed while it waited. It reads the clock: the wait may have outlasted the quote.
const LOCKED_COLUMNS = `${columnsOf<Transfer>(CHANGING_FIELDS).of('t')}, clock_timestamp() as now, database_history() as "ofDatabase",
      ${SERVER_STARTED} as "serverStartedAt", t.created_at as "createdAt",
      (select compared_start from sender_queues l where ${ITS_QUEUE}) as "comparedStart",
      coalesce((select unexplained from sender_queues l where ${ITS_QUEUE}), '{}') as unexplained,
      (select history from sender_queues l where ${ITS_QUEUE}) as "ofQueue",
      (select count(*)::int from transfer_attempts a where a.app_id = $appId and a.transfer_id = t.id) as attempts`;
const LOCKED = named<Pick<Transfer, 'appId' | 'id'>>(
  `select ${LOCKED_COLUMNS} from transfers t where t.app_id = $appId and t.id = $id`,
);

// The reservations take longer to plan than to run. Beside a wallet with many payments a plan for the given block looks cheaper, so each
// call would be planned again under the lock. The common plan must not scan tables that were small when it was made, and it expects many
// rows, so PostgreSQL would compile it at each call.
const LOCK_FOR_SIGNING = `
  select set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
         set_config('jit', 'off', true)
    from transfers where app_id = $1 and id = any($2::text[]) order by id for update`;

// An upsert that changes nothing still locks the row.
export const LOCK_QUEUE = `
  insert into sender_queues as l (app_id, network, address) values ($1, $2, $3)
  on conflict (app_id, network, address) do update set next_nonce = l.next_nonce`;

// The upper bound keeps the planner from expecting a third of all rows in an open range.
const NO_BLOCK = '9223372036854775807';

// A transfer whose block is in the balances takes no more; one whose block is not recorded yet counts twice, which can only refuse a
// payment. It may take its payment, or the highest fee of its attempts: a cancellation may cost more than the quote. A self-transfer may
// take its fee until a later nonce is in a block of the balances; gaps are at most MOST_WAITING wide. With LIMIT instead of NOT EXISTS the
// planner expects one later nonce, not several.
export const RESERVATIONS = `other_transfers as (
    select id, token, amount, fee_cap, stage, confirmed_at, mined_block is null or mined_block > $balancesAt as reserves
      from transfers
     where app_id = $appId and network = $network and source_address = $sourceAddress and id <> all($ids) and status = 'pending'
     union all
    select id, token, amount, fee_cap, stage, confirmed_at, true
      from transfers
     where app_id = $appId and network = $network and source_address = $sourceAddress and id <> all($ids) and status <> 'pending'
       and mined_block > $balancesAt and mined_block < ${NO_BLOCK}
  ), counted_transfers as (
    select o.*, greatest(fee_cap + case when token is null then amount else 0 end, dearest) as coin, nonce
      from other_transfers o left join lateral (
        select max(max_fee) as dearest, min(nonce) as nonce from transfer_attempts
         where app_id = $appId and transfer_id = o.id and o.reserves) attempts on true
  ), self_transfers as (
    select max(max_fee) as coin from transfer_attempts s
     where app_id = $appId and network = $network and address = $sourceAddress and transfer_id is null
       and nonce >= (select min(nonce) from counted_transfers) - ${MOST_WAITING} and (
         select true from transfer_attempts later join transfers t on t.app_id = later.app_id and t.id = later.transfer_id
          where later.app_id = $appId and later.network = $network and later.address = $sourceAddress
            and later.nonce between s.nonce + 1 and s.nonce + ${2 * MOST_WAITING} and t.mined_block <= $balancesAt limit 1) is null
     group by nonce
  )`;
export const RESERVED = `
           coalesce(sum(coin) filter (where reserves), 0) + (select coalesce(sum(coin), 0) from self_transfers) as coin,
           coalesce(sum(amount) filter (where reserves and token = $token), 0) as asset`;

const LOCKED_WITH_QUEUE = named<
  Pick<Transfer, 'appId' | 'network' | 'sourceAddress' | 'id' | 'token' | 'confirmedAt'> & {
    ids: readonly string[];
    balancesAt: number;
  }
>(`
  with ${RESERVATIONS}, queue as (
    select (select next_nonce from sender_queues where app_id = $appId and network = $network and address = $sourceAddress) as "nextNonce",
           ${RESERVED},
           (count(*) filter (where stage in ('signed', 'submitted')))::int as open,
           (count(*) filter (where stage = 'queued' and
             ($confirmedAt::timestamptz is null or (confirmed_at, id) < ($confirmedAt, $id))))::int as "queuedBefore"
      from counted_transfers
  )
  select ${LOCKED_COLUMNS}, queue.* from queue, transfers t where t.app_id = $appId and t.id = any($ids) order by t.id`);

// The process that signed it observes it until then.
const DUE = `c as materialized (select now() + interval '${TRACKED_AFTER_SECONDS} seconds' as due_at)`;
const STATE = `
  update transfers set ${columnsOf<Transfer>([...STATE_FIELDS, 'mac']).assignments},
      next_check_at = case when $stage in ('queued', 'signed') then c.due_at else next_check_at end
    from c
   where app_id = $appId and id = $id`;

// `=` with a null hash is false for every row, and Citus then carries out nothing of the whole statement.
const STORE = named<State & { readonly heldHash: string | null }>(`
  with ${DUE}, seen as (
    update transfer_attempts set accepted_at = $updatedAt
     where app_id = $appId and transfer_id = $id and hash is not distinct from $heldHash and accepted_at is null
  ) ${STATE}`);

const STORE_SIGNED = named<State & Omit<Attempt, 'maxFee'> & { readonly maxFee: string }>(`
  with ${DUE}, attempt as (
    insert into transfer_attempts (${ATTEMPT_COLUMNS.names}) values (${ATTEMPT_COLUMNS.values})
  ), queue as (
    update sender_queues set next_nonce = greatest(next_nonce, $nonce::bigint + 1)
     where app_id = $appId and network = $network and address = $address and $nonce::bigint is not null
  ) ${STATE}`);

/** The lowest nonce counts. A height ($5: its run) stays, but is replaced in another run. $6 is `HELD`; null: the queue goes on. */
export const HOLD_QUEUE = `
  insert into sender_queues as l (app_id, network, address, history, compared_from, held_in) values ($1, $2, $3, $6, $4, $5)
  on conflict (app_id, network, address) do update
     set history = coalesce(excluded.history, l.history), held_in = coalesce(excluded.held_in, l.held_in),
         compared_from = case when excluded.held_in is null or excluded.held_in = l.held_in
           then least(l.compared_from, excluded.compared_from) else excluded.compared_from end`;

const STORE_COMPARED = `
  update sender_queues set history = $4 where app_id = $1 and network = $2 and address = $3`;

const STORE_CANCEL_REQUEST = `
  update transfers set cancel_requested_at = $3, updated_at = $4, next_check_at = now() where app_id = $1 and id = $2`;

const HAS_PENDING = `
  select exists (select from transfers where app_id = $1 and status = 'pending' and ($2::text is null or user_id = $2)) as pending`;

type LockedRow = Pick<TransferRow, (typeof CHANGING_FIELDS)[number] | 'createdAt'> &
  LastComparison & {
    readonly attempts: number;
    readonly ofDatabase: string;
    readonly ofQueue: string | null;
    readonly unexplained: readonly string[];
  };

interface QueueRow {
  readonly nextNonce: string | null;
  readonly coin: string;
  readonly asset: string;
  readonly open: number;
  readonly queuedBefore: number;
}

@Injectable()
export class PostgresTransferStateRepository extends TransferStateRepository {
  constructor(
    private readonly database: Database,
    private readonly macs: RowMacs,
  ) {
    super();
  }

  async lock(transfer: Transfer): Promise<LockedTransfer> {
    const { appId, id } = transfer;
    void this.database.write(LOCK, [appId, id]);
    const [row] = await this.database.read<LockedRow>(...LOCKED(transfer));
    return this.lockedOf(transfer, row!);
  }

  async lockForSigning<Counted, Wallet>(
    transfers: readonly Transfer[],
    balancesAt: number,
    countWindows: () => Promise<Counted>,
    holdWallet: () => Promise<Wallet>,
  ): Promise<{ locked: LockedForSigning; counted: Counted; wallet: Wallet }> {
    const [first] = transfers as [Transfer];
    const { appId, network, sourceAddress } = first;
    const ids = transfers.map(({ id }) => id);
    // The order in which they are sent is the lock order.
    const [, counted, , wallet, rows] = await Promise.all([
      this.database.write(LOCK_FOR_SIGNING, [appId, ids]),
      countWindows(),
      this.database.write(LOCK_QUEUE, [appId, network, sourceAddress]),
      holdWallet(),
      this.database.read<LockedRow & QueueRow>(...LOCKED_WITH_QUEUE({ ...first, ids, balancesAt })),
    ]);
    const { nextNonce, coin, asset, open, queuedBefore, now } = rows[0]!;
    const queue = {
      nextNonce: nextNonce === null ? null : Number(nextNonce),
      open,
      queuedBefore,
      reserved: { coin: BigInt(coin), asset: BigInt(asset) },
    };
    // All get one time, so that they are signed in the order in which they were confirmed.
    const locked = transfers.map((transfer, index) => this.lockedOf(transfer, { ...ownOf(rows[index]!), now }));
    return { locked: { transfers: locked, queue }, counted, wallet };
  }

  store(transfer: Transfer): void {
    void this.database.write(...STORE({ ...this.stateOf(transfer), heldHash: transfer.heldHash() }));
  }

  storeSigned(transfer: Transfer, bytes: SignedAttempt, ordinal: number, kind: Attempt['kind'] = 'payment'): Attempt {
    const { appId, id: transferId, sourceAddress: address, updatedAt: now } = transfer;
    const times = { createdAt: now, firstBroadcastStartedAt: now, acceptedAt: null };
    const attempt = { ...bytes, appId, transferId, kind, ordinal, address, ...times };
    const parameters = { ...this.stateOf(transfer), ...attempt, maxFee: bytes.maxFee.toString() };
    void this.database.write(...STORE_SIGNED(parameters), { storesSigned: true });
    return attempt;
  }

  markQueueHeld({ appId, network, sourceAddress }: Transfer, fromNonce: number | null): void {
    void this.database.write(HOLD_QUEUE, [appId, network, sourceAddress, fromNonce, null, HELD]);
  }

  storeCompared({ appId, network, sourceAddress }: Transfer, history: string): void {
    void this.database.write(STORE_COMPARED, [appId, network, sourceAddress, history]);
  }

  storeCancelRequest({ appId, id, cancelRequestedAt, updatedAt }: Transfer): void {
    void this.database.write(STORE_CANCEL_REQUEST, [appId, id, cancelRequestedAt, updatedAt]);
  }

  async hasPending(appId: AppId, userId?: UserId): Promise<boolean> {
    const [row] = await this.database.read<{ pending: boolean }>(HAS_PENDING, [appId, userId ?? null]);
    return row?.pending === true;
  }

  private lockedOf(transfer: Transfer, row: LockedRow): LockedTransfer {
    const { attempts, ofDatabase, ofQueue, unexplained, now, serverStartedAt, comparedStart, ...state } = row;
    const comparison = { now, serverStartedAt, comparedStart };
    const mayBeCopied = mayBeCopiedSince(state.createdAt, comparison);
    const books = booksStateOf({ ofDatabase, ofQueue, ofTransfer: transfer.history });
    const locked = evolve<Transfer>(transfer, { ...state, ...changingNumbersOf(row) });
    const mac = locked.hasEnded() ? locked.mac : this.macs.verified(TRANSFER_MAC, locked);
    return {
      transfer: evolve<Transfer>(locked, { mac }),
      now,
      attempts,
      books,
      history: ofDatabase,
      mayBeCopied,
      isUncompared: mayBeCopied && isUncompared(comparison),
      isDoubted: mayBeCopied || isDoubted(comparison),
      serverStartedAt,
      unexplained,
    };
  }

  private stateOf(transfer: Transfer): State {
    const { fee, l1Fee, operatorFee } = transfer;
    return {
      ...transfer,
      mac: this.macs.of(TRANSFER_MAC, transfer),
      fee: fee?.toString() ?? null,
      l1Fee: l1Fee.toString(),
      operatorFee: operatorFee.toString(),
    };
  }
}

function ownOf({ nextNonce: _, coin, asset, open, queuedBefore, ...own }: LockedRow & QueueRow): LockedRow {
  return own;
}
