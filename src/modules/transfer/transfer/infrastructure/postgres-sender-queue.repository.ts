import { Injectable } from '@nestjs/common';
import type { SearchProgress, StoredSearch } from '../../../../kernel/chain/chain.js';
import type { Balances, SignedAttempt } from '../../../../kernel/chain/payment.js';
import type { AppId, TransferId, WalletId } from '../../../../kernel/ids.js';
import { Database } from '../../../../postgres/database.js';
import { named } from '../../../../postgres/statement.js';
import { AppNotFound } from '../../../apps/index.js';
import type { Attempt } from '../domain/transfer.js';
import {
  isDoubted,
  isUncompared,
  type LastComparison,
  type ListedQueue,
  type QueueBooks,
  type QueueState,
} from '../domain/books.js';
import { HELD, SENDER_QUEUE_CAPACITY, type SenderQueueId } from '../domain/sender-queue.js';
import { SenderQueueRepository } from '../domain/sender-queue.repository.js';
import { HOLD_QUEUE, LOCK_QUEUE, RESERVATIONS, RESERVED } from './postgres-transfer-state.repository.js';
import {
  ATTEMPT,
  attemptOf,
  type AttemptRow,
  SERVER_STARTED,
  TRANSFER,
  transferOf,
  type TransferRow,
} from './transfer-rows.js';

const UNMINED = `
  select t.id from transfers t
    left join transfer_attempts a on a.app_id = t.app_id and a.transfer_id = t.id and a.ordinal = 0
   where t.app_id = $1 and t.network = $2 and t.source_address = $3 and t.status = 'pending' and t.stage <> 'mined'
   order by t.stage = 'queued', a.nonce, t.confirmed_at, t.id limit ${SENDER_QUEUE_CAPACITY}`;

const HAS_OPEN = `
  select exists (
    select from transfers
     where app_id = $1 and network = $2 and source_address = $3 and status = 'pending' and stage <> 'queued') as open`;

const HAS_SELF_TRANSFERS = `
  select exists (
    select from (select transfer_id, created_at from transfer_attempts
                  where app_id = $1 and network = $2 and address = $3 and nonce is not null
                  order by nonce desc limit 200) newest
     where transfer_id is null and created_at > now() - interval '1 hour') as "hasAny"`;

const ATTEMPTS_AT = `
  select ${ATTEMPT} from transfer_attempts a where app_id = $1 and network = $2 and address = $3 and nonce = $4 order by ordinal`;

const STATE = `
  select database_history() as "ofDatabase", ${SERVER_STARTED} as "serverStartedAt", ${SERVER_STARTED}::text as "serverStart",
         (select history from sender_queues where app_id = $1 and network = $2 and address = $3) as "ofQueue",
         (select next_nonce from sender_queues where app_id = $1 and network = $2 and address = $3) as "nextNonce",
         (select compared_from from sender_queues where app_id = $1 and network = $2 and address = $3) as "comparedFrom",
         (select held_in from sender_queues where app_id = $1 and network = $2 and address = $3) as "heldIn",
         coalesce((select unexplained from sender_queues where app_id = $1 and network = $2 and address = $3), '{}') as unexplained,
         (select compared_at from sender_queues where app_id = $1 and network = $2 and address = $3) as "comparedAt",
         (select compared_start from sender_queues where app_id = $1 and network = $2 and address = $3) as "comparedStart",
         clock_timestamp() as now, clock_timestamp()::text as "readAt"`;

/** Overdue unconfirmed ones are covered too: the database may have forgotten that they were confirmed and paid. */
const MOST_OPEN = 500;
const OPEN = `
  select ${TRANSFER} from transfers t
   where t.app_id = $1 and t.network = $2 and t.source_address = $3 and t.status in ('unconfirmed', 'awaiting_approval', 'pending')
   order by t.confirmed_at, t.id limit $4`;
const ATTEMPTS_OF = `
  select ${ATTEMPT} from transfer_attempts a where app_id = $1 and transfer_id = any($2::text[]) order by ordinal`;

// Every forgotten transfer was created after this one. A held queue may be of a copied data directory, which keeps its history; its server
// has started since.
const LOST_SINCE = `
  select created_at as since from transfers
   where app_id = $1 and network = $2 and source_address = $3 and mined_block is not null
     and (history is distinct from database_history() or ($4 and created_at <= ${SERVER_STARTED}))
   order by mined_block desc limit 1`;

const EXISTING = `select id from transfers where app_id = $1 and id = any($2::text[])`;

const LOAD_SEARCH = `
  select version, progress from history_searches where app_id = $1 and network = $2 and address = $3 and endpoint = $4`;
