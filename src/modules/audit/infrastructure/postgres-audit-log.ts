import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { type AppId, newId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { Database } from '../../../postgres/database.js';
import { named } from '../../../postgres/named.js';
import {
  type AuditEntry,
  type AuditFilter,
  AuditLog,
  AppNotFound,
  NO_APP,
  type Page,
  type PageRequest,
} from '../../apps/index.js';
import { AuditEntries } from './audit-entries.js';

/** Ids sort by time, so the cursor needs no row of its own. One more row than requested shows whether there are more. */
const LIST = named(`
  select e.app_id as "appId", e.id, e.actor, e.action, e.target_id as "targetId", e.fields, e.outcome,
         e.error_type as "errorType", e.calls, e.request_id as "requestId", p.ip,
         e.ip_commitment is not null and p.ip is null as "isErased", e.created_at as "createdAt"
    from audit_log e left join audit_personal_data p on p.app_id = e.app_id and p.entry_id = e.id
   where e.app_id = $appId
     and ($startingAfter::text is null or e.id < $startingAfter)
     and ($actor::text is null or e.actor = $actor)
     and ($action::text is null or e.action = $action)
     and ($outcome::text is null or e.outcome = $outcome)
     and ($since::timestamptz is null or e.created_at >= $since)
     and ($until::timestamptz is null or e.created_at < $until)
   order by e.id desc
   limit $limit::int + 1`);

@Injectable()
export class PostgresAuditLog extends AuditLog {
  constructor(
    private readonly database: Database,
    private readonly entries: AuditEntries,
    private readonly clock: Clock,
  ) {
    super();
  }

  add(
    { actor, requestId, ip }: Requester,
    appId: AppId,
    action: string,
    targetId: string,
    fields: readonly string[] = [],
  ): Promise<void> {
    return this.entries.add([
      {
        appId,
        id: newId('auditEntry'),
        actor,
        action,
        targetId,
        fields,
        outcome: 'ok',
        errorType: null,
        calls: 1,
        requestId,
        ip,
        createdAt: this.clock.now(),
      },
    ]);
  }

  async list(appId: AppId, { limit, startingAfter }: PageRequest, filter: AuditFilter = {}): Promise<Page<AuditEntry>> {
    const { actor = null, action = null, outcome = null, since = null, until = null } = filter;
    const rows = await this.database.write<AuditEntry>(
      ...LIST({ appId, limit, startingAfter: startingAfter ?? null, actor, action, outcome, since, until }),
    );
    if (rows.length === 0 && appId !== NO_APP) await this.requireKnown(appId);
    return { items: rows.slice(0, limit), hasMore: rows.length > limit };
  }

  private async requireKnown(appId: AppId): Promise<void> {
    const [known] = await this.database.read('select app_id from known_apps where app_id = $1', [appId]);
    if (!known) throw new AppNotFound();
  }
}
