import { Injectable } from '@nestjs/common';
import type { SignedAttempt } from '../../../kernel/chain/payment.js';
import { evolve } from '../../../kernel/entity.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { Database } from '../../../postgres/database.js';
import type { Attempt } from '../domain/attempt.js';
import { TRACKED_AFTER_SECONDS, type Transfer } from '../domain/transfer.js';
import {
  type LockedForSigning,
  type LockedTransfer,
  TransferStateRepository,
} from '../domain/transfer-state.repository.js';
import { amountOf, CHANGING_COLUMNS, type ChangingRow } from './transfer-rows.js';

/** Keys of advisory locks: a deletion takes them exclusively, payments share them. */
const OF_APP = (app: string): string => `hashtextextended('transfers of ' || ${app}, 0)`;
const OF_USER = (app: string, user: string): string =>
  `hashtextextended('transfers of ' || ${app} || ' ' || ${user}, 0)`;

const LOCK = `
  select from transfers t
   where t.app_id = $1 and t.id = $2 and pg_advisory_xact_lock_shared(${OF_APP('t.app_id')}) is not null
     and pg_advisory_xact_lock_shared(${OF_USER('t.app_id', 't.user_id')}) is not null
     for update`;

// A statement of its own, after the lock: it sees what was committed while the lock was waited for. By the clock, not by the
// transaction's time: the wait may have outlasted the quote.
const LOCKED = `
  select ${CHANGING_COLUMNS}, clock_timestamp() as now,
      (select count(*)::int from transfer_attempts a where a.app_id = t.app_id and a.transfer_id = t.id) as attempts
    from transfers t where t.app_id = $1 and t.id = $2`;

// Creates the sender queue or locks it: an upsert that changes nothing still locks the row.
export const LOCK_QUEUE = `
  insert into chain_lanes as l (app_id, network, address) values ($1, $2, $3)
  on conflict (app_id, network, address) do update set next_nonce = l.next_nonce`;

// The upper bound keeps the planner from expecting a third of all rows in an open range, and from replanning at each call.
const NO_BLOCK = '9223372036854775807';

// A statement of its own, after the lock: it sees what the previous holder committed. Balances of a block include everything
// up to that block; a transfer in a later block, or in none, may still take its amount from them. A transfer whose block is
// not recorded yet counts twice, which can only refuse a payment.
const QUEUE = `
  select exists (select from live_apps where app_id = $1) as "hasApp",
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
    ) other_transfers`;

// A transfer just signed becomes due only later: until then the process that signed it observes it.
const STATE = `
  update transfers set status = $3, stage = $4, fee = $5, hash = $6, failure_code = $7, retry_safe = $8, updated_at = $9,
      confirmed_at = $10, mined_block = $11, completed_at = $12, cancelled_at = $13, stuck_since = $14,
      stuck_reason = $15, nonce_used_by = $16,
      next_check_at = case when $4 in ('queued', 'signed') then now() + interval '${TRACKED_AFTER_SECONDS} seconds' else next_check_at end
   where app_id = $1 and id = $2`;

const STORE = `
  with seen as (
    update transfer_attempts set accepted_at = $9
     where app_id = $1 and transfer_id = $2 and hash = $17 and accepted_at is null
  ) ${STATE}`;

const STORE_SIGNED = `
  with attempt as (
    insert into transfer_attempts (app_id, network, hash, transfer_id, kind, ordinal, address, raw, nonce, blockhash,
      last_valid_block_height, valid_from_slot, valid_from_block, max_fee, created_at, first_broadcast_started_at)
    values ($1, $17, $6, $2, $27, $18, $19, $20, $21, $22, $23, $24, $25, $26, $9, $9)
  ), queue as (
    update chain_lanes set next_nonce = greatest(next_nonce, $21::bigint + 1)
     where app_id = $1 and network = $17 and address = $19 and $21::bigint is not null
  ) ${STATE}`;

const STORE_CANCEL_REQUEST = `
  update transfers set cancel_requested_at = $3, updated_at = $4, next_check_at = now() where app_id = $1 and id = $2`;

const HOLD_APP = `select pg_advisory_xact_lock(${OF_APP('$1::text')})`;
const HOLD_USER = `select pg_advisory_xact_lock(${OF_USER('$1::text', '$2::text')})`;
const HAS_PENDING = `
  select exists (select from transfers where app_id = $1 and status = 'pending' and ($2::text is null or user_id = $2)) as pending`;

