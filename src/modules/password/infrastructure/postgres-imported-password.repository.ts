import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { MacTables, RowMacs } from '../../../kernel/row-macs.js';
import { Database } from '../../../postgres/database.js';
import { type ImportedPassword, ImportedPasswordRepository } from '../domain/imported-password.js';

const PASSWORD_MAC = MacTables.declare({
  table: 'imported_passwords',
  since: 2,
  // The sealed hash is left out: its seal is bound to the user, and a new master key changes it.
  fields: ['userId', 'createdAt'],
});

const COLUMNS = `app_id as "appId", id, user_id as "userId", sealed_hash as "sealedHash", created_at as "createdAt", mac`;

/** Decoys are spread over all passwords, because their costs may differ. */
const FIND = `
  (select 1 as place, ${COLUMNS} from imported_passwords where app_id = $1 and user_id = $2)
  union all
  (select 2, ${COLUMNS} from imported_passwords where app_id = $1 and hashtext(id) >= hashtext($3) order by hashtext(id) limit 1)
  union all
  (select 3, ${COLUMNS} from imported_passwords where app_id = $1 order by hashtext(id) limit 1)
  order by place limit 1`;

const IS_KEPT = 'select id from imported_passwords where app_id = $1 and id = $2';
const REMOVE_ALL_OF = 'delete from imported_passwords where app_id = $1 and user_id = $2 returning app_id';

@Injectable()
export class PostgresImportedPasswordRepository extends ImportedPasswordRepository {
  constructor(
    private readonly database: Database,
    private readonly macs: RowMacs,
  ) {
    super();
  }

  async find(appId: AppId, userId: UserId | null, asked: string): Promise<ImportedPassword | null> {
    const [row] = await this.database.read<ImportedPassword>(FIND, [appId, userId, asked]);
    if (row?.userId === userId) this.macs.check(PASSWORD_MAC, row);
    return row ?? null;
  }

  async isKept({ appId, id }: ImportedPassword): Promise<boolean> {
    return (await this.database.read(IS_KEPT, [appId, id])).length > 0;
  }

  async removeAllOf(appId: AppId, userId: UserId): Promise<number> {
    return (await this.database.write(REMOVE_ALL_OF, [appId, userId])).length;
  }
}
