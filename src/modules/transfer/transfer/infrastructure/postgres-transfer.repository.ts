import { Injectable } from '@nestjs/common';
import type { AppId, BatchId, TransferId } from '../../../../kernel/ids.js';
import { type Page, pageFrom } from '../../../../kernel/paging.js';
import { RowMacs, unalteredPage } from '../../../../kernel/row-macs.js';
import { Database } from '../../../../postgres/database.js';
import { explainedPlan, type ExplainRow } from '../../../../postgres/explained-plan.js';
import { named } from '../../../../postgres/statement.js';
import { type Query, ReadTooSlow, SlowReads } from '../../../../postgres/slow-reads.js';
import {
  type AttemptView,
  type ManagedTransfer,
  type ManagedTransferQuery,
  type NewTransfer,
  type TimedTransfer,
  type TransferPage,
  type TransferQuery,
  TransferRepository,
  type TransferView,
} from '../domain/transfer.repository.js';
import type { Attempt, Transfer } from '../domain/transfer.js';
import { ListTooBroad, TransferNotFound } from '../domain/transfer.errors.js';
import {
  ATTEMPT,
  attemptOf,
  type AttemptRow,
  NEW_TRANSFER,
  timed,
  TIMED_TRANSFER,
  type TimedRow,
  TRANSFER,
  TRANSFER_MAC,
  transferOf,
  type TransferRow,
} from './transfer-rows.js';

// The subquery of the app's rows makes Citus take the history of their node, not that of the coordinator.
const ADD = named(`
  with here as materialized (
    select database_history() as history, exists (select from transfers where app_id = $appId and id = $id)
  )
  insert into transfers as t (${NEW_TRANSFER.names}, expires_at, history)
  select ${NEW_TRANSFER.values}, now() + make_interval(secs => $quoteSeconds), here.history from here
  on conflict (app_id, custom_id) where custom_id is not null do nothing
  returning ${TRANSFER}`);

const FIND = `select ${TIMED_TRANSFER} from transfers t where t.app_id = $1 and t.id = $2`;

const WITH_CUSTOM_ID = `select ${TRANSFER} from transfers t where t.app_id = $1 and t.custom_id = $2`;

const ATTEMPTS = `select ${ATTEMPT} from transfer_attempts a where app_id = $1 and transfer_id = $2 order by ordinal`;

const ATTEMPT_VIEWS = `
  (select coalesce(json_agg(json_build_object('hash', a.hash, 'kind', a.kind, 'nonce', a.nonce, 'blockhash', a.blockhash,
      'maxFee', a.max_fee::text, 'createdAt', a.created_at, 'acceptedAt', a.accepted_at) order by a.ordinal), '[]')
     from transfer_attempts a where a.app_id = $1 and a.transfer_id = t.id) as attempts`;

const VIEW = `select ${TRANSFER}, ${ATTEMPT_VIEWS} from transfers t where t.app_id = $1 and t.id = $2`;

const BATCH = `
  select ${TIMED_TRANSFER}, ${ATTEMPT_VIEWS} from transfers t where t.app_id = $1 and t.batch_id = $2 order by t.id`;

const COUNTED_UP_TO = 10_000;

// Each set of filters is planned for its own index. The page selects ids first, so that rows skipped by the offset are not read.
const listWhere = (where: string): { readonly page: string; readonly count: string; readonly estimate: string } => {
  const counted = `from transfers t where ${where.replaceAll('$4', '$2').replaceAll('$5', '$3')}`;
  return {
    page: `
      with page as materialized (select t.id from transfers t where ${where} order by t.id desc limit $2 offset $3)
      select ${TRANSFER}, ${ATTEMPT_VIEWS} from page join transfers t on t.app_id = $1 and t.id = page.id order by t.id desc`,
    count: `select count(*)::int as count from (select ${counted} limit ${COUNTED_UP_TO + 1}) t`,
    estimate: `explain (format json) select ${counted}`,
  };
};
const LISTS = {
  all: listWhere('t.app_id = $1'),
  ofUser: listWhere('t.app_id = $1 and t.user_id = $4'),
  ofWallet: listWhere('t.app_id = $1 and t.source = $4'),
  ofBoth: listWhere('t.app_id = $1 and t.user_id = $4 and t.source = $5'),
  ofWallets: listWhere('t.app_id = $1 and t.source = any($4)'),
  ofUserAndWallets: listWhere('t.app_id = $1 and t.user_id = $4 and t.source = any($5)'),
};

type Condition = (value: string) => string;

