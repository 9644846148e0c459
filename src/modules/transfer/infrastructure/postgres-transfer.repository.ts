import { Injectable } from '@nestjs/common';
import { evolve, restore } from '../../../kernel/entity.js';
import type { AppId, TransferId, UserId } from '../../../kernel/ids.js';
import { Database } from '../../../postgres/database.js';
import { type Query, ReadTooSlow, SlowReads } from '../../../postgres/slow-reads.js';
import type { ChainName } from '../../../kernel/chain/chain-name.js';
import type { Attempt } from '../domain/attempt.js';
import type { SignedAttempt } from '../../../kernel/chain/payment.js';
import type { ProofProgress } from '../../../kernel/chain/payment-status.js';
import { FIRST_LOOK_SECONDS, QUOTE_SECONDS, Transfer } from '../domain/transfer.js';
import {
  type AttemptView,
  type LockedTransfer,
  type NewTransfer,
  type TimedTransfer,
  type TransferPage,
  type TransferQuery,
  TransferRepository,
  type TransferView,
} from '../domain/transfer.repository.js';
import { ListTooBroad } from '../domain/transfer.errors.js';
import { ATTEMPT, attemptOf, type AttemptRow } from './attempt-rows.js';

/** What `STATE` changes, and where it stands. */
const CHANGING = {
  status: 't.status',
  stage: 't.stage',
  fee: 't.fee',
  hash: 't.hash',
  failureCode: 't.failure_code',
  retrySafe: 't.retry_safe',
  updatedAt: 't.updated_at',
  confirmedAt: 't.confirmed_at',
  minedBlock: 't.mined_block::float8',
  completedAt: 't.completed_at',
  cancelledAt: 't.cancelled_at',
  cancelRequestedAt: 't.cancel_requested_at',
  stuckSince: 't.stuck_since',
  stuckReason: 't.stuck_reason',
  nonceUsedBy: 't.nonce_used_by',
} as const;
const CHANGING_COLUMNS = Object.entries(CHANGING)
  .map(([name, column]) => `${column} as "${name}"`)
  .join(', ');

const TRANSFER = `t.app_id as "appId", t.id, t.user_id as "userId", t.source, t.source_address as "sourceAddress", t.dest, t.chain,
  t.network, t.currency, t.symbol, t.decimals, t.token, t.amount, t.fee_cap as "feeCap", t.custom_id as "customId", t.notes,
  t.created_at as "createdAt", t.expires_at as "expiresAt", t.proof_progress as "proofProgress", ${CHANGING_COLUMNS}`;

const ADD = `
  insert into transfers as t (app_id, id, user_id, status, source, source_address, dest, chain, network, currency, symbol,
    decimals, token, amount, fee_cap, custom_id, notes, expires_at)
  values ($1, $2, $3, 'unconfirmed', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
    now() + interval '${QUOTE_SECONDS} seconds')
  on conflict (app_id, custom_id) where custom_id is not null do nothing
  returning ${TRANSFER}`;

const FIND = `select ${TRANSFER}, now() from transfers t where t.app_id = $1 and t.id = $2`;

/** Names of advisory locks: whoever deletes takes them alone, those who pay share them. */
const OF_APP = (app: string): string => `hashtextextended('transfers of ' || ${app}, 0)`;
const OF_USER = (app: string, user: string): string =>
  `hashtextextended('transfers of ' || ${app} || ' ' || ${user}, 0)`;

const LOCK = `
  select from transfers t
   where t.app_id = $1 and t.id = $2 and pg_advisory_xact_lock_shared(${OF_APP('t.app_id')}) is not null
     and pg_advisory_xact_lock_shared(${OF_USER('t.app_id', 't.user_id')}) is not null
     for update`;

// In a statement of its own, which sees what was committed while the lock was waited for. By the clock, not by the
// transaction's time: the wait may have outlasted the quote.
const LOCKED = `
  select ${CHANGING_COLUMNS}, clock_timestamp() as now,
      (select count(*)::int from transfer_attempts a where a.app_id = t.app_id and a.transfer_id = t.id) as attempts
    from transfers t where t.app_id = $1 and t.id = $2`;

