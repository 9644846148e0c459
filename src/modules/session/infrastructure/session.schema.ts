import { EntitySchema } from 'typeorm';
import { TokenHashColumns } from '../../../kernel/token-hash-columns.js';
import { Session } from '../domain/session.js';

export const SessionSchema = new EntitySchema<Session>({
  name: 'Session',
  target: Session,
  tableName: 'sessions',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'sessions_pkey' },
    id: { type: 'text', primary: true, primaryKeyConstraintName: 'sessions_pkey' },
    userId: { type: 'text', name: 'user_id' },
    tokenHash: { type: 'bytea', name: 'token_hash' },
    startedAt: { type: 'timestamptz', name: 'started_at', default: () => 'now()' },
    expiresAt: { type: 'timestamptz', name: 'expires_at' },
    lastActiveAt: { type: 'timestamptz', name: 'last_active_at', default: () => 'now()' },
    factors: { type: 'jsonb' },
    freshFactors: { type: 'text', array: true, name: 'fresh_factors', nullable: true },
    userAgent: { type: 'text', name: 'user_agent' },
    ip: { type: 'text' },
    revokedAt: { type: 'timestamptz', name: 'revoked_at', nullable: true },
    version: { type: 'integer', default: 1 },
    updatedAt: { type: 'timestamptz', name: 'updated_at', default: () => 'now()' },
    createdAt: { type: 'timestamptz', name: 'created_at', default: () => 'now()' },
  },
  uniques: [{ name: 'sessions_token_hash', columns: ['appId', 'tokenHash'] }],
  indices: [
    { name: 'sessions_live_of_user', columns: ['appId', 'userId', 'expiresAt'], where: '(revoked_at IS NULL)' },
    { name: 'sessions_end', columns: ['appId', 'expiresAt'] },
  ],
});

TokenHashColumns.declare({
  table: 'sessions',
  column: 'token_hash',
  key: ['app_id', 'id'],
  inUse: `revoked_at is null and expires_at > now()`,
});
