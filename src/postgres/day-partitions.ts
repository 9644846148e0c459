import { causeOf } from './database-unavailable.js';
import type { Database } from './database.js';

/** The time is longer than any pause of the job that creates the partitions. */
const DAYS_AHEAD = 7;

/** The daily partitions of a table. `drop` is SQL that drops the oldest one if it is older than $1 days, and returns its name or null. */
export class DayPartitions {
  constructor(
    private readonly database: Database,
    private readonly table: string,
    private readonly drop: string,
  ) {}

  /**
   * Creates the missing partitions of today and the next days, then drops those that are older than this many days, each in its own
   * transaction, so that the lock of none is held for long.
   */
  async renew(olderThanDays: number): Promise<void> {
    await this.create();
    for (let dropped: string | null = ''; dropped !== null;) {
      const [row]: { name: string | null }[] = await this.database.write(this.drop, [olderThanDays]);
      dropped = row!.name;
    }
  }

  /** Carries out `work`, and again if no partition takes a row of it, because no job has created partitions for days. */
  async used<R>(work: () => Promise<R>): Promise<R> {
    try {
      return await work();
    } catch (error) {
      // SQLSTATE check_violation. Citus reports no SQLSTATE for rows that it has selected and then inserts.
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
