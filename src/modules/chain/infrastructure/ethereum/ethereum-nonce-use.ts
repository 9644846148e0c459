import { verifyAuthorization } from 'ethers/hash';
import type { SignedAttempt, PaymentStatus, ProofProgress } from '../../../../kernel/chain/payment.js';
import { agreed, type Endpoints } from '../endpoints.js';
import { NodeFault } from '../node-faults.js';
import { descend, type Header, type Place, type Segment, segmentsOf } from './block-links.js';
import { CallRefused } from './call-failed.js';
import { type BlockTransaction, hexOf, wholeOf } from './ethereum-answers.js';
import type { EthereumBlocks } from './ethereum-blocks.js';
import type { EthereumNode } from './ethereum-node.js';
import { paymentBy } from './ethereum-payment-elsewhere.js';
import { readAttempt } from './ethereum-transaction.js';

/** Blocks that another transfer of the account has read cost nothing. */
const MOST_FULL_BLOCKS = 64;
/** A lagging machine may have reported a nonce that was used shortly before the signing. */
const NONCE_MARGIN = 64;

/** A transaction of any account with an EIP-7702 authorisation of the account for the nonce. */
interface Authorising {
  readonly hash: string;
  readonly place: Place;
  readonly parentHash: string;
}

/**
 * Two results prove that no attempt was or will be carried out. A final block contains another transaction of the account with the nonce:
 * the account's nonces at earlier blocks lead to it, but only as a hint. Or no block since the signing contains one, and in the state of
 * the newest the account's nonce is above it: an authorisation or delegated code has used it (EIP-7702). An authorisation may be invalid
 * where it stands, so it ends no search.
 */
export class EthereumNonceUse {
  constructor(
    private readonly nodes: Endpoints<EthereumNode>,
    private readonly blocks: EthereumBlocks,
  ) {}

  async find(
    source: string,
    nonce: number,
    attempts: readonly SignedAttempt[],
    known: readonly Place[],
    progress: ProofProgress | null,
  ): Promise<PaymentStatus> {
    const from = attempts.reduce<number | null>(
      (least, { validFromBlock: each }) => (least === null || each === null ? null : Math.min(least, each)),
      Number.MAX_SAFE_INTEGER,
    );
    // It was signed before the column valid_from_block existed: the search has no end.
    if (from === null) return unproven('The block in which the nonce was used is not known.', 'node_lacks_history');
    const anchor = await this.blocks.anchor(known, () => false);
    if (anchor.number < this.blocks.depth) return unproven('No block is final.');
    const settled = await this.blocks.descendTo(anchor, anchor.number - this.blocks.depth, []);
    if (!('at' in settled)) return unproven('A final block is missing.', settled.stuckReason);
    const final = settled.at;
    if (final.number > anchor.number - this.blocks.depth) return unproven('The final block has not been reached.');
    const target = Math.max(-1, from - Math.max(this.blocks.depth, NONCE_MARGIN) - 1);
    const earlier = scanIn(progress, nonce);
    const chainId = BigInt(readAttempt(attempts[0]!).chainId);
    const search = new NonceSearch(this.blocks, source, nonce, chainId, earlier?.authorising ?? null);
    const unread = await this.readLikely(search, anchor, final, target, progress);
    if (unread) return unread;
    const segments = earlier?.segments ?? [];
    const read = (place: Place) => search.read(place);
    const scan = await this.blocks.tolerant(descend(final, target, final.number, segments, read, Infinity));
    if (!('at' in scan)) return unproven('A block since the signing is missing.', scan.stuckReason);
    if (search.user) {
      const { transaction, place } = search.user;
      const own = attempts.find(({ hash }) => hash === transaction.hash);
      if (own) return { is: 'mined', hash: own.hash, block: place, stuckReason: 'node_lacks_history' };
      return {
        is: 'dead',
        usedBy: transaction.hash,
        payment: await this.paymentBy(transaction, place, source, attempts),
      };
    }
    if (scan.at.number === target) return this.withoutTransaction(source, nonce, attempts, final, search.authorising);
    return {
      ...unproven('The transaction that used the nonce is in none of the final blocks read so far.'),
      ...(scan.segments && {
        progress: { ...progress, scan: { segments: scan.segments, nonce, authorising: search.authorising } },
      }),
    };
  }

  /** Null when the block in which the nonce seems to be used was read. */
  private async readLikely(
    search: NonceSearch,
    anchor: Header,
    final: Place,
    target: number,
    progress: ProofProgress | null,
  ): Promise<PaymentStatus | null> {
    const number = await this.likelyBlock(search, target, final.number);
    if (number === null) return unproven('The nonce is not used in the final block.');
    const links = await this.blocks.descendTo(anchor, number, segmentsOf(progress?.['links']));
    if (!('at' in links)) return unproven('A block since the signing is missing.', links.stuckReason);
    if (links.at.number > number) {
      return {
        ...unproven('The block in which the nonce was used has not been reached.'),
        ...(links.segments && { progress: { ...progress, links: links.segments } }),
      };
    }
    const block = await this.blocks.tolerant(search.read(links.at));
    return block && 'stuckReason' in block ? unproven('The block is missing.', block.stuckReason) : null;
  }

