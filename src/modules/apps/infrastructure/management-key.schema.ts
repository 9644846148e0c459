import { EntitySchema } from 'typeorm';
import { TokenHashColumns, type TokenHash } from '../../../kernel/secret-tokens.js';
import type { KeyId } from '../../../kernel/ids.js';
import type { ManagementRole } from '../../../kernel/management-role.js';

/** A row of the operators' keys. `fromEnvironment` marks those that were configured rather than made. */
export interface ManagementKeyRow {
  readonly id: KeyId;
  readonly name: string;
  readonly hash: TokenHash;
  readonly fromEnvironment: boolean;
  readonly role: ManagementRole;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

export const ManagementKeySchema = new EntitySchema<ManagementKeyRow>({
  name: 'ManagementKey',
  tableName: 'management_keys',
  columns: {
    id: { type: 'text', primary: true },
    name: { type: 'text' },
    hash: { type: 'bytea', name: 'key_hash' },
    fromEnvironment: { type: 'boolean', name: 'from_environment', default: false },
    role: { type: 'text', default: 'owner' },
    createdAt: { type: 'timestamptz', name: 'created_at', default: () => 'now()' },
    lastUsedAt: { type: 'timestamptz', name: 'last_used_at', nullable: true },
    expiresAt: { type: 'timestamptz', name: 'expires_at', nullable: true },
    revokedAt: { type: 'timestamptz', name: 'revoked_at', nullable: true },
  },
});

TokenHashColumns.declare({ table: 'management_keys', column: 'key_hash', key: ['id'], inUse: `revoked_at is null` });
