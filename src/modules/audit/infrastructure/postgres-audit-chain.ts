import { Injectable } from '@nestjs/common';
import type { KeyObject } from 'node:crypto';
import { Log } from '../../../kernel/log.js';
import { ServiceKeys } from '../../../kernel/service-keys.js';
import { Transactions } from '../../../kernel/transactions.js';
import { currentTransaction } from '../../../postgres/current-transaction.js';
import { isDatabaseUnavailable } from '../../../postgres/database-unavailable.js';
import { Database } from '../../../postgres/database.js';
import { ENDS_WHEN_PAUSED } from '../../../postgres/session-settings.js';
import { failureText } from '../../../services/jobs/failure-text.js';
import { AuditChain, type ChainedBatch } from '../domain/audit-chain.js';
import { type ChainedContent, hashOfLink, LINK_KEY, macOfLink, NO_LINK } from '../domain/chain-link.js';
import { CONTENT_OF_LINK } from './chain-rows.js';

const ENTRIES_PER_BATCH = 1_000;
/** Few enough for a batch to take at least ten entries of each. */
const APPS_PER_BATCH = 100;

/** The apps with waiting entries. Their heads are the locks: no two batches extend one chain at the same time. */
const CLAIM = `
  with recursive waiting (app_id, place) as (
    (select app_id, 1 from audit_log where number is null and app_id >= $1 order by app_id limit 1)
     union all
    select following.app_id, place + 1
      from waiting w
     cross join lateral (
       select app_id from audit_log where number is null and app_id > w.app_id order by app_id limit 1
     ) following
     where place < $2
  ), claimed as (
    select app_id from audit_chains where app_id in (select app_id from waiting) for update skip locked
  )
  select array(select app_id from claimed) as claimed,
         array(select app_id from waiting except select app_id from audit_chains) as "newApps",
         (select case when count(*) = $2 then max(app_id) else '' end from waiting) as after`;

const LOCK_ONE = 'select from audit_chains where app_id = $1 for update skip locked';

/** A statement of its own: its snapshot must show what the previous holder of a head has chained. */
const NEXT = `
  select c.app_id as "appId", c.last_number::float8 as "lastNumber", c.last_hash as "lastHash",
         case when c.last_number = 0 then true else l.hash = c.last_hash end as "isLast", l.mac as "lastMac", e.*,
         (extract(epoch from now()) * 1000000)::bigint::text as "chainedAt"
    from audit_chains c
    left join audit_log l on l.app_id = c.app_id and l.number = c.last_number
   cross join lateral (
     select ${CONTENT_OF_LINK} from audit_log e where e.app_id = c.app_id and e.number is null order by e.id limit $2
   ) e
   where c.app_id = any($1) order by c.app_id, e.id`;

const APPEND = `
  with given as (
    select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bytea[], $5::bytea[]) as l (app_id, id, number, hash, mac)
  ), linked as (
    update audit_log e set number = l.number, hash = l.hash, mac = l.mac, chained_at = now()
      from given l where e.app_id = l.app_id and e.id = l.id and e.number is null
    returning e.id
  ), advanced as (
    update audit_chains c set last_number = l.number, last_hash = l.hash
      from (select distinct on (app_id) * from given order by app_id, number desc) l where c.app_id = l.app_id
  )
  select count(*)::int as linked from linked`;

/** In one order, because it waits for another caller that adds the same app. */
const ADD_CHAINS = `
  insert into audit_chains (app_id, last_hash) select app_id, $2 from unnest($1::text[]) as app_id order by 1
  on conflict (app_id) do nothing`;

interface Claim {
  readonly claimed: readonly string[];
  /** Apps whose first entries wait. */
  readonly newApps: readonly string[];
  readonly after: string;
}

