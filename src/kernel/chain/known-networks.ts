import type { BlockPlace } from './payment-status.js';

/** A block by which a network is known: the first one of its chain, or where nodes do not keep it a final one of the first use. */
export type NetworkBlock = BlockPlace & { readonly hash: string };

/** The blocks by which networks are known. Chain ids repeat, so the id alone does not name a network. */
export abstract class KnownNetworks {
  abstract find(network: string): Promise<NetworkBlock | null>;

  /** The stored block: of several processes that use a network for the first time, one stores the block that it has seen. */
  abstract remember(network: string, seen: NetworkBlock): Promise<NetworkBlock>;

  abstract all(): Promise<readonly { readonly network: string; readonly block: NetworkBlock }[]>;

  /** The next use stores another block. Returns the one that was stored. */
  abstract forget(network: string): Promise<NetworkBlock | null>;
}
