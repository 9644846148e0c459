import { Injectable } from '@nestjs/common';
import { Database } from '../../../postgres/database.js';

export interface AuditState {
  readonly unchained: number;
  /** Of the chain of no app, which has a checkpoint every hour. Null before the first one. */
  readonly checkpointAgeSeconds: number | null;
}

/** What the metrics show. */
@Injectable()
export class PostgresAuditState {
  constructor(private readonly database: Database) {}

  async read(): Promise<AuditState> {
    const [row] = await this.database.write<AuditState>(`
      select (select count(*) from audit_log where number is null)::int as unchained,
             (select extract(epoch from now() - nullif(hour_at, '-infinity'))::float8 from audit_chains where app_id = '')
               as "checkpointAgeSeconds"`);
    return row!;
  }
}
