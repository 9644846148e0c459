import { EntitySchema } from 'typeorm';
import { User } from '../domain/user.js';

export const UserSchema = new EntitySchema<User>({
  name: 'User',
  target: User,
  tableName: 'users',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'users_pkey' },
    id: { type: 'text', primary: true, primaryKeyConstraintName: 'users_pkey' },
    firstName: { type: 'text', name: 'first_name' },
    middleName: { type: 'text', name: 'middle_name' },
    lastName: { type: 'text', name: 'last_name' },
    status: { type: 'text' },
    walletType: { type: 'text', name: 'wallet_type', update: false },
    claim: { type: 'text', default: 'closed' },
    deactivatedAt: { type: 'timestamptz', name: 'deactivated_at', nullable: true },
    deletedAt: { type: 'timestamptz', name: 'deleted_at', nullable: true },
    createdAt: { type: 'timestamptz', name: 'created_at', update: false },
    updatedAt: { type: 'timestamptz', name: 'updated_at' },
  },
  indices: [
    { name: 'users_pending', columns: ['appId', 'id'], where: `((status = 'pending'::text) AND (deleted_at IS NULL))` },
    // On an expression. Exists only if the extension pg_trgm is installed: see the migration.
    { name: 'users_full_name_trgm', synchronize: false },
  ],
  checks: [
    { name: 'users_status', expression: `status in ('pending', 'active')` },
    { name: 'users_wallet_type', expression: `wallet_type in ('ethereum', 'solana', 'none')` },
  ],
});
