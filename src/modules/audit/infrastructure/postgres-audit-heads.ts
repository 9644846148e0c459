import { Injectable } from '@nestjs/common';
import { Database } from '../../../postgres/database.js';
import { named } from '../../../postgres/named.js';
import { type AuditHistory, AuditHeads, type NewCheckpoint } from '../domain/audit-heads.js';
import type { ChainEnd, KnownHead, ServiceHead } from '../domain/service-head.js';

const PAGE = 1_000;

const HEAD = `seq::float8 as seq, at, chains::float8 as chains, entries::float8 as entries, digest, previous, key_id as "keyId", signature`;

const HISTORY = `
  select exists (select from known_apps) as "hasApps",
         exists (select from audit_log where number is not null) as "hasLinks",
         exists (select from audit_checkpoints where kind is null) as "hasNamed",
         (select to_jsonb(c) from audit_checkpoints c where kind is not null limit 1) as former`;

/** The ends stand beside the last head only: those of the heads before are not needed again. */
const STORE_HEAD = `
  with emptied as (
    update audit_heads set ends = null where ends is not null and seq < $seq
  )
  insert into audit_heads (seq, at, chains, entries, digest, previous, key_id, signature, ends)
  values ($seq, $at, $chains, $entries, $digest, $previous, $keyId, $signature, $ends) on conflict (seq) do nothing returning seq`;

const STORE_CHECKPOINTS = `
  with given as (
    select * from jsonb_to_recordset($1::jsonb) as c (
      app_id text, seq bigint, head bigint, number bigint, hash bytea, previous bytea, at timestamptz, key_id text, signature bytea)
  ), stored as (
    insert into audit_checkpoints (app_id, seq, head, number, hash, previous, at, key_id, signature)
    select app_id, seq, head, number, hash, previous, at, key_id, signature from given
  )
  update audit_chains c set last_checkpoint = g.seq from given g where c.app_id = g.app_id`;

/** A row of audit_checkpoints as JSON. */
interface FormerCheckpoint {
  readonly app_id: string;
  readonly seq: number;
  readonly kind: string;
  readonly number: number;
  readonly hash: string;
  readonly at: string;
  readonly key_id: string;
  readonly signature: string;
}

@Injectable()
export class PostgresAuditHeads extends AuditHeads {
  constructor(private readonly database: Database) {
    super();
  }

  async last(): Promise<KnownHead | null> {
    const [row] = await this.database.list<ServiceHead & { ends: string | null }>(
      `select ${HEAD}, ends::text as ends from audit_heads order by seq desc limit 1`,
    );
    return row ? { ...row, ends: endsIn(row.ends) } : null;
  }

  async *from(seq: number): AsyncGenerator<ServiceHead> {
    for (let next = seq; ;) {
      const sql = `select ${HEAD} from audit_heads where seq >= $1 order by seq limit ${PAGE}`;
      const rows = await this.database.list<ServiceHead>(sql, [next]);
      yield* rows;
      if (rows.length < PAGE) return;
      next = rows.at(-1)!.seq + 1;
    }
  }

  async history(): Promise<AuditHistory> {
    const [row] = await this.database.list<Omit<AuditHistory, 'former'> & { former: FormerCheckpoint | null }>(HISTORY);
    const { former, ...rest } = row!;
    return { ...rest, former: former && checkpointOf(former) };
  }

  async store(head: KnownHead, checkpoints: readonly NewCheckpoint[]): Promise<boolean> {
    const { seq, at, chains, entries, digest, previous, keyId, signature, ends } = head;
    const text = JSON.stringify([...ends].map(([appId, end]) => [appId, ...fieldsOf(end)]));
    const values = { seq, at, chains, entries, digest, previous, keyId, signature, ends: text };
    const stored = await this.database.write(...named(STORE_HEAD)(values));
    if (stored.length === 0) return false;
    if (checkpoints.length > 0) await this.database.write(STORE_CHECKPOINTS, [JSON.stringify(checkpoints.map(rowOf))]);
    return true;
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

function rowOf({ appId, keyId, hash, previous, signature, ...rest }: NewCheckpoint): object {
  return {
    ...rest,
    app_id: appId,
    key_id: keyId,
    hash: hex(hash),
    previous: hex(previous!),
    signature: hex(signature),
  };
}

function checkpointOf({ app_id, key_id, hash, signature, at, ...rest }: FormerCheckpoint): NewCheckpoint {
  const [hashBytes, signatureBytes] = [hash, signature].map((text) => Buffer.from(text.slice(2), 'hex')) as [
    Buffer,
    Buffer,
  ];
  const own = { seq: rest.seq, kind: rest.kind, number: rest.number, head: null, previous: null };
  return { ...own, appId: app_id, keyId: key_id, hash: hashBytes, signature: signatureBytes, at: new Date(at) };
}

/** As PostgreSQL reads bytes. */
function hex(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes).toString('hex')}`;
}
