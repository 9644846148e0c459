import { EntitySchema } from 'typeorm';

/** An address while logins with it are begun or completed: the row exists to be locked. */
interface WalletAddressRow {
  readonly appId: string;
  readonly publicAddress: string;
  readonly lockedAt: Date;
}

export const WalletAddressSchema = new EntitySchema<WalletAddressRow>({
  name: 'WalletAddress',
  tableName: 'wallet_addresses',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'wallet_addresses_pkey' },
    publicAddress: {
      type: 'text',
      name: 'public_address',
      primary: true,
      primaryKeyConstraintName: 'wallet_addresses_pkey',
    },
    lockedAt: { type: 'timestamptz', name: 'locked_at' },
  },
  indices: [{ name: 'wallet_addresses_end', columns: ['appId', 'lockedAt'] }],
});
