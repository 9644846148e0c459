import type { SignedAttempt } from '../../../../kernel/chain/payment.js';
import type { PaymentStatus, ProofProgress } from '../../../../kernel/chain/payment-status.js';
import { NodeFault } from '../chain-node.js';
import { agreed, type Answers, type Endpoints } from '../endpoints.js';
import type { EthereumNode, LinkedBlock, Receipt } from '../ethereum-node.js';
import { outcomeOf, readAttempt } from '../ethereum-transaction.js';
import { descend, type Header, HeaderCache, isNews, type Place, type Segment, segmentOf } from './block-links.js';

/**
 * Proofs of what became of a payment on Ethereum. The README of the module gives the rule and the assumptions that remain.
 *
 * No two answers are taken to come from one machine. What ties them together is the hash of a block: it names the block's
 * content and, by `parentHash`, everything before it. So each proof is a chain of hashes from an anchor down to a block:
 * - The anchor is the newest block (with a finality depth) or the block for the tag `finalized`.
 * - A block is final when it is at least the depth below the newest block on that chain; on the chain of the tag, always.
 *
 * `final` (completed, reverted, cancelled): the chain leads to the block of the receipt, which lists the transaction.
 * `dead` (nonce used elsewhere): every block from the anchor down is read with its transactions, until one of them has the
 * account's nonce; that one is final, and it is none of ours. Without this transaction nothing is concluded.
 *
 * Everything else (a receipt, a count, a node that holds a transaction) is a hint. A wrong hint costs time, never money.
 */
export class EthereumProofs {
  private readonly headers = new HeaderCache();
  private readonly depth: number;

  constructor(
    private readonly nodes: Endpoints<EthereumNode>,
    /** Absent: the node's `finalized` tag. */
    private readonly finalityDepth: number | undefined,
  ) {
    this.depth = finalityDepth ?? 0;
  }

  /** Throws when no endpoint answers what is needed. */
  async standing(
    source: string,
    attempts: readonly SignedAttempt[],
    progress: ProofProgress | null,
  ): Promise<PaymentStatus> {
    const ask = (node: EthereumNode) => Promise.all(attempts.map(({ hash }) => node.receipt(hash)));
    const disproved = new Set<string>();
    // Receipts of abandoned blocks alone: another endpoint may have that of the chain.
    for (const all of [false, true]) {
      const answers = await (all
        ? this.nodes.every(ask)
        : this.nodes.search(ask, (of) => of.some((each) => each !== null)));
      let unsettled: PaymentStatus | null = null;
      for (const receipt of distinct(answers).filter(({ blockHash }) => !disproved.has(blockHash))) {
        const standing = await this.standingOf(source, attempts, receipt, progress);
        if (standing === null) disproved.add(receipt.blockHash);
        else if (standing.is === 'unknown') unsettled = standing;
        else return standing;
      }
      if (unsettled) return unsettled;
      if (disproved.size === 0) break;
    }
    const nonce = sharedNonce(attempts);
    const { of: counts } = await this.nodes.search(
      (node) => node.transactionCount(source, 'latest'),
      (count) => nonce !== null && count > nonce,
    );
    if (nonce !== null && counts.some((count) => count > nonce)) {
      const standing = await this.standingOfUsed(source, nonce, attempts, progress);
      if (standing.is !== 'dead') return standing;
      const all = await this.nodes.every(ask);
      const hasNone = agreed(all, (of) => of.every((receipt) => receipt === null || disproved.has(receipt.blockHash)));
      return hasNone ? standing : unproven('Too few endpoints answered, or they disagree.', 'nodes_disagree');
    }
    // The receipt was of an abandoned block: a machine that still has it must not keep the others from being sent the bytes.
    if (disproved.size > 0) return { is: 'not_seen', stuckReason: 'nodes_disagree' };
    const { of: held } = await this.nodes.search(
      (node) => Promise.all(attempts.map(({ hash }) => node.holds(hash))),
      (holds) => holds.includes(true),
    );
    const submitted = attempts.findLast((_, index) => held.some((holds) => holds[index]));
    return submitted ? { is: 'submitted', hash: submitted.hash } : { is: 'not_seen' };
  }

