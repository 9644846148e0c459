import { EntitySchema } from 'typeorm';
import { TokenHashColumns } from '../../../kernel/token-hash-columns.js';
import { ApiKey } from '../domain/api-key.js';

export const ApiKeySchema = new EntitySchema<ApiKey>({
  name: 'ApiKey',
  target: ApiKey,
  tableName: 'api_keys',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'api_keys_pkey' },
    id: { type: 'text', primary: true, primaryKeyConstraintName: 'api_keys_pkey' },
    kind: { type: 'text' },
    name: { type: 'text' },
    hash: { type: 'bytea', name: 'key_hash' },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    lastUsedAt: { type: 'timestamptz', name: 'last_used_at', nullable: true },
    expiresAt: { type: 'timestamptz', name: 'expires_at', nullable: true },
    revokedAt: { type: 'timestamptz', name: 'revoked_at', nullable: true },
  },
  checks: [{ name: 'api_keys_kind_check', expression: `kind in ('secret', 'public')` }],
  indices: [{ name: 'api_keys_key_hash', columns: ['hash'] }],
  foreignKeys: [{ name: 'api_keys_app_fkey', target: 'App', columnNames: ['appId'], referencedColumnNames: ['id'] }],
});

TokenHashColumns.declare({ table: 'api_keys', column: 'key_hash', key: ['app_id', 'id'], inUse: `revoked_at is null` });