// The tracker first looks at what was just signed when whoever signed it has had the time to do so.
const STATE = `
  update transfers set status = $3, stage = $4, fee = $5, hash = $6, failure_code = $7, retry_safe = $8, updated_at = $9,
      confirmed_at = $10, mined_block = $11, completed_at = $12, cancelled_at = $13, stuck_since = $14,
      stuck_reason = $15, nonce_used_by = $16,
      next_check_at = case when $4 in ('queued', 'signed') then now() + interval '${FIRST_LOOK_SECONDS} seconds' else next_check_at end
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
  ), lane as (
    update chain_lanes set next_nonce = greatest(next_nonce, $21::bigint + 1)
     where app_id = $1 and network = $17 and address = $19 and $21::bigint is not null
  ) ${STATE}`;

// It need not wait for its next turn: each look at a long proof goes a bounded part of the way.
const STORE_PROGRESS = `
  update transfers set proof_progress = $3, next_check_at = least(next_check_at, now())
   where app_id = $1 and id = $2 and status = 'pending'`;

const STORE_CANCEL_REQUEST = `
  update transfers set cancel_requested_at = $3, updated_at = $4, next_check_at = now() where app_id = $1 and id = $2`;

const ATTEMPTS = `select ${ATTEMPT} from transfer_attempts where app_id = $1 and transfer_id = $2 order by ordinal`;

const ATTEMPT_VIEWS = `
  (select coalesce(json_agg(json_build_object('hash', a.hash, 'kind', a.kind, 'nonce', a.nonce, 'blockhash', a.blockhash,
      'maxFee', a.max_fee::text, 'createdAt', a.created_at, 'acceptedAt', a.accepted_at) order by a.ordinal), '[]')
     from transfer_attempts a where a.app_id = t.app_id and a.transfer_id = t.id) as attempts`;

const VIEW = `select ${TRANSFER}, now(), ${ATTEMPT_VIEWS} from transfers t where t.app_id = $1 and t.id = $2`;

/** Up to this many transfers, the count of a list is exact. */
const COUNTED_UP_TO = 10_000;

// One text for each set of filters, so that each is planned for its own index. A page finds its ids in the index first:
// the rows that its offset skips are not read.
const listWhere = (where: string): { readonly page: string; readonly count: string; readonly estimate: string } => {
  const counted = `from transfers t where ${where.replaceAll('$4', '$2').replaceAll('$5', '$3')}`;
  return {
    page: `
      with page as materialized (select t.id from transfers t where ${where} order by t.id desc limit $2 offset $3)
      select ${TRANSFER}, now(), ${ATTEMPT_VIEWS} from page join transfers t on t.app_id = $1 and t.id = page.id order by t.id desc`,
    count: `select count(*)::int as count from (select ${counted} limit ${COUNTED_UP_TO + 1}) t`,
    estimate: `explain (format json) select ${counted}`,
  };
};
const LISTS = {
  all: listWhere('t.app_id = $1'),
  ofUser: listWhere('t.app_id = $1 and t.user_id = $4'),
  ofWallet: listWhere('t.app_id = $1 and t.source = $4'),
  ofBoth: listWhere('t.app_id = $1 and t.user_id = $4 and t.source = $5'),
};

// The longer nothing has changed the rarer it is looked at: after a second at first, after half a minute at last. Those that
// have waited longest come first, whichever app they are of: a busy one keeps nobody else waiting for ever.
const CLAIM_DUE = `
  update transfers set next_check_at =
      now() + make_interval(secs => greatest(1, least(30, extract(epoch from now() - transfers.updated_at) / 20)))
    from (
      select d.app_id, d.id from apps a cross join lateral (
        select t.app_id, t.id, t.next_check_at from transfers t
         where t.app_id = a.id and t.chain = $1 and t.status = 'pending' and t.next_check_at <= now()
         order by t.next_check_at limit $2 for update skip locked
      ) d order by d.next_check_at limit $2
    ) due
   where transfers.app_id = due.app_id and transfers.id = due.id
  returning transfers.app_id as "appId", transfers.id`;

