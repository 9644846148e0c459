import { Injectable } from '@nestjs/common';
import { Database } from '../../../postgres/database.js';
import type { ChainLink } from '../domain/chain-link.js';
import { ChainReader, type StoredChain } from '../domain/chain-reader.js';
import type { ChainHead } from '../domain/chain-check.js';
import type { Checkpoint, Cut } from '../domain/checkpoint.js';
import { COLUMNS_OF_CHECKPOINT, CONTENT_OF_LINK, inPages, PAGE } from './postgres-audit-entries.js';

const CHAINS = `
  select app_id as "appId"
    from (select app_id from known_apps union select app_id from audit_chains union select '') chains
   where $1::text is null or app_id > $1
   order by app_id limit ${PAGE}`;

const HEADS = `
  select app_id as "appId", last_number::float8 as "lastNumber", last_hash as "lastHash", last_checkpoint::float8 as "lastCheckpoint"
    from audit_chains where $1::text is null or app_id > $1 order by app_id limit ${PAGE}`;

/** The statement reads all in one snapshot, because the sequencer changes all of it in one transaction. */
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
  select ${COLUMNS_OF_CHECKPOINT} from audit_checkpoints where app_id = $1 and seq > $2 and number >= $3 order by seq limit ${PAGE}`;

const CUTS = `
  select first::float8 as first, last::float8 as last, hash, at, key_id as "keyId", signature
    from audit_cuts where app_id = $1 and last > $2 order by last limit ${PAGE}`;

@Injectable()
export class PostgresChainReader extends ChainReader {
  constructor(private readonly database: Database) {
    super();
  }

  async *chains(): AsyncGenerator<string> {
    const read = (last?: { appId: string }) => this.database.list<{ appId: string }>(CHAINS, [last?.appId ?? null]);
    for await (const { appId } of inPages(read)) yield appId;
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
    type Row = ChainLink & { salt: Buffer | null; ip: string };
    const read = (last?: Row) => this.database.list<Row>(LINKS, [appId, last?.number ?? after]);
    for await (const { salt, ip, ...link } of inPages(read)) yield { ...link, personalData: salt && { salt, ip } };
  }

  checkpoints(appId: string, from: number): AsyncGenerator<Checkpoint> {
    return inPages((last?: Checkpoint) => this.database.list<Checkpoint>(CHECKPOINTS, [appId, last?.seq ?? 0, from]));
  }

  cuts(appId: string, after: number): AsyncGenerator<Cut> {
    return inPages((last?: Cut) => this.database.list<Cut>(CUTS, [appId, last?.last ?? after]));
  }

  heads(): AsyncGenerator<ChainHead & { readonly appId: string }> {
    type Row = ChainHead & { readonly appId: string };
    return inPages((last?: Row) => this.database.list<Row>(HEADS, [last?.appId ?? null]));
  }

  async hashAt(appId: string, number: number): Promise<Uint8Array | null> {
    const [row] = await this.database.list<{ hash: Buffer }>(
      'select hash from audit_log where app_id = $1 and number = $2',
      [appId, number],
    );
    return row?.hash ?? null;
  }
}
