import type { Finality } from '../../../../services/config/networks.js';
import { attested, type Endpoints } from '../endpoints.js';
import { NodeFault } from '../node-faults.js';
import { RecentlyUsed } from '../../../../kernel/recently-used.js';
import { descend, type Header, isAt, type Place, type Segment } from './block-links.js';
import type { LinkedBlock, SearchedBlock, Tag } from './ethereum-answers.js';
import type { EthereumNode } from './ethereum-node.js';

const MOST_LINKS = 256;
const MOST_TRIES = 5;
/** A stored descent begins this far below the newest block: a small reorganisation does not reach it. */
const KEPT_BELOW_ANCHOR = 64;

class BlockMissing extends NodeFault {}

export class EthereumBlocks {
  /** All transfers of the process share them. */
  private readonly headers = new RecentlyUsed<string, Promise<Header>>(16_384);
  /** All transfers of an account search the same blocks. They are few, because each holds every transaction with authorisations. */
  private readonly searched = new RecentlyUsed<string, Promise<SearchedBlock>>(2_048);
  readonly depth: number;

  constructor(
    private readonly nodes: Endpoints<EthereumNode>,
    private readonly finality: Finality,
  ) {
    this.depth = typeof finality === 'number' ? finality : 0;
  }

  /** Returns the lowest place above this number if this observation does not reach it. */
  descendTo(anchor: Header, number: number, earlier: readonly Segment[]) {
    this.headers.set(anchor.hash, Promise.resolve(anchor));
    const read = (place: Place): Promise<Header> => remember(this.headers, place.hash, this.read(place));
    const topNumber = anchor.number - Math.min(this.depth, KEPT_BELOW_ANCHOR);
    return this.tolerant(
      descend(anchor, number, topNumber, earlier, read, MOST_LINKS, (place) => this.headers.get(place.hash)),
    );
  }

  async header(place: Place): Promise<Header> {
    const header = await (this.headers.get(place.hash) ?? remember(this.headers, place.hash, this.read(place)));
    if (isAt(header, place)) return header;
    // A wrong header that a node once reported as its newest block is read again.
    return remember(this.headers, place.hash, this.read(place));
  }

  private async read({ hash }: Place): Promise<Header> {
    const { number, parentHash } = await this.existing(hash, (node) => node.blockOf(hash));
    return { number, hash, parentHash };
  }

  searchedBlock(hash: string, account: string): Promise<SearchedBlock> {
    const key = keyOf(hash, account);
    const read = () => this.existing(hash, (node) => node.fullBlockOf(hash, account));
    return this.searched.get(key) ?? remember(this.searched, key, read());
  }

  isSearched(hash: string, account: string): boolean {
    return this.searched.peek(keyOf(hash, account)) !== undefined;
  }

  async tolerant<T>(work: Promise<T>): Promise<T | { readonly stuckReason: 'node_lacks_history' }> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof BlockMissing) return { stuckReason: 'node_lacks_history' };
      throw error;
    }
  }

  /** One endpoint's block if that is enough, else the newest of all endpoints whose chain has the `known` blocks. */
  async anchor(known: readonly Place[], isEnough: (block: LinkedBlock) => boolean) {
    const { of } = await this.nodes.search((node) => node.taggedBlock(this.tag, known), isEnough);
    return of.reduce((newest, block) => (block.number > newest.number ? block : newest));
  }

  /** Blocks, newest first, of one endpoint if that is enough, else of `all`. */
  async anchors(isEnough: (block: LinkedBlock) => boolean, all = false): Promise<Header[]> {
    const ask = (node: EthereumNode) => node.taggedBlock(this.tag);
    const { of } = await (all ? this.nodes.every(ask) : this.nodes.search(ask, isEnough));
    return of.toSorted((one, other) => other.number - one.number);
  }

  /** Whether enough endpoints have this block in their chain, as a final one. */
  async isAttested(place: Place): Promise<boolean> {
    const answers = await this.nodes.search(
      (node) => node.taggedBlock(this.tag, [place]),
      () => false,
    );
    return attested(answers, ({ number }) => number - this.depth >= place.number);
  }

  private get tag(): Tag {
    return typeof this.finality === 'number' ? 'latest' : this.finality;
  }

  /** Some machines behind one URL may lack the newest blocks, so a null is requested again. */
  async existing<T>(hash: string, ask: (node: EthereumNode) => Promise<T | null>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const { of } = await this.nodes.search(ask, (block) => block !== null);
      const [block] = of.filter((each) => each !== null);
      if (block !== undefined) return block;
      if (tries === MOST_TRIES) throw new BlockMissing(`No endpoint has the block ${hash}.`);
    }
  }
}

function remember<T>(known: RecentlyUsed<string, Promise<T>>, key: string, reading: Promise<T>): Promise<T> {
  known.set(key, reading);
  reading.catch(() => known.delete(key));
  return reading;
}

function keyOf(hash: string, account: string): string {
  return `${account} ${hash}`;
}
