import { Injectable } from '@nestjs/common';
import type { KeyId } from '../../../kernel/ids.js';
import { type TokenHash, TokenHashColumns } from '../../../kernel/secret-tokens.js';
import { RowMacs } from '../../../kernel/row-macs.js';
import { Database } from '../../../postgres/database.js';
import { named } from '../../../postgres/statement.js';
import { Config } from '../../../services/config/config.js';
import {
  actorOf,
  MANAGEMENT_SESSION_SECONDS,
  type ManagementSession,
  ManagementSessionRepository,
  type Operator,
} from '../domain/management-key.repository.js';
import { IS_LIVE_SESSION, MANAGEMENT_SESSION_MAC, PostgresAppDirectory } from './postgres-app-directory.js';

const MOST_LISTED = 1_000;

TokenHashColumns.declare({
  table: 'management_sessions',
  column: 'token_hash',
  key: ['token_hash'],
  inUse: `expires_at > now()`,
});

const OF_KEY = named<{
  readonly hash: TokenHash;
  readonly keyId: KeyId;
  readonly seconds: number;
  readonly mac: Buffer;
}>(
  `insert into management_sessions as s (token_hash, key_id, proved_at, expires_at, mac)
   select $hash, id, now(), least(now() + make_interval(secs => $seconds), expires_at), $mac from management_keys where id = $keyId
   returning s.expires_at as "expiresAt"`,
);

const OF_OPERATOR = named<Operator & { readonly hash: TokenHash; readonly seconds: number; readonly mac: Buffer }>(
  // It is not `least`, which ignores null: an operator without a proof would have one.
  `insert into management_sessions (token_hash, registration, operator, role, proved_at, expires_at, mac)
   values ($hash, $registration, $name, $role, case when $provedAt::timestamptz > now() then now() else $provedAt::timestamptz end,
           now() + make_interval(secs => $seconds), $mac)
   returning expires_at as "expiresAt"`,
);

const LIST = `
  select s.key_id as "keyId", s.operator, coalesce(k.role, s.role) as role, s.created_at as "createdAt", s.last_used_at as "lastUsedAt",
         s.proved_at as "provedAt", s.expires_at as "expiresAt"
    from management_sessions s left join management_keys k on k.id = s.key_id
   where ${IS_LIVE_SESSION('$1')}
   order by s.created_at desc, s.token_hash limit ${MOST_LISTED}`;

@Injectable()
export class PostgresManagementSessionRepository extends ManagementSessionRepository {
  constructor(
    private readonly database: Database,
    private readonly directory: PostgresAppDirectory,
    private readonly config: Config,
    private readonly macs: RowMacs,
  ) {
    super();
  }

  async insert(hash: TokenHash, of: KeyId | Operator): Promise<Date> {
    const holder =
      typeof of === 'string'
        ? { keyId: of, registration: null, operator: null, role: null }
        : { keyId: null, registration: of.registration, operator: of.name, role: of.role };
    const mac = this.macs.of(MANAGEMENT_SESSION_MAC, { ...holder, tokenHash: hash });
    const seconds = MANAGEMENT_SESSION_SECONDS;
    const [inserted] = await this.database.write<{ expiresAt: Date }>(
      ...(typeof of === 'string'
        ? OF_KEY({ hash, keyId: of, seconds, mac })
        : OF_OPERATOR({ ...of, hash, seconds, mac })),
    );
    return inserted!.expiresAt;
  }

  list(): Promise<readonly ManagementSession[]> {
    return this.database.list<ManagementSession>(LIST, [this.config.consoleOidc?.registration ?? null]);
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
