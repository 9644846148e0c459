import { EntitySchema } from 'typeorm';
import { TokenHashColumns } from '../../../kernel/token-hash-columns.js';
import type { KeyId } from '../../../kernel/ids.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';

export interface ManagementSessionRow {
  readonly hash: TokenHash;
  readonly keyId: KeyId;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export const ManagementSessionSchema = new EntitySchema<ManagementSessionRow>({
  name: 'ManagementSession',
  tableName: 'management_sessions',
  columns: {
    hash: { type: 'bytea', name: 'token_hash', primary: true, primaryKeyConstraintName: 'management_sessions_pkey' },
    keyId: { type: 'text', name: 'key_id' },
    createdAt: { type: 'timestamptz', name: 'created_at', default: () => 'now()' },
    expiresAt: { type: 'timestamptz', name: 'expires_at' },
  },
  indices: [
    { name: 'management_sessions_of_key', columns: ['keyId'] },
    { name: 'management_sessions_end', columns: ['expiresAt'] },
  ],
  foreignKeys: [
    {
      name: 'management_sessions_key_fkey',
      target: 'ManagementKey',
      columnNames: ['keyId'],
      referencedColumnNames: ['id'],
    },
  ],
});

TokenHashColumns.declare({
  table: 'management_sessions',
  column: 'token_hash',
  key: ['token_hash'],
  inUse: `expires_at > now()`,
});
