import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import type { AppId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/outbox.js';
import { Transactions } from '../../../kernel/transactions.js';
import { runIn } from '../../../postgres/current-transaction.js';
import { Database } from '../../../postgres/database.js';
import { type RefusalReport, ReportedRefusals } from '../domain/reported-refusals.js';

const QUIET_SECONDS = 60;

/**
 * Of two replicas with the same key one waits for the other and then finds that the minute has begun. In one order, so that they do
 * not wait for each other. A row that another replica inserted meanwhile is not in the snapshot: its minute has just begun.
 */
const TAKE = `
  with taken as (
    insert into reported_refusals as r (app_id, key, ends_at)
    select $1, key, now() + make_interval(secs => $3) from unnest($2::text[]) as key order by key
    on conflict (app_id, key) do update set ends_at = excluded.ends_at where r.ends_at <= now()
    returning key
  )
  select w.key, t.key is not null as "isTaken",
         case when t.key is null and r.ends_at > now() then extract(epoch from r.ends_at - now()) else $3 end::float8 as seconds
    from unnest($2::text[]) as w(key)
    left join taken t on t.key = w.key
    left join reported_refusals r on r.app_id = $1 and r.key = w.key`;

@Injectable()
export class PostgresReportedRefusals extends ReportedRefusals {
  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
    private readonly events: DomainEvents,
  ) {
    super();
  }

  publish(appId: AppId, reports: readonly RefusalReport[]): Promise<ReadonlyMap<string, number>> {
    const byHash = new Map(reports.map((report) => [hashOf(report.key), report]));
    // Not in the transaction of a request that happened to begin this.
    return runIn(undefined, () =>
      this.transactions.run(async () => {
        const rows = await this.database.write<{ key: string; isTaken: boolean; seconds: number }>(TAKE, [
          appId,
          [...byHash.keys()],
          QUIET_SECONDS,
        ]);
        for (const { key, isTaken } of rows) if (isTaken) await this.events.publish(byHash.get(key)!.event);
        return new Map(rows.map(({ key, seconds }) => [byHash.get(key)!.key, seconds]));
      }),
    );
  }
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 22);
}
