import { Injectable } from '@nestjs/common';
import { Database } from '../../../postgres/database.js';
import type { ChainLink } from '../domain/chain-link.js';
import { ChainReader, type StoredChain } from '../domain/chain-reader.js';
import type { ChainHead } from '../domain/chain-check.js';
import type { Checkpoint } from '../domain/checkpoint.js';
import type { Cut } from '../domain/cut.js';
import { CONTENT_OF_LINK } from './link-columns.js';

const PAGE = 1_000;

const CHAINS = `
  select app_id as "appId"
    from (select app_id from known_apps union select app_id from audit_chains union select '') chains
   where $1::text is null or app_id > $1
   order by app_id limit ${PAGE}`;

const HEADS = `
  select app_id as "appId", last_number::float8 as "lastNumber", last_hash as "lastHash", last_checkpoint::float8 as "lastCheckpoint"
    from audit_chains where $1::text is null or app_id > $1 order by app_id limit ${PAGE}`;

/** One snapshot: the sequencer changes all of it in one transaction. */
const FIND = `
  select c.last_number::float8 as "headNumber", c.last_hash as "headHash", c.last_checkpoint::float8 as "headCheckpoint",
         coalesce((select max(number) from audit_log where app_id = $1), 0)::float8 as "lastNumber",
         coalesce((select max(seq) from audit_checkpoints where app_id = $1), 0)::float8 as "lastCheckpoint",
         (select count(*) from audit_log where app_id = $1 and number is null)::int as unchained,
         (select count(*) from audit_log where app_id = $1 and number < 1)::int as misplaced
    from (select) as one left join audit_chains c on c.app_id = $1`;

const LINKS = `
  select ${CONTENT_OF_LINK}, e.number::float8 as number, e.hash, e.mac, p.salt, p.ip,
         (extract(epoch from e.chained_at) * 1000000)::bigint::text as "chainedAt"
    from audit_log e left join audit_personal_data p on p.app_id = e.app_id and p.entry_id = e.id
   where e.app_id = $1 and e.number > $2 order by e.number limit ${PAGE}`;

const CHECKPOINTS = `
  select seq::float8 as seq, kind, head::float8 as head, previous, number::float8 as number, hash, at, key_id as "keyId", signature
    from audit_checkpoints where app_id = $1 and seq > $2 and number >= $3 order by seq limit ${PAGE}`;

const CUTS = `
  select first::float8 as first, last::float8 as last, hash, at, key_id as "keyId", signature
    from audit_cuts where app_id = $1 and last > $2 order by last limit ${PAGE}`;

@Injectable()
export class PostgresChainReader extends ChainReader {
  constructor(private readonly database: Database) {
    super();
  }

  async *chains(): AsyncGenerator<string> {
    for (let after: string | null = null; ;) {
      const rows: { appId: string }[] = await this.database.list<{ appId: string }>(CHAINS, [after]);
      for (const { appId } of rows) yield appId;
      if (rows.length < PAGE) return;
      after = rows.at(-1)!.appId;
    }
  }

  async find(appId: string): Promise<StoredChain> {
    const [row] = await this.database.list<
      Omit<StoredChain, 'head'> & { headNumber: number | null; headHash: Buffer; headCheckpoint: number }
    >(FIND, [appId]);
    const { headNumber, headHash, headCheckpoint, ...rest } = row!;
    const head =
      headNumber === null ? null : { lastNumber: headNumber, lastHash: headHash, lastCheckpoint: headCheckpoint };
    return { ...rest, head };
  }

  async *links(appId: string, after: number): AsyncGenerator<ChainLink> {
    for (let last = after; ;) {
      const rows = await this.database.list<ChainLink & { salt: Buffer | null; ip: string }>(LINKS, [appId, last]);
      for (const { salt, ip, ...link } of rows) yield { ...link, personalData: salt && { salt, ip } };
      if (rows.length < PAGE) return;
      last = rows.at(-1)!.number;
    }
  }

  async *checkpoints(appId: string, from: number): AsyncGenerator<Checkpoint> {
    for (let last = 0; ;) {
      const rows = await this.database.list<Checkpoint>(CHECKPOINTS, [appId, last, from]);
      yield* rows;
      if (rows.length < PAGE) return;
      last = rows.at(-1)!.seq;
    }
  }

  async *cuts(appId: string, after: number): AsyncGenerator<Cut> {
    for (let last = after; ;) {
      const rows = await this.database.list<Cut>(CUTS, [appId, last]);
      yield* rows;
      if (rows.length < PAGE) return;
      last = rows.at(-1)!.last;
    }
  }

  async *heads(): AsyncGenerator<ChainHead & { readonly appId: string }> {
    for (let after: string | null = null; ;) {
      const rows: (ChainHead & { appId: string })[] = await this.database.list(HEADS, [after]);
      yield* rows;
      if (rows.length < PAGE) return;
      after = rows.at(-1)!.appId;
    }
  }

  async hashAt(appId: string, number: number): Promise<Uint8Array | null> {
    const [row] = await this.database.list<{ hash: Buffer }>(
      'select hash from audit_log where app_id = $1 and number = $2',
      [appId, number],
    );
    return row?.hash ?? null;
  }
}