  /** What follows from a receipt; null where its block is not on the final chain, so that nothing follows. */
  private async standingOf(
    source: string,
    attempts: readonly SignedAttempt[],
    receipt: Receipt,
    progress: ProofProgress | null,
  ): Promise<PaymentStatus | null> {
    const { transactionHash: hash, blockNumber: number, blockHash } = receipt;
    const mined: PaymentStatus = { is: 'mined', hash, block: { number, hash: blockHash } };
    const anchor = await this.anchor((block) => block.number - this.depth >= number);
    if (anchor.number - this.depth < number) {
      // Not final, so nothing rests on it: one answer is enough to see a reorganisation.
      const { of } = await this.nodes.search(
        (node) => node.canonicalHash(number),
        (canonical) => canonical === blockHash,
      );
      return of.includes(blockHash) ? mined : REORGANISING;
    }
    const earlier = segmentOf(progress?.['links']);
    const proof = await this.descendTo(anchor, number, earlier);
    if (!('at' in proof)) return { ...mined, ...proof };
    if (proof.at.number > number) {
      return { ...mined, ...(isNews(earlier, proof.segment) && { progress: { links: proof.segment } }) };
    }
    if (proof.at.hash !== blockHash) return null;
    const { transactions } =
      anchor.hash === blockHash ? anchor : await this.existing(blockHash, (node) => node.blockOf(blockHash));
    if (!transactions.includes(hash)) throw new NodeFault('The block of a receipt does not list its transaction.');
    const attempt = attempts.find((each) => each.hash === hash)!;
    const outcome = outcomeOf(source, readAttempt(attempt), receipt);
    return { is: 'final', hash, block: { number, hash: blockHash }, outcome, fee: receipt.fee };
  }

  /** The nonce is used, and no endpoint has a receipt: by which transaction is looked up in the final blocks. */
  private async standingOfUsed(
    source: string,
    nonce: number,
    attempts: readonly SignedAttempt[],
    progress: ProofProgress | null,
  ): Promise<PaymentStatus> {
    const from = attempts.reduce<number | null>(
      (least, { validFromBlock: each }) => (least === null || each === null ? null : Math.min(least, each)),
      Number.MAX_SAFE_INTEGER,
    );
    // Signed before blocks were noted: where to begin is not known.
    if (from === null) return unproven('Where the nonce was used is not known.', 'node_lacks_history');
    const anchor = await this.anchor(() => false);
    if (anchor.number < this.depth) return unproven('No block is final.');
    const settled = await this.descendTo(anchor, anchor.number - this.depth, null);
    if (!('at' in settled)) return unproven('A final block is missing.', settled.stuckReason);
    if (settled.at.number > anchor.number - this.depth) return unproven('The final block has not been reached.');
    const sender = source.toLowerCase();
    let user: { readonly hash: string; readonly place: Place } | undefined;
    const earlier = scanIn(progress, nonce);
    const read = async (place: Place): Promise<Header | null> => {
      const block = await this.existing(place.hash, (node) => node.fullBlockOf(place.hash));
      const match = block.transactions.find(
        (transaction) => transaction.from === sender && transaction.nonce === nonce,
      );
      if (match && block.number === place.number) user = { hash: match.hash, place };
      return user ? null : block;
    };
    const target = Math.max(-1, from - Math.max(this.depth, NONCE_MARGIN) - 1);
    const scan = await this.tolerant(descend(settled.at, target, settled.at.number, earlier, read, MOST_FULL_BLOCKS));
    if (!('at' in scan)) return unproven('A block since the signing is missing.', scan.stuckReason);
    const found = user;
    if (!found) {
      const isOver = scan.at.number === target;
      return {
        ...unproven('The transaction that used the nonce is in no final block.', isOver ? 'nodes_disagree' : undefined),
        ...(isNews(earlier, scan.segment) && { progress: { scan: { ...scan.segment, nonce } } }),
      };
    }
    const own = attempts.find(({ hash }) => hash === found.hash);
    if (own) return { is: 'mined', hash: own.hash, block: found.place, stuckReason: 'node_lacks_history' };
    return { is: 'dead', usedBy: found.hash };
  }

