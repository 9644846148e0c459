import { Injectable } from '@nestjs/common';
import { Database } from '../../../postgres/database.js';
import { NO_APP } from '../../apps/index.js';
import { AuditCheckpoints, type DueChain, type NewCheckpoint } from '../domain/audit-checkpoints.js';
import { NO_LINK } from '../domain/chain-link.js';

const IS_HOUR_DUE = `(last_number > hour_number or app_id = '') and hour_at <= now() - interval '1 hour'`;
const IS_DAY_DUE = `(last_number > day_number or app_id = '') and day_at < date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'`;

const LOCK_DUE = `
  select app_id as "appId", last_number::float8 as "lastNumber", last_hash as "lastHash", last_checkpoint::float8 as "lastCheckpoint",
         case when ${IS_DAY_DUE} then 'day' else 'hour' end as kind, date_trunc('milliseconds', now()) as now
    from audit_chains where (${IS_HOUR_DUE}) or (${IS_DAY_DUE})
   order by app_id limit $1 for update skip locked`;

/** A checkpoint of the day is also one of the hour. */
const STORE = `
  with given as (
    select * from jsonb_to_recordset($1::jsonb) as c (
      app_id text, seq bigint, kind text, number bigint, hash bytea, at timestamptz, key_id text, signature bytea)
  ), stored as (
    insert into audit_checkpoints (app_id, seq, kind, number, hash, at, key_id, signature)
    select app_id, seq, kind, number, hash, at, key_id, signature from given
  )
  update audit_chains c
     set last_checkpoint = g.seq, hour_number = g.number, hour_at = g.at,
         day_number = case when g.kind = 'day' then g.number else c.day_number end,
         day_at = case when g.kind = 'day' then g.at else c.day_at end
    from given g where c.app_id = g.app_id`;

@Injectable()
export class PostgresAuditCheckpoints extends AuditCheckpoints {
  constructor(private readonly database: Database) {
    super();
  }

  async prepare(): Promise<void> {
    await this.database.write(
      'insert into audit_chains (app_id, last_hash) values ($1, $2) on conflict (app_id) do nothing',
      [NO_APP, NO_LINK],
    );
  }

  lockDue(limit: number): Promise<DueChain[]> {
    return this.database.write<DueChain>(LOCK_DUE, [limit]);
  }

  async store(checkpoints: readonly NewCheckpoint[]): Promise<void> {
    const rows = checkpoints.map(({ appId, keyId, hash, signature, ...rest }) => ({
      ...rest,
      app_id: appId,
      key_id: keyId,
      hash: hex(hash),
      signature: hex(signature),
    }));
    await this.database.write(STORE, [JSON.stringify(rows)]);
  }
}

function hex(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes).toString('hex')}`;
}
