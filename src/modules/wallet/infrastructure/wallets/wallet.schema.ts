import { EntitySchema } from 'typeorm';
import { Wallet } from '../../domain/wallets/wallet.js';

export const WalletSchema = new EntitySchema<Wallet>({
  name: 'Wallet',
  target: Wallet,
  tableName: 'wallets',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'wallets_pkey' },
    id: { type: 'text', primary: true, primaryKeyConstraintName: 'wallets_pkey' },
    userId: { type: 'text', name: 'user_id' },
    walletType: { type: 'text', name: 'wallet_type' },
    publicAddress: { type: 'text', name: 'public_address' },
    verified: { type: 'boolean' },
    isDefault: { type: 'boolean', name: 'is_default' },
    isReadOnly: { type: 'boolean', name: 'is_read_only' },
    isImported: { type: 'boolean', name: 'is_imported' },
    sealedKey: { type: 'bytea', name: 'sealed_key', nullable: true },
    createdAt: { type: 'timestamptz', name: 'created_at', default: () => 'now()' },
    updatedAt: { type: 'timestamptz', name: 'updated_at', default: () => 'now()' },
    keyLeftAt: { type: 'timestamptz', name: 'key_left_at', nullable: true },
    deletedAt: { type: 'timestamptz', name: 'deleted_at', nullable: true },
  },
  checks: [{ name: 'wallets_key_unless_read_only', expression: '(is_read_only = (sealed_key IS NULL))' }],
  indices: [
    {
      name: 'wallets_one_default',
      columns: ['appId', 'userId', 'walletType'],
      unique: true,
      where: '(is_default AND (deleted_at IS NULL))',
    },
    { name: 'wallets_of_user', columns: ['appId', 'userId', 'id'] },
    {
      name: 'wallets_address',
      columns: ['appId', 'publicAddress', 'isReadOnly'],
      unique: true,
      where: '(deleted_at IS NULL)',
    },
  ],
});
