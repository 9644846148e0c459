import { Injectable } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import { Database } from '../../../postgres/database.js';
import { HttpMetrics, tableGauge } from '../../../services/observability/metrics.js';
import { AuditLog, NO_APP } from '../domain/audit-log.js';

const TARGET = 'service';
const STOP = `
  insert into service_stops (id, reason, stopped_at) values ('all', $1, now())
  on conflict (id) do nothing`;
const STOPPED_SINCE = 'select stopped_at as since, reason from service_stops';

type Query = (sql: string, parameters?: unknown[]) => Promise<unknown>;

/**
 * Stops the keys of all apps with the database alone, so that it works without master keys and without the service. Resolves when no
 * transaction signs any more, with the time of the first call.
 */
export async function stopAllSigning(query: Query, reason: string): Promise<Date> {
  await query(STOP, [reason]);
  // A transaction that signs has locked its app's row, if it began before the stop. One row at a time, so that no call waits for two.
  const apps = (await query('select id from apps order by id')) as readonly { id: string }[];
  for (const { id } of apps) await query('select from apps where id = $1 for update', [id]);
  // Replicas keep settings in memory for half a second, and send what was signed before again meanwhile.
  await pause(1_000);
  return (await signingStop(query))!.since;
}

/** Null if the keys of all apps are not stopped. */
export async function signingStop(query: Query): Promise<{ readonly since: Date; readonly reason: string } | null> {
  return ((await query(STOPPED_SINCE)) as readonly { since: Date; reason: string }[])[0] ?? null;
}

/** The stop of the keys of all apps. The freezes of apps, users and wallets stay beside it. */
@Injectable()
export class ServiceStop {
  constructor(
    private readonly database: Database,
    private readonly auditLog: AuditLog,
    private readonly transactions: Transactions,
    metrics: HttpMetrics,
  ) {
    tableGauge(
      metrics,
      { name: 'signing_stopped', help: 'Whether the operator has stopped the keys of all apps (freeze --all).' },
      async () => Number((await this.database.list(STOPPED_SINCE)).length > 0),
    );
  }

  /** Writes a stop that was made with the database alone into the audit log, once. */
  async record(): Promise<void> {
    await this.transactions.run(async () => {
      const sql = 'update service_stops set recorded_at = now() where recorded_at is null returning id';
      if ((await this.database.write(sql, [])).length > 0)
        await this.auditLog.add(BY_DATABASE, NO_APP, 'service.frozen', TARGET);
    });
  }

  /** Lets the keys sign again. Returns whether they were stopped. */
  async end(by: Requester): Promise<boolean> {
    await this.record();
    return this.transactions.run(async () => {
      const [ended] = await this.database.write('delete from service_stops returning id', []);
      if (ended) await this.auditLog.add(by, NO_APP, 'service.thawed', TARGET);
      return ended !== undefined;
    });
  }
}

const BY_DATABASE: Requester = { actor: 'cli', requestId: null, ip: null };
