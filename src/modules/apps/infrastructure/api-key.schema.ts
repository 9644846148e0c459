import { EntitySchema } from 'typeorm';
import { TokenHashColumns } from '../../../kernel/secret-tokens.js';
import { ApiKey } from '../domain/api-key.js';

export const ApiKeySchema = new EntitySchema<ApiKey>({
  name: 'ApiKey',
  target: ApiKey,
  tableName: 'api_keys',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true },
    id: { type: 'text', primary: true },
    kind: { type: 'text' },
    name: { type: 'text' },
    hash: { type: 'bytea', name: 'key_hash' },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    lastUsedAt: { type: 'timestamptz', name: 'last_used_at', nullable: true },
    expiresAt: { type: 'timestamptz', name: 'expires_at', nullable: true },
    revokedAt: { type: 'timestamptz', name: 'revoked_at', nullable: true },
  },
});

TokenHashColumns.declare({ table: 'api_keys', column: 'key_hash', key: ['app_id', 'id'], inUse: `revoked_at is null` });