interface Advanced extends Claim {
  readonly sequenced: number;
  /** Whether more entries of these chains may wait. */
  readonly isFull: boolean;
}

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
  /** Chains that could not be extended, because their head or an entry is damaged. */
  private readonly damaged = new Set<string>();
  /** The last number that this process has given in each chain. A chain that is shorter was set back. */
  private readonly given = new Map<string, number>();
  private readonly key: KeyObject;

  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
    private readonly log: Log,
    keys: ServiceKeys,
  ) {
    super();
    this.key = keys.derive(LINK_KEY);
  }

  async advance(from: string): Promise<ChainedBatch> {
    const { newApps, after, sequenced, isFull } = await this.advanceAll(from);
    if (newApps.length === 0) return { sequenced, after, hasMore: isFull || after !== '' };
    await this.addChains(newApps);
    return { sequenced, after: from, hasMore: true };
  }

  /** Creates the heads of chains that have none yet. */
  async addChains(appIds: readonly string[]): Promise<void> {
    await this.database.write(ADD_CHAINS, [appIds, NO_LINK]);
  }

  async hasWaiting(): Promise<boolean> {
    const waiting = await this.database.list('select from audit_log where number is null limit 1');
    return waiting.length > 0;
  }

  /** By one transaction. If it fails, by one for each chain, so that a damaged chain does not stop the other chains. */
  private async advanceAll(from: string): Promise<Advanced> {
    try {
      return await this.transactions.run(async () => {
        const claim = await this.claim(from);
        const share = Math.floor(ENTRIES_PER_BATCH / Math.max(claim.claimed.length, 1));
        const sequenced = await this.extend(claim.claimed, share);
        return { ...claim, sequenced, isFull: sequenced > 0 && sequenced >= share };
      });
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      const claim = await this.transactions.run(() => this.claim(from));
      let sequenced = 0;
      for (const appId of claim.claimed) sequenced += await this.extendOne(appId);
      return { ...claim, sequenced, isFull: sequenced > 0 };
    }
  }

  private async claim(from: string): Promise<Claim> {
    void this.database.write(ENDS_WHEN_PAUSED);
    const [claim] = await this.database.write<Claim>(CLAIM, [from, APPS_PER_BATCH]);
    return claim!;
  }

  private async extendOne(appId: string): Promise<number> {
    try {
      const sequenced = await this.transactions.run(async () => {
        void this.database.write(ENDS_WHEN_PAUSED);
        const locked = await this.database.write(LOCK_ONE, [appId]);
        return locked.length > 0 ? this.extend([appId], ENTRIES_PER_BATCH) : 0;
      });
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

  /** Appends up to `share` waiting entries to each of these chains, which are locked. */
  private async extend(claimed: readonly string[], share: number): Promise<number> {
    if (claimed.length === 0) return 0;
    const rows = await this.database.list<NextRow>(NEXT, [claimed, share]);
    if (rows.length > 0) await this.append(rows);
    return rows.length;
  }

  private async append(rows: readonly NextRow[]): Promise<void> {
    const links: { readonly row: NextRow; readonly number: number; readonly hash: Buffer }[] = [];
    for (const row of rows) {
      const last = links.at(-1);
      const isSameChain = last?.row.appId === row.appId;
      if (!isSameChain) this.requireOwnEnd(row);
      const number = (isSameChain ? last.number : row.lastNumber) + 1;
      const hash = hashOfLink(isSameChain ? last.hash : row.lastHash, row.appId, { ...row, number });
      links.push({ row, number, hash });
    }
    const [{ linked }] = (await this.database.write<{ linked: number }>(APPEND, [
      links.map(({ row }) => row.appId),
      links.map(({ row }) => row.id),
      links.map(({ number }) => number),
      links.map(({ hash }) => hash),
      links.map(({ hash }) => macOfLink(this.key, hash)),
    ])) as [{ linked: number }];
    if (linked !== links.length) throw new Error(`${linked} of ${links.length} entries were chained.`);
    currentTransaction()?.onCommit(() => {
      for (const { row, number } of links) this.given.set(row.appId, number);
    });
  }

  /** A MAC on a forged end would make it the service's own. */
  private requireOwnEnd({ appId, lastNumber, lastHash, isLast, lastMac }: NextRow): void {
    const isOwn = isLast === true && (lastMac === null || macOfLink(this.key, lastHash).equals(lastMac));
    if (!isOwn) throw new Error(`The head of the chain does not name its last link, or that link has another MAC.`);
    const given = this.given.get(appId) ?? 0;
    if (lastNumber < given) throw new Error(`The chain ends at ${lastNumber}, and this process has chained ${given}.`);
  }
}
