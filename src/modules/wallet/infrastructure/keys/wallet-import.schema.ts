import { EntitySchema } from 'typeorm';
import type { WalletImport } from '../../domain/keys/wallet-import.js';

export const WalletImportSchema = new EntitySchema<WalletImport & { readonly expiresAt: Date }>({
  name: 'WalletImport',
  tableName: 'wallet_imports',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'wallet_imports_pkey' },
    id: { type: 'text', primary: true, primaryKeyConstraintName: 'wallet_imports_pkey' },
    userId: { type: 'text', name: 'user_id' },
    walletType: { type: 'text', name: 'wallet_type' },
    sealedPrivateKey: { type: 'bytea', name: 'sealed_private_key' },
    expiresAt: { type: 'timestamptz', name: 'expires_at' },
  },
  indices: [
    { name: 'wallet_imports_of_user', columns: ['appId', 'userId'] },
    { name: 'wallet_imports_end', columns: ['appId', 'expiresAt'] },
  ],
});
