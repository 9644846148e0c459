import type { KnownNetworks, NetworkBlock } from '../../../kernel/chain/chain.js';

/** Where the blocks of networks are stored. */
export type StoredNetworks = Pick<KnownNetworks, 'find' | 'remember'>;

/** Keeps the networks as long as the process runs, for a chain without a database. */
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
