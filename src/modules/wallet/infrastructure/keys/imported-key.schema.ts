import { EntitySchema } from 'typeorm';

/** An imported key, by its address. It has no app: the row exists to be locked by imports into any app. */
interface ImportedKeyRow {
  readonly publicAddress: string;
  readonly walletType: string;
  readonly importedAt: Date;
}

const PRIMARY = { primary: true, primaryKeyConstraintName: 'imported_keys_pkey' } as const;

export const ImportedKeySchema = new EntitySchema<ImportedKeyRow>({
  name: 'ImportedKey',
  tableName: 'imported_keys',
  columns: {
    publicAddress: { type: 'text', name: 'public_address', ...PRIMARY },
    walletType: { type: 'text', name: 'wallet_type', ...PRIMARY },
    importedAt: { type: 'timestamptz', name: 'imported_at' },
  },
});