  /** The place with this number on the chain of the anchor, or the lowest one above it that this look has come to. */
  private descendTo(anchor: Header, number: number, earlier: Segment | null) {
    void this.headers.add(anchor.hash, Promise.resolve(anchor));
    const read = ({ hash }: Place): Promise<Header> =>
      this.headers.add(
        hash,
        this.existing(hash, (node) => node.blockOf(hash)).then(({ number: at, parentHash }) => ({
          number: at,
          hash,
          parentHash,
        })),
      );
    const topNumber = anchor.number - Math.min(this.depth, KEPT_BELOW_ANCHOR);
    return this.tolerant(
      descend(anchor, number, topNumber, earlier, read, MOST_LINKS, (place) => this.headers.get(place)),
    );
  }

  /** A block that no machine has is a reason to wait; every other failure is thrown. */
  private async tolerant<T>(work: Promise<T>): Promise<T | { readonly stuckReason: 'node_lacks_history' }> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof BlockMissing) return { stuckReason: 'node_lacks_history' };
      throw error;
    }
  }

  /** The block that proofs begin at: of one endpoint where that is enough, else the newest of all. */
  private async anchor(isEnough: (block: LinkedBlock) => boolean) {
    const tag = this.finalityDepth === undefined ? 'finalized' : 'latest';
    const { of } = await this.nodes.search((node) => node.taggedBlock(tag), isEnough);
    return of.reduce((newest, block) => (block.number > newest.number ? block : newest));
  }

  /** Machines behind one URL do not all have the newest blocks: a null is asked again before it counts. */
  private async existing<T>(hash: string, ask: (node: EthereumNode) => Promise<T | null>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const { of } = await this.nodes.search(ask, (block) => block !== null);
      const [block] = of.filter((each) => each !== null);
      if (block !== undefined) return block;
      if (tries === MOST_TRIES) throw new BlockMissing(`No endpoint has the block ${hash}.`);
    }
  }
}

/** Blocks read in one look: without their transactions, … */
const MOST_LINKS = 256;
/** … and with them. */
const MOST_FULL_BLOCKS = 64;
/** How often a block that must exist is asked for in one look. */
const MOST_TRIES = 5;
/** A stored descent begins this far below the newest block, or at the depth: there a small reorganisation does not spoil it. */
const KEPT_BELOW_ANCHOR = 64;
/** A lagging machine may have named a nonce that was used shortly before the signing: the search goes on this far. */
const NONCE_MARGIN = 64;

const REORGANISING: PaymentStatus = {
  is: 'unknown',
  reason: 'The chain is reorganising, or nodes disagree about a new block.',
  stuckReason: 'nodes_disagree',
};

class BlockMissing extends NodeFault {}

function unproven(
  reason: string,
  stuckReason?: 'nodes_disagree' | 'node_lacks_history',
): PaymentStatus & { is: 'unknown' } {
  return { is: 'unknown', reason, ...(stuckReason && { stuckReason }) };
}

/** One receipt for each transaction and block. */
function distinct({ of }: Answers<readonly (Receipt | null)[]>): Receipt[] {
  const receipts = of.flat().filter((receipt) => receipt !== null);
  return [...new Map(receipts.map((each) => [each.transactionHash + each.blockHash, each])).values()];
}

/** The nonce of all attempts; null where they differ. */
function sharedNonce([first, ...others]: readonly SignedAttempt[]): number | null {
  const nonce = first?.nonce ?? null;
  return others.every((attempt) => attempt.nonce === nonce) ? nonce : null;
}

function scanIn(progress: ProofProgress | null, nonce: number): Segment | null {
  const scan = progress?.['scan'] as { readonly nonce?: unknown } | null | undefined;
  return scan?.nonce === nonce ? segmentOf(scan) : null;
}
