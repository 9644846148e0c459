import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { Database } from '../../../postgres/database.js';
import { type Erasure, ErasureRepository } from '../domain/erasure.js';

const FIND = `
  select user_id as "userId", requested_at as "requestedAt", finished_at as "finishedAt", counts, done, cursor
    from erasures where app_id = $1 and user_id = $2`;

const BEGIN = `
  insert into erasures (app_id, user_id, counts) values ($1, $2, $3::jsonb) on conflict do nothing returning user_id`;

const STORE = 'update erasures set counts = $3::jsonb, done = $4, cursor = $5 where app_id = $1 and user_id = $2';
const FINISH = 'update erasures set finished_at = now() where app_id = $1 and user_id = $2';
const REOPEN = 'update erasures set finished_at = null where app_id = $1 and user_id = $2';

@Injectable()
export class PostgresErasureRepository extends ErasureRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async find(appId: AppId, userId: UserId): Promise<Erasure | null> {
    return (await this.database.read<Erasure>(FIND, [appId, userId]))[0] ?? null;
  }

  async begin(appId: AppId, userId: UserId, counts: Erasure['counts']): Promise<boolean> {
    return (await this.database.write(BEGIN, [appId, userId, JSON.stringify(counts)])).length > 0;
  }

  async lock(appId: AppId, userId: UserId): Promise<Erasure | null> {
    return (await this.database.write<Erasure>(`${FIND} for update`, [appId, userId]))[0] ?? null;
  }

  store(appId: AppId, { userId, counts, done, cursor }: Erasure): void {
    void this.database.write(STORE, [appId, userId, JSON.stringify(counts), done, cursor]);
  }

  finish(appId: AppId, userId: UserId): void {
    void this.database.write(FINISH, [appId, userId]);
  }

  reopen(appId: AppId, userId: UserId): void {
    void this.database.write(REOPEN, [appId, userId]);
  }
}
