import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { type AppId, firstIdAt, newId } from '../../../kernel/ids.js';
import { Jobs } from '../../../kernel/jobs.js';
import type { Requester } from '../../../kernel/requester.js';
import { Database } from '../../../postgres/database.js';
import { named } from '../../../postgres/statement.js';
import {
  type AuditEntry,
  type AuditFilter,
  type AuditOutcome,
  AuditLog,
  AppNotFound,
  NO_APP,
} from '../../apps/index.js';
import { type Page, pageFrom, type PageRequest } from '../../../kernel/paging.js';
import { PostgresAuditEntries } from './postgres-audit-entries.js';

/** An id has the time of the process that minted it, and never an earlier one than the id before, also when the clock steps back. */
const SKEW_MS = 3_600_000;

/** Each set of conditions has its own text, so that an index with the filtered column before the id serves it. */
const select = (conditions: readonly string[]): string => `
  select e.app_id as "appId", e.id, e.actor, e.action, e.target_id as "targetId", e.fields, e.outcome,
         e.error_type as "errorType", e.calls, e.request_id as "requestId", p.ip,
         e.ip_commitment is not null and p.ip is null as "isErased", e.created_at as "createdAt"
    from (select * from audit_log where app_id = $appId ${conditions.join(' ')} order by id desc limit $limit::int + 1) e
    left join audit_personal_data p on p.app_id = e.app_id and p.entry_id = e.id
   where e.app_id = $appId
   order by e.id desc`;

const CONDITIONS = {
  actor: 'and actor = $actor',
  action: 'and action = $action',
  from: 'and id >= $from',
  before: 'and id < $before',
  since: 'and created_at >= $since',
  until: 'and created_at < $until',
} as const;

/** A partial index serves only a condition that the text states. Refused calls have one action, whose index serves them. */
const OF_OUTCOME: Readonly<Record<AuditOutcome, string>> = {
  ok: `and outcome = 'ok'`,
  refused: `and outcome = 'refused' and action = 'call.refused'`,
};

/** Acts that give more rights. An attacker with SQL gains most by removing their entries before the next head is signed. */
const DEAR_ACTS: ReadonlySet<string> = new Set([
  'app.thawed',
  'key.created',
  'management_key.created',
  'user.thawed',
  'wallet.thawed',
]);

export const SIGN_HEAD = 'audit.sign-head';

@Injectable()
export class PostgresAuditLog extends AuditLog {
  constructor(
    private readonly database: Database,
    private readonly entries: PostgresAuditEntries,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
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
    // Each has a job of its own: one that runs already may have read the chain before this entry.
    if (DEAR_ACTS.has(action)) this.jobs.enqueue({ kind: SIGN_HEAD, payload: {} });
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
    const { outcome, ...columns } = filter;
    const values = { ...columns, ...idBounds(filter, startingAfter) };
    const names = (Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[]).filter((name) => values[name] !== undefined);
    const conditions = [...names.map((name) => CONDITIONS[name]), ...(outcome ? [OF_OUTCOME[outcome]] : [])];
    const rows = await this.database.list<AuditEntry>(...named(select(conditions))({ ...values, appId, limit }));
    if (rows.length === 0 && appId !== NO_APP) await this.requireKnown(appId);
    return pageFrom(rows, limit);
  }

  private async requireKnown(appId: AppId): Promise<void> {
    const [known] = await this.database.read('select app_id from known_apps where app_id = $1', [appId]);
    if (!known) throw new AppNotFound();
  }
}

/** Ids sort by time, so the cursor needs no row of its own. */
function idBounds({ since, until }: AuditFilter, startingAfter?: string): { from?: string; before?: string } {
  const bounds = [
    ...(startingAfter === undefined ? [] : [startingAfter]),
    ...(until ? [firstIdAt('auditEntry', new Date(until.getTime() + SKEW_MS))] : []),
  ];
  const [before] = bounds.toSorted();
  return {
    ...(since && { from: firstIdAt('auditEntry', new Date(since.getTime() - SKEW_MS)) }),
    ...(before !== undefined && { before }),
  };
}
