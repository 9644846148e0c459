import { Injectable } from '@nestjs/common';
import { Transactions } from '../../../kernel/transactions.js';
import { Database } from '../../../postgres/database.js';
import { commitmentTo, personalDataOf } from '../domain/chain-link.js';

/** The columns of `audit_log e` as `ChainedContent`. Times are text, because a `Date` has no microseconds. */
export const CONTENT_OF_LINK = `
  e.id, (extract(epoch from e.created_at) * 1000000)::bigint::text as at, e.actor, e.action, e.target_id as target, e.fields,
  e.outcome, e.error_type as "errorType", e.calls, e.request_id as "requestId", e.ip_commitment as commitment`;

export const COLUMNS_OF_CHECKPOINT = `
  seq::float8 as seq, kind, head::float8 as head, previous, number::float8 as number, hash, at, key_id as "keyId", signature`;

export const PAGE = 1_000;

export async function* inPages<Row>(read: (last?: Row) => Promise<Row[]>): AsyncGenerator<Row> {
  for (let rows = await read(); ; rows = await read(rows.at(-1))) {
    yield* rows;
    if (rows.length < PAGE) return;
  }
}

export interface NewAuditEntry {
  readonly appId: string;
  readonly id: string;
  readonly actor: string;
  readonly action: string;
  readonly targetId: string;
  readonly fields: readonly string[];
  readonly outcome: 'ok' | 'refused';
  readonly errorType: string | null;
  readonly calls: number;
  readonly requestId: string | null;
  readonly ip: string | null;
  readonly createdAt: Date;
}

const ADD = `
  insert into audit_log
         (app_id, id, actor, action, target_id, fields, outcome, error_type, calls, request_id, ip_commitment, created_at)
  select app_id, id, actor, action, target_id, fields, outcome, error_type, calls, request_id, ip_commitment, created_at
    from jsonb_to_recordset($1::jsonb) as e (
      app_id text, id text, actor text, action text, target_id text, fields text[], outcome text, error_type text, calls integer,
      request_id text, ip_commitment bytea, created_at timestamptz)`;
const ADD_PERSONAL_DATA = `
  insert into audit_personal_data (app_id, entry_id, salt, ip)
  select app_id, id, salt, ip from jsonb_to_recordset($1::jsonb) as e (app_id text, id text, salt bytea, ip text) where ip is not null`;

@Injectable()
export class PostgresAuditEntries {
  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
  ) {}

  async add(entries: readonly NewAuditEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const rows = JSON.stringify(entries.map(rowOf));
    await this.transactions.run(async () => {
      void this.database.write(ADD, [rows]);
      await this.database.write(ADD_PERSONAL_DATA, [rows]);
    });
  }
}

function rowOf({ appId, targetId, errorType, requestId, createdAt, ...entry }: NewAuditEntry): object {
  const personalData = entry.ip === null ? null : personalDataOf(entry.ip);
  return {
    ...entry,
    app_id: appId,
    target_id: targetId,
    error_type: errorType,
    request_id: requestId,
    created_at: createdAt,
    salt: personalData && hex(personalData.salt),
    ip_commitment: personalData && hex(commitmentTo(personalData)),
  };
}

function hex(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes).toString('hex')}`;
}
