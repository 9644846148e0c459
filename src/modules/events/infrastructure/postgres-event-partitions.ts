import { Injectable } from '@nestjs/common';
import { Database } from '../../../postgres/database.js';
import { EventPartitions } from '../domain/event-sequence.js';

/** Longer than any pause of the job that creates them. */
const DAYS_AHEAD = 7;

@Injectable()
export class PostgresEventPartitions extends EventPartitions {
  constructor(private readonly database: Database) {
    super();
  }

  async create(): Promise<void> {
    await this.database.write('select create_event_partitions($1)', [DAYS_AHEAD]);
  }

  async drop(olderThanDays: number): Promise<void> {
    for (let dropped: string | null = ''; dropped !== null;) {
      const [row]: { name: string | null }[] = await this.database.write<{ name: string | null }>(
        'select drop_event_partition(now() - make_interval(days => $1)) as name',
        [olderThanDays],
      );
      dropped = row!.name;
    }
  }
}