/** A text for each set of conditions, each on the leading columns of an index that ends with the id. */
const selectManaged = (
  conditions: readonly Condition[],
  { stuck }: Pick<ManagedTransferQuery, 'stuck'> = {},
): string => `
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

const UNCONFIRMED = { status: 'unconfirmed', stage: null, confirmedBy: null, approvalId: null };

type AttemptJson = Record<'createdAt' | 'acceptedAt', string | null> &
  Omit<AttemptView, 'createdAt' | 'acceptedAt' | 'maxFee'> & { readonly maxFee: string };
type ViewRow = TransferRow & { readonly attempts: readonly AttemptJson[] };
type ManagedRow = ViewRow & Pick<ManagedTransfer, 'nextCheckAt'>;

@Injectable()
export class PostgresTransferRepository extends TransferRepository {
  constructor(
    private readonly database: Database,
    private readonly slowReads: SlowReads,
    private readonly macs: RowMacs,
  ) {
    super();
  }

  async add(transfer: NewTransfer): Promise<Transfer | null> {
    const { asset, amount, feeCap, dataFees } = transfer;
    const fields = {
      ...transfer,
      ...asset,
      currency: asset.name,
      amount: amount.toString(),
      feeCap: feeCap.toString(),
      l1Fee: dataFees.l1.toString(),
      operatorFee: dataFees.operator.toString(),
      ...UNCONFIRMED,
    };
    const mac = this.macs.of(TRANSFER_MAC, fields);
    const [row] = await this.database.write<TransferRow>(...ADD({ ...fields, mac }));
    return row ? transferOf(row) : null;
  }

  async withCustomId(appId: AppId, customId: string): Promise<Transfer | null> {
    const [row] = await this.database.read<TransferRow>(WITH_CUSTOM_ID, [appId, customId]);
    return row ? transferOf(row) : null;
  }

  async find(appId: AppId, id: TransferId): Promise<TimedTransfer | null> {
    const [row] = await this.database.read<TimedRow>(FIND, [appId, id]);
    return row ? timed(row) : null;
  }

  async batch(appId: AppId, id: BatchId): Promise<(TransferView & TimedTransfer)[]> {
    const rows = await this.database.list<ViewRow & TimedRow>(BATCH, [appId, id]);
    return rows.map(({ now, serverStartedAt, ...row }) => ({ ...viewOf(row), now, serverStartedAt }));
  }

  async attempts(appId: AppId, id: TransferId): Promise<Attempt[]> {
    return (await this.database.read<AttemptRow>(ATTEMPTS, [appId, id])).map(attemptOf);
  }

  async view(appId: AppId, id: TransferId): Promise<TransferView> {
    const [row] = await this.database.read<ViewRow>(VIEW, [appId, id]);
    if (!row) throw new TransferNotFound();
    return viewOf(row);
  }

  async list(appId: AppId, filter: TransferQuery): Promise<TransferPage> {
    const { userId, source, sources, offset } = filter;
    // Reads at most 10,000 index entries to count and as many to skip: not worth a place among the slow ones.
    if (offset <= COUNTED_UP_TO && (userId === undefined || source === undefined) && sources === undefined)
      return this.page(appId, filter, (sql, parameters) => this.database.list(sql, parameters));
    try {
      return await this.slowReads.run(appId, (query) => this.page(appId, filter, query));
    } catch (error) {
      throw error instanceof ReadTooSlow ? new ListTooBroad() : error;
    }
  }

  async getManaged(appId: AppId, id: TransferId): Promise<ManagedTransfer> {
    const [row] = await this.database.read<ManagedRow>(selectManaged([HAS_ID]), [appId, 1, id]);
    if (!row) throw new TransferNotFound();
    return managedOf(row);
  }

  async listManaged(
    appId: AppId,
    { limit, startingAfter, stuck, ...filters }: ManagedTransferQuery,
  ): Promise<Page<ManagedTransfer>> {
    const { items, hasMore } = await unalteredPage(
      { limit, startingAfter },
      async (page) => {
        const values = { ...filters, startingAfter: page.startingAfter };
        const names = (Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[]).filter(
          (name) => values[name] !== undefined,
        );
        const sql = selectManaged(
          names.map((name) => CONDITIONS[name]),
          { stuck },
        );
        const parameters = [appId, page.limit + 1, ...names.map((name) => values[name])];
        return pageFrom(await this.database.list<ManagedRow>(sql, parameters), page.limit);
      },
      (row) => this.isUnaltered(transferOf(row)),
    );
    return { items: items.map(managedOf), hasMore };
  }

  private isUnaltered(transfer: Transfer): boolean {
    return transfer.hasEnded() || this.macs.isUnaltered(TRANSFER_MAC, transfer);
  }

  private async page(
    appId: AppId,
    { userId, source, sources, limit, offset }: TransferQuery,
    query: Query,
  ): Promise<TransferPage> {
    const filters = [userId, sources ?? source].filter((filter) => filter !== undefined);
    const [ofAll, ofUser] = sources
      ? [LISTS.ofWallets, LISTS.ofUserAndWallets]
      : source === undefined
        ? [LISTS.all, LISTS.ofUser]
        : [LISTS.ofWallet, LISTS.ofBoth];
    const list = userId === undefined ? ofAll : ofUser;
    const rows = await query<ViewRow>(list.page, [appId, limit, offset, ...filters]);
    const [counted] = await query<{ count: number }>(list.count, [appId, ...filters]);
    const { count } = counted!;
    const page = { transfers: rows.map(viewOf).filter(({ transfer }) => this.isUnaltered(transfer)) };
    if (count <= COUNTED_UP_TO) return { ...page, count, isEstimated: false };
    const plan = explainedPlan(await query<ExplainRow>(list.estimate, [appId, ...filters]));
    // An estimate must not contradict the page itself.
    const shown = rows.length > 0 ? offset + rows.length : 0;
    return { ...page, count: Math.max(count, shown, plan['Plan Rows']), isEstimated: true };
  }
}

function viewOf({ attempts, ...row }: ViewRow): TransferView {
  return {
    transfer: transferOf(row),
    attempts: attempts.map(({ maxFee, createdAt, acceptedAt, ...attempt }) => ({
      ...attempt,
      maxFee: BigInt(maxFee),
      createdAt: new Date(createdAt as string),
      acceptedAt: acceptedAt === null ? null : new Date(acceptedAt),
    })),
  };
}

function managedOf({ nextCheckAt, ...row }: ManagedRow): ManagedTransfer {
  return { ...viewOf(row), nextCheckAt };
}
