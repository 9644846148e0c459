import { Injectable } from '@nestjs/common';
import type { KeyId } from '../../../kernel/ids.js';
import { type TokenHash, TokenHashColumns } from '../../../kernel/secret-tokens.js';
import { Database } from '../../../postgres/database.js';
import { MANAGEMENT_SESSION_SECONDS, ManagementSessionRepository } from '../domain/management-key.repository.js';
import { PostgresAppDirectory } from './postgres-app-directory.js';

TokenHashColumns.declare({
  table: 'management_sessions',
  column: 'token_hash',
  key: ['token_hash'],
  inUse: `expires_at > now()`,
});

@Injectable()
export class PostgresManagementSessionRepository extends ManagementSessionRepository {
  constructor(
    private readonly database: Database,
    private readonly directory: PostgresAppDirectory,
  ) {
    super();
  }

  async insert(keyId: KeyId, hash: TokenHash): Promise<Date> {
    const [inserted] = await this.database.write<{ expiresAt: Date }>(
      `insert into management_sessions as s (token_hash, key_id, expires_at)
       select $1, id, least(now() + make_interval(secs => $3), expires_at) from management_keys where id = $2
       returning s.expires_at as "expiresAt"`,
      [hash, keyId, MANAGEMENT_SESSION_SECONDS],
    );
    return inserted!.expiresAt;
  }

  async delete(hash: TokenHash): Promise<KeyId | null> {
    const [deleted] = await this.database.write<{ keyId: KeyId }>(
      `delete from management_sessions where token_hash = $1 returning key_id as "keyId"`,
      [hash],
    );
    this.directory.changed();
    return deleted?.keyId ?? null;
  }

  async deleteExpired(): Promise<void> {
    await this.database.write(`delete from management_sessions where expires_at <= now()`);
  }
}
