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

  /**
   * Throws `AnotherChain` unless the block in a response is the known one. Nothing is read again: the URL may lead to its own chain again
   * by then, but the other results of the response are from the chain that it led to before.
   */
  assertSeen(seen: Place | null): void {
    if (!seen) throw new NodeFault('The node lacks the block by which its chain is known.');
    if (!this.known || !isAt(seen, this.known)) throw this.another(seen);
  }

  /**
   * Throws `AnotherChain` unless `seen`, the node's block with that number, or the one that `read` returns, is the known one. The first
   * use stores it.
   */
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
    const again = await read(this.known.number);
    if (!again || !isAt(again, this.known)) throw this.another(again);
  }

  private another(found: Place | null): AnotherChain {
    const network = networkOf(this.chainId);
    const known = this.known && `block ${this.known.number} of ${network} is ${this.known.hash}, and `;
    const instead = found === null ? 'it has no block with that number' : `it has ${found.hash}`;
    return new AnotherChain(
      `The node is on another chain with the id ${this.chainId}: ${known ?? ''}${instead}. ` +
        `If the network was begun anew, run the command \`networks begin-anew --network ${network} --reason <text>\`.`,
    );
  }
}
