import { Injectable } from '@nestjs/common';
import { Database } from '../../../postgres/database.js';

export interface AuditState {
  readonly unchained: number;
  /** A head is signed at least once an hour. Null before the first one. */
  readonly checkpointAgeSeconds: number | null;
}

/** What the metrics show. */
@Injectable()
export class PostgresAuditState {
  constructor(private readonly database: Database) {}

  async read(): Promise<AuditState> {
    const [row] = await this.database.list<AuditState>(`
      select (select count(*) from audit_log where number is null)::int as unchained,
             (select extract(epoch from now() - max(at))::float8 from audit_heads)
               as "checkpointAgeSeconds"`);
    return row!;
  }
}
