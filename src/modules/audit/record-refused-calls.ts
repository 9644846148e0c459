import { Injectable } from '@nestjs/common';
import type { RefusedRequest, RefusedRequests } from '../../edge/auth/refused-requests.js';
import { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { Log } from '../../kernel/log.js';
import { Database } from '../../postgres/database.js';
import {
  keyOf,
  type RefusalBatch,
  type RefusalClass,
  RefusalCounts,
  type Refused,
} from '../../services/refusals/refusal-counts.js';
import { RefusalRecorder } from '../../services/refusals/refusal-recorder.js';
import { NO_APP } from '../apps/index.js';
import { RefusedCalls } from './domain/refused-calls.js';
import { type NewAuditEntry, PostgresAuditEntries } from './infrastructure/postgres-audit-entries.js';

/** Of one class within a minute. The remaining calls share one entry. */
const CALLS_WITH_ENTRY = 100;
/** Of an app and a key within a minute, from all networks: a caller may have any number of addresses. */
const MOST_ENTRIES = 500;
/** The network in an entry of calls beyond a bound. */
const MANY = 'many';

/** All calls without a valid key, in the chain of no app. They have 100 entries a minute: 99 of their own, and one for the rest. */
const WITHOUT_KEY: RefusalClass = { reason: 'unauthorized_credentials', actor: 'unknown', network: MANY };

const IS_KNOWN = 'select from known_apps where app_id = $1';

/** Counts every refused call of an app's key. Only calls with 401 or 403 are written to the audit log. */
@Injectable()
export class RecordRefusedCalls extends RefusalRecorder<NewAuditEntry> implements RefusedRequests {
  readonly name = 'audit';

  constructor(
    counts: RefusalCounts,
    log: Log,
    private readonly database: Database,
    private readonly entries: PostgresAuditEntries,
    private readonly clock: Clock,
    private readonly refusedCalls: RefusedCalls,
  ) {
    super(counts, log, { batchMs: 1_000, retryMs: 5_000 });
  }

  note({ status, appId, appOfKey, keyId, errorType, method, route, requestId, ip, network }: RefusedRequest): void {
    if (keyId !== null && appOfKey !== null)
      this.refusedCalls.count({ appId: appOfKey, keyId, operation: `${method} ${route}`, errorType, requestId });
    if (status !== 401 && status !== 403) return;
    const [app, of] =
      keyId === null ? [NO_APP, WITHOUT_KEY] : [appId ?? NO_APP, { reason: errorType, actor: keyId, network }];
    const target = `${method} ${route}`;
    this.record(app, of, () => ({ ...this.entryOf(app, of), errorType, targetId: target, requestId, ip }));
  }

  /** Classes that stand for several networks have no entries of their own, except the one of all callers without a key. */
  takes({ actor, network }: RefusalClass): number {
    if (actor === WITHOUT_KEY.actor) return CALLS_WITH_ENTRY - 1;
    return network === MANY ? 0 : CALLS_WITH_ENTRY;
  }

  /** A path may name apps that do not exist: its calls are then of no app. Callers with enough entries are only counted, as one network. */
  override async place(
    batch: RefusalBatch<NewAuditEntry>,
  ): Promise<Pick<RefusalBatch<NewAuditEntry>, 'appId' | 'refused'>> {
    const isKnown = batch.appId === NO_APP || (await this.database.read(IS_KNOWN, [batch.appId])).length > 0;
    const appId = isKnown ? batch.appId : NO_APP;
    const written = await this.counts.storedByCaller(this.name, appId);
    const placed = new Map<string, Refused<NewAuditEntry>>();
    for (const { class: given, count, first } of batch.refused) {
      const before = written.get(given.actor) ?? 0;
      const entries = first.slice(0, Math.max(0, MOST_ENTRIES - before));
      written.set(given.actor, before + entries.length);
      const of = before < MOST_ENTRIES ? given : { ...given, network: MANY };
      const calls = placed.get(keyOf(of)) ?? { class: of, count: 0, first: [] };
      calls.count += count;
      calls.first.push(...entries);
      placed.set(keyOf(of), calls);
    }
    return { appId, refused: [...placed.values()] };
  }

  async store(appId: string, taken: readonly Pick<Refused<NewAuditEntry>, 'first'>[]): Promise<void> {
    await this.entries.add(taken.flatMap(({ first }) => first.map((entry) => ({ ...entry, appId }))));
  }

  override async storeRest(
    appId: string,
    rest: readonly Pick<Refused<NewAuditEntry>, 'class' | 'count'>[],
  ): Promise<void> {
    const entries = rest.map(({ class: of, count }) => ({ ...this.entryOf(appId, of), ip: of.network, calls: count }));
    await this.entries.add(entries);
  }

  protected override overflow(of: RefusalClass): readonly [appId: string, of: RefusalClass] {
    return [NO_APP, of === WITHOUT_KEY ? of : { ...of, actor: MANY, network: MANY }];
  }

  private entryOf(appId: string, { actor, reason }: RefusalClass): NewAuditEntry {
    const [id, createdAt] = [newId('auditEntry'), this.clock.now()];
    const refused = { action: 'call.refused', fields: [], outcome: 'refused', calls: 1 } as const;
    return { ...refused, appId, id, actor, errorType: reason, targetId: '', requestId: null, ip: null, createdAt };
  }
}
