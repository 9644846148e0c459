import { Injectable } from '@nestjs/common';
import { Jobs } from '../kernel/jobs.js';
import { Registry } from '../kernel/registry.js';
import { type EndedRows, Retention } from '../kernel/retention.js';
import { Transactions } from '../kernel/transactions.js';
import { allAppsIn } from './apps-in-table.js';
import { Database } from './database.js';

/** A statement over so few rows ends well within the statement timeout. */
const BATCH = 1_000;
const HOUR = 3_600;

/** Locked rows are left for the next run. `ctid` is stable here: the statement holds the row's lock. */
function removal({ table, endedWhen, where = 'true', after = '0' }: EndedRows): string {
  const isEnded = `app_id = $1 and ${where} and ${endedWhen} < now() - interval '${after}'`;
  return `
    with removed as (
      delete from ${table} where ${isEnded} and ctid = any (array(
        select ctid from ${table} where ${isEnded} order by ${endedWhen} limit $2 for update skip locked))
      returning 1
    )
    select count(*)::int as removed from removed`;
}

/** A run that stops goes on where it was. */
@Injectable()
export class PostgresRetention extends Retention {
  private readonly removals = new Registry<string>('The retention of');

  constructor(
    private readonly jobs: Jobs,
    private readonly database: Database,
    private readonly transactions: Transactions,
  ) {
    super();
  }

  register(rows: EndedRows): void {
    const { table, everySeconds = HOUR } = rows;
    const sql = removal(rows);
    this.removals.add(table, sql);
    this.jobs.schedule(`retention.${table}`, everySeconds, () => this.remove(table, sql));
  }

  get tables(): readonly string[] {
    return [...this.removals.keys()];
  }

  async removeAll(): Promise<void> {
    for (const [table, sql] of this.removals) await this.remove(table, sql);
  }

  private async remove(table: string, sql: string): Promise<void> {
    for await (let appIds of allAppsIn(this.database, table)) {
      while (appIds.length > 0) {
        const results = await this.transactions.run(() =>
          Promise.all(appIds.map((appId) => this.database.write<{ removed: number }>(sql, [appId, BATCH]))),
        );
        appIds = appIds.filter((_, index) => results[index]![0]!.removed === BATCH);
      }
    }
  }
}
