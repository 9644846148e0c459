import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../../kernel/ids.js';
import { Database } from '../../../../postgres/database.js';
import { type Freeze, FreezeRepository } from '../domain/freeze.js';

const ADD = `
  insert into freezes (app_id, id, user_id, wallet_id, frozen_at) values ($1, $2, $3, $4, now())
  on conflict (app_id, id) do nothing returning frozen_at as "frozenAt"`;

@Injectable()
export class PostgresFreezeRepository extends FreezeRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async add({ appId, id, userId, walletId }: Freeze): Promise<{ frozenAt: Date; isNew: boolean }> {
    const [added] = await this.database.write<{ frozenAt: Date }>(ADD, [appId, id, userId, walletId]);
    return { frozenAt: added?.frozenAt ?? (await this.frozenAt(appId, id))!, isNew: added !== undefined };
  }

  async frozenAt(appId: AppId, id: Freeze['id']): Promise<Date | null> {
    const sql = 'select frozen_at as at from freezes where app_id = $1 and id = $2';
    return (await this.database.read<{ at: Date }>(sql, [appId, id]))[0]?.at ?? null;
  }

  async remove(appId: AppId, id: Freeze['id']): Promise<void> {
    await this.database.write('delete from freezes where app_id = $1 and id = $2', [appId, id]);
  }
}
