import type { Database } from '../../postgres/database.js';

export interface DeadJob {
  readonly id: string;
  readonly kind: string;
  readonly attempts: number;
  readonly error: string;
}

/** Needs the database alone, so that the command line lists and revives jobs without the service. */
export class DeadJobs {
  constructor(private readonly database: Database) {}

  list(limit: number): Promise<DeadJob[]> {
    return this.database.list<DeadJob>(
      `select id, kind, attempt as attempts, error from jobs where died_at is not null order by died_at desc limit $1`,
      [limit],
    );
  }

  /** The job gets all its attempts again. False when there is no such job. */
  async revive(id: string): Promise<boolean> {
    const revived = await this.database.write(
      `update jobs set died_at = null, attempt = 0, due_at = now(), rank_at = now(), unique_key = null
        where id = $1 and died_at is not null
       returning id`,
      [id],
    );
    return revived.length === 1;
  }
}
