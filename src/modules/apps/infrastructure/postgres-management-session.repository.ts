import { Injectable } from '@nestjs/common';
import type { KeyId } from '../../../kernel/ids.js';
import type { ManagementRole } from '../../../kernel/management-role.js';
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

interface OwnRow {
  readonly tokenHash: TokenHash;
  readonly keyId: KeyId | null;
  readonly registration: string | null;
  readonly operator: string | null;
  readonly role: ManagementRole | null;
  readonly provedAt: Date | null;
  readonly expiresAt: Date;
}

/** The time of the database, and the end of the key that the session is of. */
const TIMES = `select now() as now, (select expires_at from management_keys where id = $1) as "keyExpiresAt"`;

const INSERT = named<OwnRow & { readonly mac: Buffer }>(
  `insert into management_sessions (token_hash, key_id, registration, operator, role, proved_at, expires_at, mac)
   values ($tokenHash, $keyId, $registration, $operator, $role, $provedAt, $expiresAt, $mac)`,
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

  async insert(tokenHash: TokenHash, of: KeyId | Operator): Promise<Date> {
    const ofKey = typeof of === 'string';
    const [times] = await this.database.read<{ now: Date; keyExpiresAt: Date | null }>(TIMES, [ofKey ? of : null]);
    const { now, keyExpiresAt } = times!;
    const expiresAt = earlier(new Date(now.getTime() + MANAGEMENT_SESSION_SECONDS * 1_000), keyExpiresAt);
    const row: OwnRow = ofKey
      ? { tokenHash, keyId: of, registration: null, operator: null, role: null, provedAt: now, expiresAt }
      : {
          tokenHash,
          keyId: null,
          registration: of.registration,
          operator: of.name,
          role: of.role,
          provedAt: of.provedAt && earlier(now, of.provedAt),
          expiresAt,
        };
    await this.database.write(...INSERT({ ...row, mac: this.macs.of(MANAGEMENT_SESSION_MAC, { ...row }) }));
    return expiresAt;
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

const earlier = (time: Date, other: Date | null): Date => (other !== null && other < time ? other : time);
