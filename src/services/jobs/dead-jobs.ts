import type { Database } from '../../postgres/database.js';

/** A job that is not tried again. */
export interface DeadJob {
  readonly id: string;
  readonly kind: string;
  readonly attempts: number;
  readonly error: string;
}

/** Needs the database alone, so that the command line lists and revives jobs without the service. */
export class DeadJobs {
  constructor(private readonly database: Database) {}

  /** The jobs that died last, newest first. */
  list(limit: number): Promise<DeadJob[]> {
    return this.database.list<DeadJob>(
      `select id, kind, attempt as attempts, error from jobs where died_at is not null order by died_at desc limit $1`,
      [limit],
    );
  }

  /** Gives a dead job all its attempts again. Returns false when there is no such job. */
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