const LOCK_OVERDUE = `
  select o.* from apps a cross join lateral (
    select ${TRANSFER}, now() from transfers t
     where t.app_id = a.id and t.status = 'unconfirmed' and t.expires_at <= now()
     order by t.expires_at limit $1 for update skip locked
  ) o order by o."expiresAt" limit $1`;

const HOLD_APP = `select pg_advisory_xact_lock(${OF_APP('$1::text')})`;
const HOLD_USER = `select pg_advisory_xact_lock(${OF_USER('$1::text', '$2::text')})`;
const HAS_PENDING = `
  select exists (select from transfers where app_id = $1 and status = 'pending' and ($2::text is null or user_id = $2)) as pending`;

type Numbers = 'amount' | 'feeCap' | 'fee';
type TransferRow = { readonly [K in keyof Transfer]: K extends Numbers ? string | null : Transfer[K] } & {
  readonly now: Date;
};
type LockedRow = Pick<TransferRow, keyof typeof CHANGING | 'now'> & { readonly attempts: number };
type AttemptJson = Record<'createdAt' | 'acceptedAt', string | null> &
  Omit<AttemptView, 'createdAt' | 'acceptedAt' | 'maxFee'> & { readonly maxFee: string };
type ViewRow = TransferRow & { readonly attempts: readonly AttemptJson[] };

@Injectable()
export class PostgresTransferRepository extends TransferRepository {
  constructor(
    private readonly database: Database,
    private readonly slowReads: SlowReads,
  ) {
    super();
  }

  async add(transfer: NewTransfer): Promise<Transfer | TransferId> {
    const { appId, id, userId, source, sourceAddress, dest, network, asset, customId, notes } = transfer;
    const row = await this.database.one<TransferRow>(ADD, [
      appId,
      id,
      userId,
      source,
      sourceAddress,
      dest,
      asset.chain,
      network,
      asset.name,
      asset.symbol,
      asset.decimals,
      asset.token,
      transfer.amount.toString(),
      transfer.feeCap.toString(),
      customId,
      notes,
    ]);
    if (row) return transferOf(row);
    // Whoever was first has committed by now: the insert waited for it, and a transfer is never deleted.
    const first = await this.database.one<{ id: TransferId }>(
      `select id from transfers where app_id = $1 and custom_id = $2`,
      [appId, customId],
    );
    return (first as { id: TransferId }).id;
  }

  async find(appId: AppId, id: TransferId): Promise<TimedTransfer | null> {
    const row = await this.database.lookUp<TransferRow>(FIND, [appId, id]);
    return row && timed(row);
  }

  async lock(transfer: Transfer): Promise<LockedTransfer> {
    const { appId, id } = transfer;
    void this.database.write(LOCK, [appId, id]);
    const { attempts, now, fee, ...state } = (await this.database.one<LockedRow>(LOCKED, [appId, id])) as LockedRow;
    return { transfer: evolve<Transfer>(transfer, { ...state, fee: amountOf(fee) }), now, attempts };
  }

  store(transfer: Transfer): void {
    void this.database.write(STORE, [...stateOf(transfer), transfer.heldHash()]);
  }

  storeCancelRequest({ appId, id, cancelRequestedAt, updatedAt }: Transfer): void {
    void this.database.write(STORE_CANCEL_REQUEST, [appId, id, cancelRequestedAt, updatedAt]);
  }

  async storeProgress({ appId, id }: Transfer, progress: ProofProgress | null): Promise<void> {
    await this.database.query(STORE_PROGRESS, [appId, id, progress]);
  }

  storeSigned(transfer: Transfer, bytes: SignedAttempt, ordinal: number, kind: Attempt['kind'] = 'payment'): Attempt {
    const { appId, id: transferId, sourceAddress: address, updatedAt: now } = transfer;
    const times = { createdAt: now, firstBroadcastStartedAt: now, acceptedAt: null };
    this.database.writeSigned(STORE_SIGNED, [
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
    ]);
    return { ...bytes, appId, transferId, kind, ordinal, address, ...times };
  }

