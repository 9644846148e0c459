import { Injectable } from '@nestjs/common';
import { Database } from '../../../postgres/database.js';
import { EventPartitions } from '../domain/event-sequence.js';

/** The time is longer than any pause of the job that creates the partitions. */
const DAYS_AHEAD = 7;

@Injectable()
export class PostgresEventPartitions extends EventPartitions {
  constructor(private readonly database: Database) {
    super();
  }

  async create(): Promise<void> {
    await this.database.write('select create_event_partitions($1), create_webhook_partitions($1)', [DAYS_AHEAD]);
  }

  drop(olderThanDays: number): Promise<void> {
    return this.dropAll('select drop_event_partition(now() - make_interval(days => $1)) as name', olderThanDays);
  }

  dropDeliveries(olderThanDays: number): Promise<void> {
    return this.dropAll('select drop_webhook_partition(now() - make_interval(days => $1)) as name', olderThanDays);
  }

  /** Drops each partition in its own transaction, so that the lock of none is held for long. */
  private async dropAll(statement: string, olderThanDays: number): Promise<void> {
    for (let dropped: string | null = ''; dropped !== null;) {
      const [row]: { name: string | null }[] = await this.database.write<{ name: string | null }>(statement, [
        olderThanDays,
      ]);
      dropped = row!.name;
    }
  }
}

/** SQLSTATE 23514, check_violation: no partition takes the row, because no job has created partitions for days. */
export function isPartitionMissing(error: unknown): boolean {
  return (error as { code?: unknown }).code === '23514';
}
