import { Injectable } from '@nestjs/common';
import type { AppId, UserId, WalletImportId } from '../../../../kernel/ids.js';
import { Database } from '../../../../postgres/database.js';
import { IMPORT_MINUTES, type WalletImport, WalletImportRepository } from '../domain/wallet-import.js';

const ADD = `
  insert into wallet_imports (app_id, id, user_id, wallet_type, sealed_private_key, expires_at)
  values ($1, $2, $3, $4, $5, now() + make_interval(mins => $6::int))
  returning expires_at as "expiresAt"`;

const FIND = `
  select app_id as "appId", id, user_id as "userId", wallet_type as "walletType", sealed_private_key as "sealedPrivateKey"
    from wallet_imports where app_id = $1 and id = $2 and expires_at > now()`;

// When two deletions run at once, the second waits for the first and then finds nothing to delete.
const CONSUME = `delete from wallet_imports where app_id = $1 and id = $2 and expires_at > now() returning id`;

const REMOVE_ALL_OF = `delete from wallet_imports where app_id = $1 and user_id = $2 returning app_id`;

@Injectable()
export class PostgresWalletImportRepository extends WalletImportRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async add({ appId, id, userId, walletType, sealedPrivateKey }: WalletImport): Promise<Date> {
    const values = [appId, id, userId, walletType, sealedPrivateKey, IMPORT_MINUTES];
    return (await this.database.write<{ expiresAt: Date }>(ADD, values))[0]!.expiresAt;
  }

  async find(appId: AppId, id: WalletImportId): Promise<WalletImport | null> {
    return (await this.database.read<WalletImport>(FIND, [appId, id]))[0] ?? null;
  }

  async consume(appId: AppId, id: WalletImportId): Promise<boolean> {
    return (await this.database.write(CONSUME, [appId, id])).length > 0;
  }

  async removeAllOf(appId: AppId, userId: UserId): Promise<number> {
    return (await this.database.write(REMOVE_ALL_OF, [appId, userId])).length;
  }
}
