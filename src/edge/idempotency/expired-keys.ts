import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Jobs } from '../../kernel/jobs.js';
import { Database } from '../../postgres/database.js';

const BATCH = 1_000;

/** Visits one app after another in the index, so that only expired rows are read. */
const REMOVE = `
  with recursive apps (id) as (
    select min(app_id) from idempotency_keys
     union all
    select (select min(app_id) from idempotency_keys where app_id > apps.id) from apps where apps.id is not null
  ), removed as (
    delete from idempotency_keys
     where created_at < now() - interval '24 hours' and ctid = any (array(
       select expired.ctid
         from apps cross join lateral (
           select ctid from idempotency_keys
            where app_id = apps.id and created_at < now() - interval '24 hours' order by created_at limit $1
         ) expired
        limit $1))
    returning 1
  )
  select count(*)::int as removed from removed`;

/** Removes responses after 24 hours, in batches that end within the statement timeout. */
@Injectable()
export class ExpiredKeys implements OnModuleInit {
  constructor(
    private readonly jobs: Jobs,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.jobs.schedule('idempotency.forget', 3600, () => this.remove());
  }

  private async remove(): Promise<void> {
    while ((await this.database.write<{ removed: number }>(REMOVE, [BATCH]))[0]!.removed > 0);
  }
}
