import { Injectable } from '@nestjs/common';
import { Log } from '../../../kernel/log.js';
import { ServiceKeys } from '../../../kernel/service-keys.js';
import { Transactions } from '../../../kernel/transactions.js';
import { currentTransaction } from '../../../postgres/current-transaction.js';
import { isDatabaseUnavailable } from '../../../postgres/database-unavailable.js';
import { appsIn } from '../../../postgres/apps-in-table.js';
import { Database } from '../../../postgres/database.js';
import { ENDS_WHEN_PAUSED } from '../../../postgres/session-settings.js';
import { failureText } from '../../../services/jobs/failure-text.js';
import { AuditChain, type ChainedBatch } from '../domain/audit-heads.js';
import { type ChainedContent, hashOfLink, LINK_KEY, macOfLink, NO_LINK } from '../domain/chain-link.js';
import { CONTENT_OF_LINK } from './postgres-audit-entries.js';

const ENTRIES_PER_BATCH = 1_000;

const WAITING_ROWS = 'audit_log where number is null';
const WAITING = `select from ${WAITING_ROWS}`;

/** The head of a chain is its lock: no two batches extend one chain at the same time. */
const LOCK = 'select from audit_chains where app_id = $1 for update skip locked';

/** The statement stands alone, because its snapshot must show the entries that the previous holder of a head has chained. */
const NEXT = `
  select c.app_id as "appId", c.last_number::float8 as "lastNumber", c.last_hash as "lastHash",
         case when c.last_number = 0 then true else l.hash = c.last_hash end as "isLast", l.mac as "lastMac", e.*,
         (extract(epoch from now()) * 1000000)::bigint::text as "chainedAt"
    from audit_chains c
    left join audit_log l on l.app_id = c.app_id and l.number = c.last_number
   cross join lateral (
     select ${CONTENT_OF_LINK} from audit_log e where e.app_id = $1 and e.number is null order by e.id limit $2
   ) e
   where c.app_id = $1 order by e.id`;

/** The time is a parameter, because it is in the hash of each link: on Citus now() of a read differs from that of a change. */
const APPEND = `
  with given as (
    select * from unnest($2::text[], $3::bigint[], $4::bytea[], $5::bytea[]) as l (id, number, hash, mac)
  ), linked as (
    update audit_log e set number = l.number, hash = l.hash, mac = l.mac, chained_at = timestamptz 'epoch' + $6::bigint * interval '1 microsecond'
      from given l where e.app_id = $1 and e.id = l.id and e.number is null
    returning e.id
  ), advanced as (
    update audit_chains c set last_number = l.number, last_hash = l.hash
      from (select * from given order by number desc limit 1) l where c.app_id = $1
  )
  select count(*)::int as linked from linked`;

/** The rows are added in one order, because callers that add the same apps wait for each other. */
const ADD_CHAINS = `
  insert into audit_chains (app_id, last_hash) select app_id, $2 from unnest($1::text[]) as app_id order by 1
  on conflict (app_id) do nothing`;

type NextRow = ChainedContent & {
  readonly appId: string;
  readonly lastNumber: number;
  readonly lastHash: Buffer;
  /** Whether the head of the chain names the hash of its last link. */
  readonly isLast: boolean | null;
  /** Null for a chain without links, and for a link of the release before keyed links. */
  readonly lastMac: Buffer | null;
  readonly chainedAt: string;
};

@Injectable()
export class PostgresAuditChain extends AuditChain {
  private readonly damaged = new Set<string>();
  /** The last number that this process has given in each chain. A chain that is shorter was set back. */
  private readonly given = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
    private readonly log: Log,
    private readonly keys: ServiceKeys,
  ) {
    super();
  }

  async advance(from: string): Promise<ChainedBatch> {
    const { appIds: named, after } = await appsIn(this.database, WAITING_ROWS, from);
    const ofNoApp = from === '' ? await this.database.list(`${WAITING} and app_id = '' limit 1`) : [];
    const appIds = [...ofNoApp.map(() => ''), ...named];
    // After the last app, those before it may have more.
    if (appIds.length === 0) return { sequenced: 0, after, hasMore: from !== '' };
    await this.addChains(appIds);
    const share = Math.floor(ENTRIES_PER_BATCH / appIds.length);
    const sequenced = await this.extendAll(appIds, share);
    return { sequenced, after, hasMore: sequenced >= share || after !== '' };
  }

  async addChains(appIds: readonly string[]): Promise<void> {
    await this.database.write(ADD_CHAINS, [appIds, NO_LINK]);
  }

  async hasWaiting(): Promise<boolean> {
    return (await this.database.list(`${WAITING} limit 1`)).length > 0;
  }

  /** If the one transaction fails, each chain gets its own, so that a damaged chain does not stop the other chains. */
  private async extendAll(appIds: readonly string[], share: number): Promise<number> {
    try {
      return await this.transactions.run(() => this.extend(appIds, share));
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      let sequenced = 0;
      for (const appId of appIds) sequenced += await this.extendOne(appId);
      return sequenced;
    }
  }

  private async extendOne(appId: string): Promise<number> {
    try {
      const sequenced = await this.transactions.run(() => this.extend([appId], ENTRIES_PER_BATCH));
      this.damaged.delete(appId);
      return sequenced;
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      if (!this.damaged.has(appId))
        this.log.error({ app_id: appId, err: failureText(error) }, 'an audit chain cannot be extended');
      this.damaged.add(appId);
      return 0;
    }
  }

  private async extend(appIds: readonly string[], share: number): Promise<number> {
    void this.database.write(ENDS_WHEN_PAUSED);
    const locks = await Promise.all(appIds.map((appId) => this.database.write(LOCK, [appId])));
    const locked = appIds.filter((_, index) => locks[index]!.length > 0);
    const waiting = await Promise.all(locked.map((appId) => this.database.list<NextRow>(NEXT, [appId, share])));
    await Promise.all(waiting.map((rows) => this.append(rows)));
    return waiting.flat().length;
  }

  private async append(rows: readonly NextRow[]): Promise<void> {
    const [first] = rows;
    if (!first) return;
    this.requireOwnEnd(first);
    const { appId } = first;
    let [number, hash] = [first.lastNumber, first.lastHash];
    const links = rows.map((row) => {
      number++;
      hash = hashOfLink(hash, appId, { ...row, number });
      return { id: row.id, number, hash };
    });
    const [{ linked }] = (await this.database.write<{ linked: number }>(APPEND, [
      appId,
      links.map((link) => link.id),
      links.map((link) => link.number),
      links.map((link) => link.hash),
      links.map((link) => macOfLink(this.keys.derive(LINK_KEY), link.hash)),
      first.chainedAt,
    ])) as [{ linked: number }];
    if (linked !== links.length) throw new Error(`${linked} of ${links.length} entries were chained.`);
    currentTransaction()?.onCommit(() => this.given.set(appId, number));
  }

  /** A MAC on a forged end would make it the service's own. */
  private requireOwnEnd({ appId, lastNumber, lastHash, isLast, lastMac }: NextRow): void {
    const isOwn =
      isLast === true && (lastMac === null || macOfLink(this.keys.derive(LINK_KEY), lastHash).equals(lastMac));
    if (!isOwn) throw new Error(`The head of the chain does not name its last link, or that link has another MAC.`);
    const given = this.given.get(appId) ?? 0;
    if (lastNumber < given) throw new Error(`The chain ends at ${lastNumber}, and this process has chained ${given}.`);
  }
}