type LockedRow = ChangingRow & { readonly attempts: number };

interface QueueRow {
  readonly hasApp: boolean;
  readonly nextNonce: string | null;
  readonly coin: string;
  readonly asset: string;
  readonly open: number;
  readonly queuedBefore: number;
}

@Injectable()
export class PostgresTransferStateRepository extends TransferStateRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async lock(transfer: Transfer): Promise<LockedTransfer> {
    const { appId, id } = transfer;
    void this.database.write(LOCK, [appId, id]);
    const [row] = await this.database.read<LockedRow>(LOCKED, [appId, id]);
    return lockedOf(transfer, row!);
  }

  lockForSigning({ appId, id, network, sourceAddress }: Transfer): void {
    void this.database.write(LOCK, [appId, id]);
    void this.database.write(LOCK_QUEUE, [appId, network, sourceAddress]);
  }

  async findForSigning(transfer: Transfer, balancesAt: number): Promise<LockedForSigning> {
    const { appId, id, network, sourceAddress, token, confirmedAt } = transfer;
    const [[locked], [state]] = await Promise.all([
      this.database.read<LockedRow>(LOCKED, [appId, id]),
      this.database.read<QueueRow>(QUEUE, [appId, network, sourceAddress, id, token, balancesAt, confirmedAt]),
    ]);
    const { hasApp, nextNonce, coin, asset, open, queuedBefore } = state!;
    const queue = {
      nextNonce: nextNonce === null ? null : Number(nextNonce),
      open,
      queuedBefore,
      reserved: { coin: BigInt(coin), asset: BigInt(asset) },
    };
    return { ...lockedOf(transfer, locked!), queue, hasApp };
  }

  store(transfer: Transfer): void {
    void this.database.write(STORE, [...stateOf(transfer), transfer.heldHash()]);
  }

  storeSigned(transfer: Transfer, bytes: SignedAttempt, ordinal: number, kind: Attempt['kind'] = 'payment'): Attempt {
    const { appId, id: transferId, sourceAddress: address, updatedAt: now } = transfer;
    const times = { createdAt: now, firstBroadcastStartedAt: now, acceptedAt: null };
    const values = [
      ...stateOf(transfer),
      bytes.network,
      ordinal,
      address,
      bytes.raw,
      bytes.nonce,
      bytes.blockhash,
      bytes.lastValidBlockHeight,
      bytes.validFromSlot,
      bytes.validFromBlock,
      bytes.maxFee.toString(),
      kind,
    ];
    void this.database.write(STORE_SIGNED, values, { storesSigned: true });
    return { ...bytes, appId, transferId, kind, ordinal, address, ...times };
  }

  storeCancelRequest({ appId, id, cancelRequestedAt, updatedAt }: Transfer): void {
    void this.database.write(STORE_CANCEL_REQUEST, [appId, id, cancelRequestedAt, updatedAt]);
  }

  async refuseNewPayments(appId: AppId, userId?: UserId): Promise<boolean> {
    if (userId === undefined) await this.database.write(HOLD_APP, [appId]);
    else await this.database.write(HOLD_USER, [appId, userId]);
    // A statement of its own, after the lock: it sees what the transactions that held it have committed.
    const [row] = await this.database.read<{ pending: boolean }>(HAS_PENDING, [appId, userId ?? null]);
    return row?.pending === true;
  }
}

function lockedOf(transfer: Transfer, row: LockedRow): LockedTransfer {
  const { attempts, now, fee, ...state } = row;
  return { transfer: evolve<Transfer>(transfer, { ...state, fee: amountOf(fee) }), now, attempts };
}

function stateOf(transfer: Transfer): unknown[] {
  return [
    transfer.appId,
    transfer.id,
    transfer.status,
    transfer.stage,
    transfer.fee?.toString() ?? null,
    transfer.hash,
    transfer.failureCode,
    transfer.retrySafe,
    transfer.updatedAt,
    transfer.confirmedAt,
    transfer.minedBlock,
    transfer.completedAt,
    transfer.cancelledAt,
    transfer.stuckSince,
    transfer.stuckReason,
    transfer.nonceUsedBy,
  ];
}
