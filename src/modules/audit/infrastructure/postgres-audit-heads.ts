import { Injectable } from '@nestjs/common';
import { Database } from '../../../postgres/database.js';
import { named } from '../../../postgres/statement.js';
import { Config } from '../../../services/config/config.js';
import { type AuditHistory, AuditHeads, type NewCheckpoint } from '../domain/audit-heads.js';
import type { Cut } from '../domain/checkpoint.js';
import { BrokenLink } from '../domain/chain-check.js';
import { type ChainEnd, headInLine, type KnownHead, lineOfHead, type ServiceHead } from '../domain/service-head.js';
import { COLUMNS_OF_CHECKPOINT, inPages, PAGE } from './postgres-audit-entries.js';

const HEAD = `seq::float8 as seq, at, chains::float8 as chains, entries::float8 as entries, digest, previous, key_id as "keyId", signature`;

const HISTORY = `
  select exists (select 1 from known_apps) as "hasApps",
         exists (select 1 from audit_log where number is not null) as "hasLinks",
         exists (select 1 from audit_checkpoints where kind is null) as "hasNamed", former.*
    from (select 1 as one) as one
    left join (select app_id as "appId", ${COLUMNS_OF_CHECKPOINT} from audit_checkpoints where kind is not null limit 1) former on true`;

/** The ends stand beside the last head only, because those of earlier heads are not needed again. */
const STORE_HEAD = `
  with emptied as (
    update audit_heads set ends = null where ends is not null and seq < $seq
  )
  insert into audit_heads (seq, at, chains, entries, digest, previous, key_id, signature, ends)
  values ($seq, $at, $chains, $entries, $digest, $previous, $keyId, $signature, $ends) on conflict (seq) do nothing returning seq`;

/** The name under which the newest head is kept. A replica of the release before does not keep it, so it may be an earlier one. */
const NEWEST = 'audit_head';
const STORE_NEWEST = `
  insert into service_state (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value`;

const STORE_CHECKPOINTS = `
  insert into audit_checkpoints (app_id, seq, head, number, hash, previous, at, key_id, signature)
  select * from unnest($appId::text[], $seq::bigint[], $head::bigint[], $number::bigint[], $hash::bytea[], $previous::bytea[],
                       $at::timestamptz[], $keyId::text[], $signature::bytea[])`;
const NAME_CHECKPOINTS = `
  update audit_chains c set last_checkpoint = g.seq
    from unnest($1::text[], $2::bigint[]) as g (app_id, seq) where c.app_id = g.app_id`;

const STORED = ['appId', 'seq', 'head', 'number', 'hash', 'previous', 'at', 'keyId', 'signature'] as const;

/** Earlier cuts within the range are part of the new one. */
const STORE_CUT = `
  with removed as (
    delete from audit_log where app_id = $appId and number between $first and $last returning id
  ), forgotten as (
    delete from audit_personal_data p using removed r where p.app_id = $appId and p.entry_id = r.id
  ), extended as (
    delete from audit_cuts where app_id = $appId and last >= $first and last < $last
  )
  insert into audit_cuts (app_id, first, last, hash, at, key_id, signature) values ($appId, $first, $last, $hash, $at, $keyId, $signature)
  on conflict (app_id, last) do update set first = $first, hash = $hash, at = $at, key_id = $keyId, signature = $signature`;

@Injectable()
export class PostgresAuditHeads extends AuditHeads {
  readonly refusalsKeptDays: number;

  constructor(
    private readonly database: Database,
    { auditRefusalsDays }: Config,
  ) {
    super();
    this.refusalsKeptDays = auditRefusalsDays;
  }

  async last(): Promise<KnownHead | null> {
    const [row] = await this.database.list<ServiceHead & { ends: string | null }>(
      `select ${HEAD}, ends::text as ends from audit_heads order by seq desc limit 1`,
    );
    return row ? { ...row, ends: endsIn(row.ends) } : null;
  }

  async newest(): Promise<ServiceHead | null> {
    const sql = 'select value from service_state where name = $1';
    const [row] = await this.database.list<{ value: string }>(sql, [NEWEST]);
    if (!row) return null;
    try {
      return headInLine(row.value);
    } catch {
      throw new BrokenLink(0, 'The newest head, which is kept outside the audit tables, cannot be read.');
    }
  }

  from(seq: number): AsyncGenerator<ServiceHead> {
    const sql = `select ${HEAD} from audit_heads where seq >= $1 order by seq limit ${PAGE}`;
    return inPages((last?: ServiceHead) => this.database.list<ServiceHead>(sql, [last ? last.seq + 1 : seq]));
  }

  async history(): Promise<AuditHistory> {
    type Row = Omit<AuditHistory, 'former'> & Omit<NewCheckpoint, 'appId'> & { readonly appId: string | null };
    const [row] = await this.database.list<Row>(HISTORY);
    const { hasApps, hasLinks, hasNamed, appId, ...former } = row!;
    return { hasApps, hasLinks, hasNamed, former: appId === null ? null : { ...former, appId } };
  }

  async store(head: KnownHead, checkpoints: readonly NewCheckpoint[]): Promise<boolean> {
    const { seq, at, chains, entries, digest, previous, keyId, signature, ends } = head;
    const text = JSON.stringify([...ends].map(([appId, end]) => [appId, ...fieldsOf(end)]));
    const values = { seq, at, chains, entries, digest, previous, keyId, signature, ends: text };
    const stored = await this.database.write(...named(STORE_HEAD)(values));
    if (stored.length === 0) return false;
    void this.database.write(STORE_NEWEST, [NEWEST, JSON.stringify(lineOfHead(head))]);
    const columns = Object.fromEntries(STORED.map((name) => [name, checkpoints.map((checkpoint) => checkpoint[name])]));
    void this.database.write(...named(STORE_CHECKPOINTS)(columns));
    await this.database.write(NAME_CHECKPOINTS, [columns['appId'], columns['seq']]);
    return true;
  }

  async storeCut(appId: string, { first, last, hash, at, keyId, signature }: Cut): Promise<void> {
    await this.database.write(...named(STORE_CUT)({ appId, first, last, hash, at, keyId, signature }));
  }
}

function fieldsOf({ seq, number, hash, checkpoint }: ChainEnd): [number, number, string, string] {
  return [seq, number, Buffer.from(hash).toString('hex'), Buffer.from(checkpoint).toString('hex')];
}

/** Text that was changed gives other ends, which the digest in the head shows. */
function endsIn(text: string | null): Map<string, ChainEnd> {
  const ends = new Map<string, ChainEnd>();
  const rows: unknown = JSON.parse(text ?? '[]');
  for (const row of Array.isArray(rows) ? (rows as unknown[][]) : []) {
    const [appId, seq, number, hash, checkpoint] = row.map(String) as [string, string, string, string, string];
    const [hashBytes, checkpointBytes] = [Buffer.from(hash, 'hex'), Buffer.from(checkpoint, 'hex')];
    ends.set(appId, { seq: Number(seq), number: Number(number), hash: hashBytes, checkpoint: checkpointBytes });
  }
  return ends;
}