const STORE_SEARCH = `
  insert into history_searches as s (app_id, network, address, endpoint, version, progress) values ($1, $2, $3, $4, $6::integer + 1, $5)
  on conflict (app_id, network, address, endpoint) do update set version = excluded.version, progress = excluded.progress
   where s.version = $6
  returning version`;

const OPEN_OR_ENDED = `
  select id, status in ('unconfirmed', 'awaiting_approval', 'pending') as "isOpen"
    from transfers where app_id = $1 and id = any($2::text[])`;
const ATTEMPTS_AMONG = `select hash from transfer_attempts where app_id = $1 and network = $2 and hash = any($3::text[])`;

const HASHES_FROM = `
  select hash from transfer_attempts where app_id = $1 and network = $2 and address = $3 and nonce >= $4`;
const HASHES_OF_OPEN = `
  select a.hash from transfers t join transfer_attempts a on a.app_id = t.app_id and a.transfer_id = t.id
   where t.app_id = $1 and t.network = $2 and t.source_address = $3 and t.status in ('unconfirmed', 'awaiting_approval', 'pending')`;

// A process that has held the queue meanwhile may have seen transactions that this comparison has not.
const RELEASE = named<
  SenderQueueId &
    Record<'ofDatabase' | 'serverStart' | 'readAt', string> &
    Record<'ofQueue' | 'nonce' | 'comparedFrom' | 'unexplained', unknown>
>(`
  insert into sender_queues as l (app_id, network, address, history, next_nonce, compared_start, compared_at, unexplained)
  values ($appId, $network, $address, $ofDatabase, $nonce, $serverStart, $readAt, $unexplained)
  on conflict (app_id, network, address) do update
     set history = excluded.history, compared_from = null, held_in = null, next_nonce = greatest(l.next_nonce, excluded.next_nonce),
         compared_start = excluded.compared_start, compared_at = excluded.compared_at,
         unexplained = excluded.unexplained
   where l.history is not distinct from $ofQueue and l.compared_from is not distinct from $comparedFrom
  returning app_id`);

// A held queue is named by any of its transfers: it may have no open one.
const SUSPECTS = `
  select distinct t.app_id as "appId", t.network, t.source_address as address, t.chain, t.source
    from known_apps k cross join lateral (
      select o.app_id, o.network, o.source_address, o.chain, o.source, o.history, l.history as queue
        from transfers o
        left join sender_queues l on l.app_id = o.app_id and l.network = o.network and l.address = o.source_address
       where o.app_id = k.app_id and o.status in ('unconfirmed', 'awaiting_approval', 'pending')
       union all
      select o.* from (
        select t.app_id, t.network, t.source_address, t.chain, t.source, t.history, null
          from transfers t where t.app_id = k.app_id and t.source = $2 order by t.id desc limit 1) o
       union all
      select l.app_id, l.network, l.address, o.chain, o.source, o.history, l.history
        from sender_queues l cross join lateral (
          select * from transfers t
           where t.app_id = l.app_id and t.network = l.network and t.source_address = l.address limit 1) o
       where l.app_id = k.app_id and l.history = '') t
   where ($1::text is null or k.app_id = $1) and (
     t.source = $2 or ($2::text is null and (t.queue = ''
       or (coalesce(t.queue, '') <> database_history() and coalesce(t.history, '') <> database_history()))))
   limit $3`;

const LAST_USED = `
  select u.* from known_apps k cross join lateral (
    select l.app_id as "appId", l.network, l.address, o.chain, o.source, o.mined_block as block
      from sender_queues l cross join lateral (
        select * from transfers t
         where t.app_id = l.app_id and t.network = l.network and t.source_address = l.address and t.mined_block is not null
         order by t.mined_block desc limit 1) o
     where l.app_id = k.app_id) u
   where u."appId" = k.app_id and ($1::text is null or k.app_id = $1) order by u.block desc limit $2`;

const RESERVED_OF = named<
  Record<'appId' | 'network' | 'sourceAddress', string> & {
    token: string | null;
    balancesAt: number;
    ids: readonly string[];
  }
>(`with ${RESERVATIONS} select ${RESERVED} from counted_transfers`);

const COUNT_HELD = `
  select count(*)::int as held from known_apps k join sender_queues l on l.app_id = k.app_id and l.history = ''`;

const RECORD_SET_BACK = 'insert into set_backs (found_at) values (clock_timestamp()) on conflict do nothing';

const HAS_APP = `select exists (select from live_apps where app_id = $1) as "hasApp"`;