  async attempts(appId: AppId, id: TransferId): Promise<Attempt[]> {
    return (await this.database.query<AttemptRow>(ATTEMPTS, [appId, id])).map(attemptOf);
  }

  async view(appId: AppId, id: TransferId): Promise<TransferView | null> {
    const row = await this.database.lookUp<ViewRow>(VIEW, [appId, id]);
    return row && viewOf(row);
  }

  async list(appId: AppId, asked: TransferQuery): Promise<TransferPage> {
    const { userId, source, offset } = asked;
    // Reads at most 10,000 index entries to count and as many to skip: not worth a place among the slow ones.
    if (offset <= COUNTED_UP_TO && (userId === undefined || source === undefined))
      return this.page(appId, asked, (sql, parameters) => this.database.query(sql, parameters));
    try {
      return await this.slowReads.run(appId, (query) => this.page(appId, asked, query));
    } catch (error) {
      throw error instanceof ReadTooSlow ? new ListTooBroad() : error;
    }
  }

  private async page(
    appId: AppId,
    { userId, source, limit, offset }: TransferQuery,
    query: Query,
  ): Promise<TransferPage> {
    const filters = [userId, source].filter((filter) => filter !== undefined);
    const list =
      userId === undefined
        ? source === undefined
          ? LISTS.all
          : LISTS.ofWallet
        : source === undefined
          ? LISTS.ofUser
          : LISTS.ofBoth;
    const rows = await query<ViewRow>(list.page, [appId, limit, offset, ...filters]);
    const [counted] = await query<{ count: number }>(list.count, [appId, ...filters]);
    const { count } = counted!;
    const page = { transfers: rows.map(viewOf) };
    if (count <= COUNTED_UP_TO) return { ...page, count, isEstimated: false };
    const [plan] = await query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(list.estimate, [
      appId,
      ...filters,
    ]);
    // An estimate must not contradict the page itself.
    const shown = rows.length > 0 ? offset + rows.length : 0;
    return { ...page, count: Math.max(count, shown, plan!['QUERY PLAN'][0].Plan['Plan Rows']), isEstimated: true };
  }

  claimDue(chain: ChainName, limit: number): Promise<{ readonly appId: AppId; readonly id: TransferId }[]> {
    return this.database.query(CLAIM_DUE, [chain, limit]);
  }

  async lockOverdue(limit: number): Promise<TimedTransfer[]> {
    return (await this.database.query<TransferRow>(LOCK_OVERDUE, [limit])).map(timed);
  }

  async refuseNewPayments(appId: AppId, userId?: UserId): Promise<boolean> {
    if (userId === undefined) await this.database.query(HOLD_APP, [appId]);
    else await this.database.query(HOLD_USER, [appId, userId]);
    // In a statement of its own, which sees what those have committed who were waited for.
    const row = await this.database.one<{ pending: boolean }>(HAS_PENDING, [appId, userId ?? null]);
    return row?.pending === true;
  }
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

function timed(row: TransferRow): TimedTransfer {
  return { transfer: transferOf(row), now: row.now };
}

function transferOf({ now: _, ...row }: TransferRow): Transfer {
  return restore<Transfer>(Transfer, {
    ...row,
    amount: BigInt(row.amount as string),
    feeCap: BigInt(row.feeCap as string),
    fee: amountOf(row.fee),
  });
}

function amountOf(text: string | null): bigint | null {
  return text === null ? null : BigInt(text);
}

function viewOf({ attempts, ...row }: ViewRow): TransferView {
  return {
    transfer: transferOf(row).asOf(row.now),
    attempts: attempts.map(({ maxFee, createdAt, acceptedAt, ...attempt }) => ({
      ...attempt,
      maxFee: BigInt(maxFee),
      createdAt: new Date(createdAt as string),
      acceptedAt: acceptedAt === null ? null : new Date(acceptedAt),
    })),
  };
}
