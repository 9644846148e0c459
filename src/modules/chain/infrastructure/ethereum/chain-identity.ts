import { AnotherChain, NodeFault } from '../node-faults.js';
import type { StoredNetworks } from '../stored-networks.js';
import { isAt, type Place } from './block-links.js';
import { networkOf } from './ethereum-transaction.js';

/** Reads a block of the node's current chain; null when the node does not have it. */
export type ReadPlace = (number: number | 'finalized') => Promise<Place | null>;

/**
 * The chain behind a chain id, shared by all endpoints: chain ids repeat on private networks, so the network is known by its first
 * block too. Of the nodes that do not keep it, by a final block of the first use.
 */
export class ChainIdentity {
  /** The stored block; null while the network has not been used. */
  private known: Place | null = null;

  constructor(
    private readonly chainId: number,
    private readonly networks: StoredNetworks,
  ) {}

  /** The number of the block by which the network is known. */
  async number(): Promise<number> {
    this.known ??= await this.networks.find(networkOf(this.chainId));
    return this.known?.number ?? 0;
  }

  /** Throws `AnotherChain` unless `seen`, the node's block with that number, is the known one. The first use stores it. */
  async assertIs(seen: Place | null, read: ReadPlace): Promise<void> {
    const network = networkOf(this.chainId);
    if (this.known === null) {
      const first = seen ?? (await read('finalized'));
      if (!first) throw new NodeFault('The node has neither the first block of its chain nor a final one.');
      this.known = await this.networks.remember(network, first);
    }
    if (seen !== null && isAt(seen, this.known)) return;
    // The operator may have had the service forget the earlier chain.
    this.known = await this.networks.find(network);
    if (this.known === null) return this.assertIs(await read(0), read);
    const { number, hash } = this.known;
    const again = await read(number);
    if (again && isAt(again, this.known)) return;
    const found = again === null ? 'it has no block with that number' : `it has ${again.hash}`;
    throw new AnotherChain(
      `The node is on another chain with the id ${this.chainId}: block ${number} of ${network} is ${hash}, and ${found}. ` +
        `If the network was begun anew, run the command \`networks begin-anew --network ${network} --reason <text>\`.`,
    );
  }
}
