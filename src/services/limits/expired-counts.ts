import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Jobs } from '../../kernel/jobs.js';
import { Database } from '../../postgres/database.js';

/** Deletes counts that no longer limit anything, so that the tables hold the last hour and not every recipient ever. */
@Injectable()
export class ExpiredCounts implements OnModuleInit {
  constructor(
    private readonly jobs: Jobs,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.jobs.schedule('limits.forget', 600, () => this.forget());
  }

  private async forget(): Promise<void> {
    await this.database.write(`delete from send_counts where expires_at < now()`);
    await this.database.write(`
      delete from wrong_tries
       where coalesce(locked_until, '-infinity') < now()
         and not exists (select from unnest(tries) as at where at > now() - interval '1 hour')`);
  }
}
