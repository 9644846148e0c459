import { causeOf } from './database-unavailable.js';
import type { Database } from './database.js';

/** The job that creates the partitions is never paused for so long. */
const DAYS_AHEAD = 7;

/** `drop` is SQL that drops the oldest partition if it is older than $1 days, and returns its name or null. */
export class DayPartitions {
  constructor(
    private readonly database: Database,
    private readonly table: string,
    private readonly drop: string,
  ) {}

  /** Each partition is dropped in its own transaction, so that no lock is held for long. */
  async renew(olderThanDays: number): Promise<void> {
    await this.create();
    for (let dropped: string | null = ''; dropped !== null;) {
      const [row]: { name: string | null }[] = await this.database.write(this.drop, [olderThanDays]);
      dropped = row!.name;
    }
  }

  /** Runs `work` again if no partition takes a row, because no job has created partitions for days. */
  async used<R>(work: () => Promise<R>): Promise<R> {
    try {
      return await work();
    } catch (error) {
      // check_violation. Citus reports no SQLSTATE for rows that it has selected and then inserts.
      const { code, message } = causeOf(error);
      if (code !== '23514' && !message.startsWith('no partition of relation ')) throw error;
      await this.create();
      return work();
    }
  }

  private async create(): Promise<void> {
    await this.database.write('select create_day_partitions($1, $2)', [this.table, DAYS_AHEAD]);
  }
}