  /** A hint: the lowest block after which the nonce is used, as far as the nodes keep states; null if it is not used at `highest`. */
  private async likelyBlock({ source, nonce }: NonceSearch, below: number, highest: number): Promise<number | null> {
    const isUsedAt = async (number: number): Promise<boolean | null> => {
      const counts = this.nodes.search(
        (node) => node.transactionCount(source, hexOf(number)),
        (count) => count > nonce,
      );
      return counts.then(
        ({ of }) => of.some((count) => count > nonce),
        (error: unknown) => {
          if (error instanceof CallRefused) return null;
          throw error;
        },
      );
    };
    let [unused, used] = [below, highest];
    try {
      if ((await isUsedAt(highest)) === false) return null;
      while (used - unused > 1) {
        const middle = Math.floor((unused + used) / 2);
        if (await isUsedAt(middle)) used = middle;
        else unused = middle;
      }
    } catch {
      // The proof needs no hint.
    }
    return used;
  }

  private async withoutTransaction(
    source: string,
    nonce: number,
    attempts: readonly SignedAttempt[],
    final: Place,
    authorising: Authorising | null,
  ): Promise<PaymentStatus> {
    const counts = await this.nodes
      .every((node) => node.transactionCountAt(source, final.hash))
      .catch((error: unknown) => {
        if (error instanceof CallRefused) return null;
        throw error;
      });
    if (!counts) return unproven('No endpoint has the state of a final block.', 'node_lacks_history');
    if (!counts.of.some((count) => count > nonce)) return unproven('The nonce is not used in the final block.');
    if (!agreed(counts, (count) => count > nonce)) {
      return unproven('Too few endpoints answered, or they disagree on the nonce.', 'nodes_disagree');
    }
    const named = authorising && (await this.named(source, nonce, attempts, authorising));
    return { is: 'dead', payment: 'unproven', ...named };
  }

  /** Names the authorisation only if the account's nonce rose past this one in its block. */
  private async named(
    source: string,
    nonce: number,
    attempts: readonly SignedAttempt[],
    { hash, place, parentHash }: Authorising,
  ): Promise<{ readonly usedBy: string; readonly payment: 'made' | 'unproven' } | null> {
    try {
      const [before, after] = await this.nodes.read((node) =>
        Promise.all([parentHash, place.hash].map((at) => node.transactionCountAt(source, at))),
      );
      if (before! > nonce || after! <= nonce) return null;
      const { transactions } = await this.blocks.searchedBlock(place.hash, source);
      const transaction = transactions.find((each) => each.hash === hash);
      if (!transaction) return null;
      const payment = await this.paymentBy(transaction, place, source, attempts);
      // The code that the authorisation names can pay at any time, without a nonce.
      return { usedBy: hash, payment: payment === 'made' ? 'made' : 'unproven' };
    } catch {
      // Without the state of that block the user has no name, which the proof does not need.
      return null;
    }
  }

  private async paymentBy(
    transaction: BlockTransaction,
    place: Place,
    source: string,
    attempts: readonly SignedAttempt[],
  ): Promise<'made' | 'not_made' | 'unproven'> {
    const { of } = await this.nodes.search(
      (node) => node.receipt(transaction.hash),
      (receipt) => receipt?.blockHash === place.hash,
    );
    const receipt = of.find((each) => each?.blockHash === place.hash) ?? null;
    return paymentBy(wholeOf(transaction.raw), receipt, source, readAttempt(attempts[0]!));
  }
}

class NonceSearch {
  user: { readonly transaction: BlockTransaction; readonly place: Place } | null = null;
  private left = MOST_FULL_BLOCKS;

  constructor(
    private readonly blocks: EthereumBlocks,
    readonly source: string,
    readonly nonce: number,
    private readonly chainId: bigint,
    public authorising: Authorising | null,
  ) {}

  /** Null ends the search: the user is found, or enough blocks were read. */
  async read(place: Place): Promise<Header | null> {
    const { source, nonce, chainId } = this;
    if (this.user || (!this.blocks.isSearched(place.hash, source) && this.left-- === 0)) return null;
    const block = await this.blocks.searchedBlock(place.hash, source);
    const transaction = block.transactions.find((each) => each.from === source.toLowerCase() && each.nonce === nonce);
    // The URL may have been moved since the network was checked, and one key may pay on several.
    if (transaction && transaction.chainId !== null && transaction.chainId !== chainId) {
      throw new NodeFault('The node has the blocks of another network.');
    }
    if (transaction && block.number === place.number) this.user = { transaction, place };
    const hash = block.transactions.find((each) => authorises(each, source, nonce, chainId))?.hash;
    if (hash !== undefined && !(this.authorising && this.authorising.place.number < place.number)) {
      this.authorising = { hash, place, parentHash: block.parentHash };
    }
    return this.user ? null : block;
  }
}

function authorises({ authorizations }: BlockTransaction, source: string, nonce: number, chainId: bigint): boolean {
  return authorizations.some(({ signature, ...of }) => {
    if (of.nonce !== BigInt(nonce) || (of.chainId !== 0n && of.chainId !== chainId)) return false;
    try {
      return verifyAuthorization(of, signature) === source;
    } catch {
      return false; // A signature of no account: the chain skips such an authorisation too.
    }
  });
}

function scanIn(
  progress: ProofProgress | null,
  nonce: number,
): { readonly segments: readonly Segment[]; readonly authorising: Authorising | null } | null {
  const scan = progress?.['scan'] as
    { readonly nonce?: unknown; readonly segments?: unknown; readonly authorising?: Authorising } | null | undefined;
  return scan?.nonce === nonce ? { segments: segmentsOf(scan.segments), authorising: scan.authorising ?? null } : null;
}

export function unproven(
  reason: string,
  stuckReason?: 'nodes_disagree' | 'node_lacks_history',
): PaymentStatus & { is: 'unknown' } {
  return { is: 'unknown', reason, ...(stuckReason && { stuckReason }) };
}
