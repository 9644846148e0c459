import { EntitySchema } from 'typeorm';

export interface KnownNetworkRow {
  readonly network: string;
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly firstUsedAt: Date;
}

export const KnownNetworkSchema = new EntitySchema<KnownNetworkRow>({
  name: 'KnownNetwork',
  tableName: 'networks',
  columns: {
    network: { type: 'text', primary: true, primaryKeyConstraintName: 'networks_pkey' },
    blockNumber: { type: 'bigint', name: 'block_number' },
    blockHash: { type: 'text', name: 'block_hash' },
    firstUsedAt: { type: 'timestamptz', name: 'first_used_at', default: () => 'now()' },
  },
});
