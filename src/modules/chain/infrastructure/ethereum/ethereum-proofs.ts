import type { SignedAttempt, PaymentStatus, ProofProgress } from '../../../../kernel/chain/payment.js';
import type { Finality } from '../../../../services/config/networks.js';
import { NodeAnswerUnreadable, NodeFault } from '../node-faults.js';
import { agreed, type Answers, type Endpoints } from '../endpoints.js';
import type { Receipt } from './ethereum-answers.js';
import { EthereumBlocks } from './ethereum-blocks.js';
import type { EthereumNode } from './ethereum-node.js';
import { EthereumNonceUse, unproven } from './ethereum-nonce-use.js';
import { outcomeOf, readAttempt } from './ethereum-transaction.js';
import { type Place, segmentsOf } from './block-links.js';

/**
 * `proofs.md` states the rule and the assumptions. Two responses may come from different machines, so each proof is a chain of parent
 * hashes from an anchor: the newest block (with a finality depth), or the block for the tag `finalized` or `safe`. A block is final at the
 * depth below the newest, or on the chain of the tag. `final`: the chain leads to the receipt's block, which lists the transaction. `dead`:
 * see `EthereumNonceUse`. Everything else is a hint: a wrong one costs time, never money.
 */
export class EthereumProofs {
  readonly blocks: EthereumBlocks;
  private readonly nonceUse: EthereumNonceUse;

  constructor(
    private readonly nodes: Endpoints<EthereumNode>,
    finality: Finality,
  ) {
    this.blocks = new EthereumBlocks(nodes, finality);
    this.nonceUse = new EthereumNonceUse(nodes, this.blocks);
  }

  async observe(
    source: string,
    attempts: readonly SignedAttempt[],
    progress: ProofProgress | null,
  ): Promise<PaymentStatus> {
    const ask = (node: EthereumNode) => Promise.all(attempts.map((attempt) => receiptOf(node, attempt)));
    const known = placesOf(attempts);
    const disproved = new Set<string>();
    // If all receipts are of abandoned blocks, another endpoint may have the receipt of the final chain.
    for (const all of [false, true]) {
      const answers = await (all
        ? this.nodes.every(ask)
        : this.nodes.search(ask, (of) => of.some((each) => each !== null)));
      let unsettled: PaymentStatus | null = null;
      for (const receipt of distinct(answers).filter(({ blockHash }) => !disproved.has(blockHash))) {
        const status = await this.statusFrom(source, attempts, receipt, progress);
        if (status === null) disproved.add(receipt.blockHash);
        else if (status.is === 'unknown') unsettled = status;
        else return status;
      }
      if (unsettled) return unsettled;
      if (disproved.size === 0) break;
    }
    const nonce = sharedNonce(attempts);
    const { of: counts } = await this.nodes.search(
      (node) => node.transactionCount(source),
      (count) => nonce !== null && count > nonce,
    );
    if (nonce !== null && counts.some((count) => count > nonce)) {
      const status = await this.nonceUse.find(source, nonce, attempts, known, progress);
      if (status.is !== 'dead') return status;
      const all = await this.nodes.every((node) => Promise.all([ask(node), node.assertHas(known)]).then(([of]) => of));
      const hasNone = agreed(all, (of) => of.every((receipt) => receipt === null || disproved.has(receipt.blockHash)));
      return hasNone ? status : unproven('Too few endpoints answered, or they disagree.', 'nodes_disagree');
    }
    // A machine that still has the receipt of an abandoned block must not prevent a rebroadcast.
    if (disproved.size > 0) return { is: 'not_seen', stuckReason: 'nodes_disagree' };
    const { of: held } = await this.nodes.search(
      // An attempt that is not seen is sent again, but never to another chain.
      (node) => Promise.all([...attempts.map(({ hash }) => node.holds(hash)), node.assertHas(known).then(() => false)]),
      (holds) => holds.includes(true),
    );
    const submitted = attempts.findLast((_, index) => held.some((holds) => holds[index]));
    return submitted ? { is: 'submitted', hash: submitted.hash } : { is: 'not_seen' };
  }

  /** Null when the block of the receipt is not on the final chain. */
  private async statusFrom(
    source: string,
    attempts: readonly SignedAttempt[],
    receipt: Receipt,
    progress: ProofProgress | null,
  ): Promise<PaymentStatus | null> {
    const { transactionHash: hash, blockNumber: number, blockHash, fee, dataFees } = receipt;
    const attempt = attempts.find((each) => each.hash === hash)!;
    const outcome = outcomeOf(source, readAttempt(attempt), receipt);
    const mined: PaymentStatus = { is: 'mined', hash, block: { number, hash: blockHash }, outcome };
    const anchor = await this.blocks.anchor(placesOf(attempts), (block) => block.number - this.blocks.depth >= number);
    if (anchor.number - this.blocks.depth < number) {
      // It is not final, so one response is enough to detect a reorganisation.
      const { of } = await this.nodes.search(
        (node) => node.canonicalBlock(number),
        (block) => block?.hash === blockHash,
      );
      const block = of.find((each) => each?.hash === blockHash);
      return block ? { ...mined, block: { number, hash: blockHash, time: block.time } } : REORGANISING;
    }
    const proof = await this.blocks.descendTo(anchor, number, segmentsOf(progress?.['links']));
    if (!('at' in proof)) return { ...mined, ...proof };
    if (proof.at.number > number) {
      return { ...mined, ...(proof.segments && { progress: { ...progress, links: proof.segments } }) };
    }
    if (proof.at.hash !== blockHash) return null;
    const { transactions, time } =
      anchor.hash === blockHash ? anchor : await this.blocks.existing(blockHash, (node) => node.blockOf(blockHash));
    if (!transactions.includes(hash)) throw new NodeFault('The block of a receipt does not list its transaction.');
    return { is: 'final', hash, block: { number, hash: blockHash, time }, outcome, fee, dataFees };
  }
}

const REORGANISING: PaymentStatus = {
  is: 'unknown',
  reason: 'The chain is reorganising, or nodes disagree about a new block.',
  stuckReason: 'nodes_disagree',
};

/** The blocks that were final at the signing. If one is missing, nothing follows from a response. */
export function placesOf(attempts: readonly SignedAttempt[]): readonly Place[] {
  const places = attempts.flatMap(({ finalBlock, finalBlockHash: hash }) =>
    hash ? [{ number: finalBlock!, hash }] : [],
  );
  return [...new Map(places.map((place) => [place.hash, place])).values()];
}

async function receiptOf(node: EthereumNode, attempt: SignedAttempt): Promise<Receipt | null> {
  const receipt = await node.receipt(attempt.hash);
  if (receipt && receipt.gasUsed > readAttempt(attempt).gasLimit) {
    throw new NodeAnswerUnreadable('a receipt within the gas limit of its transaction');
  }
  return receipt;
}

function distinct({ of }: Answers<readonly (Receipt | null)[]>): Receipt[] {
  const receipts = of.flat().filter((receipt) => receipt !== null);
  return [...new Map(receipts.map((each) => [each.transactionHash + each.blockHash, each])).values()];
}

function sharedNonce([first, ...rest]: readonly SignedAttempt[]): number | null {
  const nonce = first?.nonce ?? null;
  return rest.every((attempt) => attempt.nonce === nonce) ? nonce : null;
}
