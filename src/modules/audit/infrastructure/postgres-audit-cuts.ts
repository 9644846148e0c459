import { Injectable } from '@nestjs/common';
import { Database } from '../../../postgres/database.js';
import { named } from '../../../postgres/named.js';
import { Config } from '../../../services/config/config.js';
import { AuditCuts } from '../domain/audit-cuts.js';
import type { Cut } from '../domain/cut.js';

/** Earlier cuts within the range are part of the new one. */
const STORE = `
  with removed as (
    delete from audit_log where app_id = $appId and number between $first and $last returning id
  ), forgotten as (
    delete from audit_personal_data p using removed r where p.app_id = $appId and p.entry_id = r.id
  ), extended as (
    delete from audit_cuts where app_id = $appId and last >= $first and last < $last
  )
  insert into audit_cuts (app_id, first, last, hash, at, key_id, signature) values ($appId, $first, $last, $hash, $at, $keyId, $signature)`;

@Injectable()
export class PostgresAuditCuts extends AuditCuts {
  readonly keptDays: number;

  constructor(
    private readonly database: Database,
    { auditRefusalsDays }: Config,
  ) {
    super();
    this.keptDays = auditRefusalsDays;
  }

  async store(appId: string, { first, last, hash, at, keyId, signature }: Cut): Promise<void> {
    await this.database.write(...named(STORE)({ appId, first, last, hash, at, keyId, signature }));
  }
}
