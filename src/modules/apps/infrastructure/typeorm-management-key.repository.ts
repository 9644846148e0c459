import { Injectable } from '@nestjs/common';
import { type KeyId, newId } from '../../../kernel/ids.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import { Database } from '../../../postgres/database.js';
import { ManagementKeyRepository } from '../domain/management-key.repository.js';
import { ManagementKeySchema } from './management-key.schema.js';
import { SqlAppDirectory } from './sql-app-directory.js';

/** Any number, as long as nothing else in this database locks the same one. */
const FIRST_START_LOCK = 1_763_600_300;

@Injectable()
export class TypeormManagementKeyRepository extends ManagementKeyRepository {
  constructor(
    private readonly database: Database,
    private readonly directory: SqlAppDirectory,
  ) {
    super();
  }

  async insert(key: { id: KeyId; name: string; hash: TokenHash }): Promise<void> {
    await this.database.manager.insert(ManagementKeySchema, key);
  }

  async adopt(hash: TokenHash): Promise<void> {
    await this.database.write(
      `insert into management_keys (id, name, key_hash, from_environment) values ($1, 'MANAGEMENT_KEY', $2, true)
       on conflict (key_hash) do update set revoked_at = null, from_environment = true
         where management_keys.revoked_at is not null or not management_keys.from_environment`,
      [newId('key'), hash],
    );
    await this.database.write(
      `update management_keys set revoked_at = now() where from_environment and key_hash <> $1 and revoked_at is null`,
      [hash],
    );
    this.directory.changed();
  }

  async revoke(id: KeyId): Promise<boolean> {
    const [revoked] = await this.database.write(
      `update management_keys set revoked_at = now() where id = $1 and revoked_at is null returning id`,
      [id],
    );
    this.directory.changed();
    return revoked !== undefined;
  }

  async isEmpty(): Promise<boolean> {
    return !(await this.database.manager.existsBy(ManagementKeySchema, {}));
  }

  async lockFirstStart(): Promise<void> {
    await this.database.write(`select pg_advisory_xact_lock($1)`, [FIRST_START_LOCK]);
  }
}
