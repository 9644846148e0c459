import { Injectable } from '@nestjs/common';
import type { KeyId } from '../../../kernel/ids.js';
import { type TokenHash, TokenHashColumns } from '../../../kernel/secret-tokens.js';
import { Database } from '../../../postgres/database.js';
import { named } from '../../../postgres/statement.js';
import {
  actorOf,
  MANAGEMENT_SESSION_SECONDS,
  ManagementSessionRepository,
  type Operator,
} from '../domain/management-key.repository.js';
import { PostgresAppDirectory } from './postgres-app-directory.js';

TokenHashColumns.declare({
  table: 'management_sessions',
  column: 'token_hash',
  key: ['token_hash'],
  inUse: `expires_at > now()`,
});

const OF_KEY = named<{ readonly hash: TokenHash; readonly keyId: KeyId; readonly seconds: number }>(
  `insert into management_sessions as s (token_hash, key_id, expires_at)
   select $hash, id, least(now() + make_interval(secs => $seconds), expires_at) from management_keys where id = $keyId
   returning s.expires_at as "expiresAt"`,
);

const OF_OPERATOR = named<Operator & { readonly hash: TokenHash; readonly seconds: number }>(
  `insert into management_sessions (token_hash, registration, operator, role, expires_at)
   values ($hash, $registration, $name, $role, now() + make_interval(secs => $seconds))
   returning expires_at as "expiresAt"`,
);

@Injectable()
export class PostgresManagementSessionRepository extends ManagementSessionRepository {
  constructor(
    private readonly database: Database,
    private readonly directory: PostgresAppDirectory,
  ) {
    super();
  }

  async insert(hash: TokenHash, of: KeyId | Operator): Promise<Date> {
    const [inserted] = await this.database.write<{ expiresAt: Date }>(
      ...(typeof of === 'string'
        ? OF_KEY({ hash, keyId: of, seconds: MANAGEMENT_SESSION_SECONDS })
        : OF_OPERATOR({ ...of, hash, seconds: MANAGEMENT_SESSION_SECONDS })),
    );
    return inserted!.expiresAt;
  }

  async delete(hash: TokenHash): Promise<string | null> {
    const [deleted] = await this.database.write<{ keyId: KeyId | null; name: string }>(
      `delete from management_sessions where token_hash = $1 returning key_id as "keyId", operator as name`,
      [hash],
    );
    this.directory.changed();
    return deleted ? (deleted.keyId ?? actorOf(deleted)) : null;
  }

  async deleteOf(operatorName: string): Promise<number> {
    const deleted = await this.database.write(
      `delete from management_sessions where lower(operator) = lower($1) returning 1`,
      [operatorName],
    );
    this.directory.changed();
    return deleted.length;
  }

  async keepOperatorsOf(registration: string | null): Promise<void> {
    await this.database.write(
      `delete from management_sessions where operator is not null and registration is distinct from $1`,
      [registration],
    );
  }

  async deleteExpired(): Promise<void> {
    await this.database.write(`delete from management_sessions where expires_at <= now()`);
  }
}