const STORE_SELF_TRANSFER = named(`
  insert into transfer_attempts (app_id, network, hash, kind, ordinal, address, raw, nonce, max_fee,
    valid_from_block, final_block, final_block_hash, first_broadcast_started_at)
  values ($appId, $network, $hash, 'cancellation', $ordinal, $address, $raw, $nonce, $maxFee, $validFromBlock, $finalBlock,
    $finalBlockHash, now())`);

// The rows move at once, or a transfer could be signed on the next chain with a nonce of this one.
const SET_ASIDE = [
  `update sender_queues t set network = $2 from known_apps a where t.app_id = a.app_id and t.network = $1`,
  `update history_searches t set network = $2 from known_apps a where t.app_id = a.app_id and t.network = $1`,
  `update transfers t set network = $2 from known_apps a where t.app_id = a.app_id and t.network = $1`,
  `update transfer_attempts t set network = $2 from known_apps a where t.app_id = a.app_id and t.network = $1`,
];
const COUNT_PENDING = `
  select count(*)::int as pending from known_apps a join transfers t on t.app_id = a.app_id
   where t.network = $1 and t.status = 'pending'`;

@Injectable()
export class PostgresSenderQueueRepository extends SenderQueueRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async unminedTransfers(id: SenderQueueId): Promise<TransferId[]> {
    return (await this.database.read<{ id: TransferId }>(UNMINED, keyOf(id))).map((transfer) => transfer.id);
  }

  async hasOpenTransfers(id: SenderQueueId): Promise<boolean> {
    return (await this.database.read<{ open: boolean }>(HAS_OPEN, keyOf(id)))[0]?.open === true;
  }

  async hasRecentSelfTransfers(id: SenderQueueId): Promise<boolean> {
    return (await this.database.read<{ hasAny: boolean }>(HAS_SELF_TRANSFERS, keyOf(id)))[0]?.hasAny === true;
  }

  async attemptsAt(id: SenderQueueId, nonce: number): Promise<Attempt[]> {
    return (await this.database.read<AttemptRow>(ATTEMPTS_AT, [...keyOf(id), nonce])).map(attemptOf);
  }

  async state(id: SenderQueueId): Promise<QueueState> {
    const [row] = await this.database.read<StateRow>(STATE, keyOf(id));
    const { nextNonce, comparedFrom, ofDatabase, ofQueue, now, comparedStart, ...state } = row!;
    const comparison = { now, comparedStart, serverStartedAt: state.serverStartedAt };
    return {
      ...state,
      isUncompared: isUncompared(comparison),
      isDoubted: isDoubted(comparison),
      nextNonce: nextNonce === null ? null : Number(nextNonce),
      comparedFrom: comparedFrom === null ? null : Number(comparedFrom),
      histories: { ofDatabase, ofQueue },
    };
  }

  async books(id: SenderQueueId, readsAll: boolean): Promise<QueueBooks> {
    const state = await this.state(id);
    const rows = await this.database.list<TransferRow>(OPEN, [...keyOf(id), readsAll ? null : MOST_OPEN + 1]);
    const transfers = rows.slice(0, readsAll ? rows.length : MOST_OPEN).map(transferOf);
    const { ofQueue, ofDatabase } = state.histories;
    const [lost] =
      readsAll || ofQueue !== ofDatabase
        ? await this.database.list<{ since: Date }>(LOST_SINCE, [...keyOf(id), readsAll || ofQueue === HELD])
        : [];
    const ids = transfers.map((transfer) => transfer.id);
    const attempts = (await this.database.list<AttemptRow>(ATTEMPTS_OF, [id.appId, ids])).map(attemptOf);
    const of = (transferId: TransferId): Attempt[] => attempts.filter((attempt) => attempt.transferId === transferId);
    return {
      ...state,
      lostSince: lost?.since ?? null,
      open: transfers.map((transfer) => ({ transfer, attempts: of(transfer.id) })),
      hasMore: rows.length > transfers.length,
    };
  }

  async lostAmong(appId: AppId, ids: readonly TransferId[]): Promise<TransferId[]> {
    const existing = await this.database.read<{ id: TransferId }>(EXISTING, [appId, ids]);
    return ids.filter((id) => !existing.some((each) => each.id === id));
  }

  async hashesFrom(id: SenderQueueId, nonce: number | null): Promise<string[]> {
    const [text, parameters] = nonce === null ? [HASHES_OF_OPEN, keyOf(id)] : [HASHES_FROM, [...keyOf(id), nonce]];
    return (await this.database.list<{ hash: string }>(text, parameters)).map(({ hash }) => hash);
  }

  async markHeld(id: SenderQueueId, from: number | null, heldIn: string | null = null): Promise<void> {
    await this.database.write(HOLD_QUEUE, [...keyOf(id), from, heldIn, HELD]);
  }

  async markWaiting(id: SenderQueueId, from: number, heldIn: string): Promise<void> {
    await this.database.write(HOLD_QUEUE, [...keyOf(id), from, heldIn, null]);
  }

  async release(
    id: SenderQueueId,
    books: QueueBooks,
    nonce: number | null,
    unexplained: readonly string[],
  ): Promise<boolean> {
    const { histories, comparedFrom, serverStart, readAt } = books;
    // A comparison under an earlier server would hide payments that a restored snapshot has forgotten.
    await this.database.write(LOCK_QUEUE, keyOf(id));
    const current = await this.state(id);
    if (current.serverStart !== serverStart || current.histories.ofDatabase !== histories.ofDatabase) return false;
    const released = await this.database.write(
      ...RELEASE({ ...id, ...histories, nonce, comparedFrom, serverStart, readAt, unexplained }),
    );
    return released.length > 0;
  }

  suspects(appId: AppId | null, wallet: WalletId | null, limit: number): Promise<ListedQueue[]> {
    return this.database.list(SUSPECTS, [appId, wallet, limit]);
  }

  lastUsed(appId: AppId | null, limit: number): Promise<ListedQueue[]> {
    return this.database.list(LAST_USED, [appId, limit]);
  }

  async reserved(
    { address: sourceAddress, ...id }: SenderQueueId,
    token: string | null,
    balancesAt: number,
  ): Promise<Balances> {
    const parameters = { ...id, sourceAddress, token, balancesAt, ids: [] };
    const [row] = await this.database.read<Record<keyof Balances, string>>(...RESERVED_OF(parameters));
    return { coin: BigInt(row!.coin), asset: BigInt(row!.asset) };
  }

  searchProgress(id: SenderQueueId): SearchProgress {
    const { appId, network } = id;
    return {
      load: async (endpoint) => {
        const [stored] = await this.database.list<StoredSearch>(LOAD_SEARCH, [...keyOf(id), endpoint]);
        return stored ?? null;
      },
      store: async (endpoint, progress, version) => {
        const stored = await this.database.write(STORE_SEARCH, [...keyOf(id), endpoint, progress, version]);
        return stored.length > 0;
      },
      forgotten: async (named) => {
        const [transfers, attempts] = await Promise.all([
          this.database.list<{ id: TransferId; isOpen: boolean }>(OPEN_OR_ENDED, [appId, named.map((each) => each.id)]),
          this.database.list<{ hash: string }>(ATTEMPTS_AMONG, [appId, network, named.map(({ hash }) => hash)]),
        ]);
        const isOpen = new Map(transfers.map((transfer) => [transfer.id, transfer.isOpen]));
        const known = new Set(attempts.map(({ hash }) => hash));
        const unknown = named.filter(({ hash }) => !known.has(hash));
        const hashesOf = (state: boolean | undefined): string[] =>
          unknown.filter((each) => isOpen.get(each.id) === state).map(({ hash }) => hash);
        return { ofOpen: hashesOf(true), ofMissing: hashesOf(undefined) };
      },
    };
  }

  async countHeld(): Promise<number> {
    return (await this.database.list<{ held: number }>(COUNT_HELD))[0]!.held;
  }

  async lock(id: SenderQueueId): Promise<void> {
    void this.database.write(LOCK_QUEUE, keyOf(id));
    const [app] = await this.database.read<{ hasApp: boolean }>(HAS_APP, [id.appId]);
    if (!app?.hasApp) throw new AppNotFound();
  }

  async setAside(network: string, name: string): Promise<number> {
    for (const statement of SET_ASIDE) await this.database.write(statement, [network, name]);
    const [row] = await this.database.list<{ pending: number }>(COUNT_PENDING, [name]);
    return row!.pending;
  }

  async recordSetBack(): Promise<void> {
    await this.database.write(RECORD_SET_BACK);
  }

  storeSelfTransfer(id: SenderQueueId, bytes: SignedAttempt, ordinal: number): void {
    const row = { ...bytes, ...id, ordinal, maxFee: bytes.maxFee.toString() };
    void this.database.write(...STORE_SELF_TRANSFER(row), { storesSigned: true });
  }
}

interface StateRow
  extends Omit<QueueState, 'histories' | 'nextNonce' | 'comparedFrom' | 'isUncompared' | 'isDoubted'>, LastComparison {
  readonly ofDatabase: string;
  readonly ofQueue: string | null;
  readonly nextNonce: string | null;
  readonly comparedFrom: string | null;
}

function keyOf({ appId, network, address }: SenderQueueId): [string, string, string] {
  return [appId, network, address];
}
