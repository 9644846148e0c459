import { EntitySchema } from 'typeorm';

export interface KnownNetworkRow {
  readonly network: string;
  /** Read as text, like every bigint. */
  readonly blockNumber: string | number;
  readonly blockHash: string;
}

export const KnownNetworkSchema = new EntitySchema<KnownNetworkRow>({
  name: 'KnownNetwork',
  tableName: 'networks',
  columns: {
    network: { type: 'text', primary: true },
    blockNumber: { type: 'bigint', name: 'block_number' },
    blockHash: { type: 'text', name: 'block_hash' },
  },
});
