import { EntitySchema } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { KnownNetworks, type NetworkBlock } from '../../../kernel/chain/chain.js';
import { Database } from '../../../postgres/database.js';

interface KnownNetworkRow {
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

@Injectable()
export class TypeormKnownNetworks extends KnownNetworks {
  constructor(private readonly database: Database) {
    super();
  }

  async find(network: string): Promise<NetworkBlock | null> {
    const row = await this.database.manager.findOneBy(KnownNetworkSchema, { network });
    return row && blockOf(row);
  }

  async remember(network: string, { number, hash }: NetworkBlock): Promise<NetworkBlock> {
    const row = { network, blockNumber: number, blockHash: hash };
    await this.database.manager.createQueryBuilder().insert().into(KnownNetworkSchema).values(row).orIgnore().execute();
    return (await this.find(network))!;
  }

  async forget(network: string): Promise<NetworkBlock | null> {
    const known = await this.find(network);
    const { affected } = await this.database.manager.delete(KnownNetworkSchema, { network });
    return affected === 1 ? known : null;
  }
}

function blockOf({ blockNumber, blockHash }: KnownNetworkRow): NetworkBlock {
  return { number: Number(blockNumber), hash: blockHash };
}

export type StoredNetworks = Pick<KnownNetworks, 'find' | 'remember'>;

export class NetworksInMemory implements StoredNetworks {
  private readonly blocks = new Map<string, NetworkBlock>();

  find(network: string): Promise<NetworkBlock | null> {
    return Promise.resolve(this.blocks.get(network) ?? null);
  }

  remember(network: string, block: NetworkBlock): Promise<NetworkBlock> {
    this.blocks.set(network, this.blocks.get(network) ?? block);
    return this.find(network) as Promise<NetworkBlock>;
  }
}
