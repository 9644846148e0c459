import { Injectable } from '@nestjs/common';
import { Jobs } from '../kernel/jobs.js';
import { Registry } from '../kernel/registry.js';
import { type EndedRows, Retention } from '../kernel/retention.js';
import { Database } from './database.js';

/** Few enough rows for a statement to end well within the statement timeout. */
const BATCH = 1_000;
const HOUR = 3_600;

/**
 * Steps from app to app in the primary key, and in each app reads ended rows only. Rows that another transaction holds
 * are left for the next run. `ctid` is stable here: the statement that reads it holds the row's lock.
 */
function removal({ table, endedWhen, where = 'true', after = '0' }: EndedRows): string {
  const isEnded = `${where} and ${endedWhen} < now() - interval '${after}'`;
  return `
    with recursive tenants (app_id) as (
      select min(app_id) from ${table}
       union all
      select (select min(app_id) from ${table} where app_id > tenants.app_id) from tenants where tenants.app_id is not null
    ), removed as (
      delete from ${table} where ${isEnded} and ctid = any (array(
        select ended.ctid
          from tenants cross join lateral (
            select ctid from ${table}
             where app_id = tenants.app_id and ${isEnded} order by ${endedWhen} limit $1 for update skip locked
          ) ended
         limit $1))
      returning 1
    )
    select count(*)::int as removed from removed`;
}

/** Removes ended rows in batches, each a transaction of its own: a run that stops goes on where it was. */
@Injectable()
export class PostgresRetention extends Retention {
  private readonly removals = new Registry<string>('The retention of');

  constructor(
    private readonly jobs: Jobs,
    private readonly database: Database,
  ) {
    super();
  }

  register(rows: EndedRows): void {
    const { table, everySeconds = HOUR } = rows;
    const sql = removal(rows);
    this.removals.add(table, sql);
    this.jobs.schedule(`retention.${table}`, everySeconds, () => this.remove(sql));
  }

  get tables(): readonly string[] {
    return [...this.removals.keys()];
  }

  /** Removes all ended rows now. */
  async removeAll(): Promise<void> {
    for (const sql of this.removals.values()) await this.remove(sql);
  }

  private async remove(sql: string): Promise<void> {
    for (let removed = BATCH; removed === BATCH;) {
      const [row] = await this.database.write<{ removed: number }>(sql, [BATCH]);
      removed = row!.removed;
    }
  }
}
