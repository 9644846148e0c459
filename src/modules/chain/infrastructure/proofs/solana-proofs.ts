import { createHash } from 'node:crypto';
import type { SignedAttempt } from '../../../../kernel/chain/payment.js';
import type { ProofProgress } from '../../../../kernel/chain/payment-status.js';
import { agreed, type Answers } from '../endpoints.js';
import {
  type Block,
  type FinalTransaction,
  HistoryMissing,
  NodesDisagree,
  ProofFault,
  type SolanaNode,
} from '../solana-node.js';

/**
 * The conclusions about Solana transactions that cannot be taken back, and what proves each. What is not proven stays pending.
 *
 * Assumption: what a node answers at the commitment `finalized` is rooted by a supermajority of the cluster's stake, and a
 * finalized block that a node has lists all of its transactions. A node on an abandoned fork finalizes nothing there.
 *
 * 1. `final` (completed, or failed as `reverted`): status, transaction and block of a signature each say alone, at
 *    `finalized`, that it was carried out; they must agree on its slot and its outcome, and the block must list it. So no
 *    conclusion is put together from the answers of machines that hold different chains.
 * 2. `dead` (signed again, cancelled, or failed without a payment): see `proveExpiry`.
 */

/** Blocks after the one its blockhash is of in which a transaction may be (MAX_PROCESSING_AGE of the runtime, plus one). */
const LIFE_BLOCKS = 151;
/** How far the last valid block height is above the block of the blockhash (MAX_PROCESSING_AGE). */
const VALID_BLOCKS = 150;
/** Blocks read from a node at a time, and by one look at a transfer. */
const BLOCKS_AT_ONCE = 8;
/** To be changed with the rules of the proof: what was proven by weaker ones is proven again. */
const PROOF_VERSION = '2';
/** How many slots in a row may be without a block where the first one is looked for. */
const SLOTS_BEFORE = 64;
const BLOCKS_PER_LOOK = 48;

/** Conclusion 1. Throws `ProofFault` when the answers do not agree. */
export async function proveFinal(
  node: SolanaNode,
  hash: string,
  status: { readonly slot: bigint; readonly failed: boolean },
): Promise<{ readonly transaction: FinalTransaction; readonly block: Block }> {
  const [transaction, block] = await Promise.all([node.finalTransaction(hash), node.block(Number(status.slot))]);
  if (transaction?.slot !== status.slot || transaction.failed !== status.failed || !block.signatures.includes(hash)) {
    throw new NodesDisagree();
  }
  return { transaction, block };
}

/** Asks all endpoints, as a negative conclusion must. */
export type AskEvery = <T>(ask: (node: SolanaNode) => Promise<T>) => Promise<Answers<T>>;

export interface Expiry {
  readonly isProven: boolean;
  /** Where it has changed. */
  readonly progress?: ProofProgress;
  /** Why it went no further. */
  readonly fault?: ProofFault;
}

/**
 * Conclusion 2: that none of these attempts, of which no endpoint has a status, was or will ever be carried out.
 *
 * A blockhash names a block, and a transaction can only be in one of the `LIFE_BLOCKS` blocks that follow it. These are read
 * one by one, from the final block at the slot that the node named with the blockhash, or the last one before it, on; never
 * from one above the height that follows from the last valid height the node named. Each is linked to the one before it by `previousBlockhash` and its height, up to a final block that is `LIFE_BLOCKS` after the first
 * one (and after that of the blockhash) and past the attempt's last valid height. None may list the attempt. A blockhash that
 * belongs to none of these blocks is of a fork that the cluster left: no block can hold the attempt.
 * Missing statuses prove nothing, nor does a list of slots: a node restarted from a snapshot has holes.
 * Every endpoint that answers must read the same blocks, and at least two must where two are configured.
 *
 * Attempts are proven in the order they were signed, those with the same blockhash together. What has been read is final, so
 * `progress` holds for good.
 */
export async function proveExpiry(
  askEvery: AskEvery,
  unseen: readonly SignedAttempt[],
  earlier: ProofProgress | null,
): Promise<Expiry> {
  let progress = readProgress(unseen, earlier);
  let read = 0;
  const isDone = () => progress.proven === unseen.length;
  let fault: ProofFault | undefined;
  try {
    while (!isDone() && read < BLOCKS_PER_LOOK) {
      const group = groupAt(unseen, progress.proven);
      const at = await readOn(askEvery, group, progress.at ?? (await findStart(askEvery, group)));
      read += BLOCKS_AT_ONCE;
      progress = isPast(at, group)
        ? progressTo(unseen, progress.proven + group.length, null)
        : progressTo(unseen, progress.proven, at);
    }
  } catch (error) {
    // What was read before the nodes failed is kept.
    if (error instanceof ProofFault) fault = error;
    else if (read === 0) throw error;
  }
  return { isProven: isDone(), ...(read > 0 && { progress: { ...progress } }), ...(fault && { fault }) };
}

/** A final block. */
interface Checkpoint {
  readonly slot: number;
  readonly blockhash: string;
  readonly height: number;
  /** How many blocks it comes after the first one, or after the one of the attempts' blockhash when that is among them. */
  readonly links: number;
}

/** The block to begin with: where endpoints that lack some name several, the first of them. */
async function findStart(askEvery: AskEvery, [attempt]: readonly SignedAttempt[]): Promise<Checkpoint> {
  const { validFromSlot = null, lastValidBlockHeight = null } = attempt ?? {};
  if (validFromSlot === null || lastValidBlockHeight === null) throw new HistoryMissing();
  // The height of the block that the blockhash names. The slot alone would decide how many blocks are never read.
  const height = lastValidBlockHeight - VALID_BLOCKS;
  const starts = await askEnough(askEvery, (node) => blockBefore(node, validFromSlot, height));
  const { slot, blockhash, height: found } = starts.toSorted((a, b) => a.slot - b.slot)[0]!;
  return { slot, blockhash, height: found, links: 0 };
}

/** The last block that is not after this slot, nor above this height. Throws `NodesDisagree` where they do not belong together. */
async function blockBefore(node: SolanaNode, slot: number, height: number): Promise<Block> {
  const listed = await node.slotsFrom(Math.max(0, slot - SLOTS_BEFORE), SLOTS_BEFORE + 1);
  const slots = listed.filter((each) => each <= slot);
  const last = slots.at(-1);
  if (last === undefined) throw new HistoryMissing();
  const block = await node.block(last);
  const above = block.height - height;
  if (Math.abs(above) > SLOTS_BEFORE) throw new NodesDisagree();
  if (above <= 0) return block;
  const lower = slots.at(-1 - above);
  if (lower === undefined) throw new HistoryMissing();
  const start = await node.block(lower);
  if (start.height > height) throw new HistoryMissing();
  return start;
}

/** Has every endpoint read the next blocks. Throws `ProofFault` unless they read the same, without the attempts. */
async function readOn(askEvery: AskEvery, group: readonly SignedAttempt[], from: Checkpoint): Promise<Checkpoint> {
  const walks = await askEnough(askEvery, (node) => linkedBlocks(node, from));
  // As far as all have come: an endpoint may have failed on the way.
  const links = Math.min(...walks.map(({ length }) => length));
  const last = walks[0]![links - 1]!;
  if (walks.some((walk) => walk[links - 1]?.blockhash !== last.blockhash)) throw new NodesDisagree();
  const listed = new Set(walks.flat().flatMap(({ signatures }) => signatures));
  if (group.some(({ hash }) => listed.has(hash))) throw new NodesDisagree();
  return walks[0]!.slice(0, links).reduce<Checkpoint>(
    (at, { slot, blockhash, height }) => ({
      slot,
      blockhash,
      height,
      links: blockhash === group[0]!.blockhash ? 0 : at.links + 1,
    }),
    from,
  );
}

/** The answers of the endpoints, as many as there must be. One that lacks the blocks abstains, one that contradicts decides. */
async function askEnough<T>(askEvery: AskEvery, ask: (node: SolanaNode) => Promise<T>): Promise<T[]> {
  const { of, configured } = await askEvery(async (node) => {
    try {
      return { answer: await ask(node), fault: null };
    } catch (error) {
      if (error instanceof ProofFault) return { answer: null, fault: error };
      throw error;
    }
  });
  const faults = of.flatMap(({ fault }) => (fault ? [fault] : []));
  const contradiction = faults.find((fault) => fault instanceof NodesDisagree);
  if (contradiction) throw contradiction;
  const answers = of.flatMap(({ answer, fault }) => (fault ? [] : [answer as T]));
  if (!agreed({ of: answers, configured }, () => true)) throw faults[0] ?? new NodesDisagree();
  return answers;
}

/** One or more of the final blocks after one, without a gap. */
async function linkedBlocks(node: SolanaNode, from: Checkpoint): Promise<Block[]> {
  const slots = await node.slotsFrom(from.slot + 1, BLOCKS_AT_ONCE);
  const answers = await Promise.allSettled(slots.map((slot) => node.block(slot)));
  const blocks: Block[] = [];
  let last: Pick<Checkpoint, 'blockhash' | 'height'> = from;
  for (const answer of answers) {
    const fault = answer.status === 'rejected' ? (answer.reason as Error) : brokenLink(last, answer.value);
    if (fault !== null && blocks.length === 0) throw fault;
    if (fault !== null || answer.status === 'rejected') break;
    blocks.push(answer.value);
    last = answer.value;
  }
  if (blocks.length === 0) throw new HistoryMissing();
  return blocks;
}

function brokenLink(last: Pick<Checkpoint, 'blockhash' | 'height'>, next: Block): ProofFault | null {
  if (next.height !== last.height + 1) return new HistoryMissing();
  return next.previousBlockhash === last.blockhash ? null : new NodesDisagree();
}

/** Whether no later block can hold these attempts: by the number of blocks, and by what the node said when they were signed. */
function isPast({ links, height }: Checkpoint, group: readonly SignedAttempt[]): boolean {
  return links >= LIFE_BLOCKS && group.every(({ lastValidBlockHeight: last }) => last !== null && height > last);
}

/** The attempts from this one on that have the same blockhash. */
function groupAt(attempts: readonly SignedAttempt[], first: number): readonly SignedAttempt[] {
  const end = attempts.findIndex(({ blockhash }, index) => index > first && blockhash !== attempts[first]!.blockhash);
  return attempts.slice(first, end === -1 ? undefined : end);
}

interface Progress {
  /** The first so many attempts are proven expired; `at` is how far the next ones with one blockhash are. */
  readonly proven: number;
  readonly at: Checkpoint | null;
  /** Of the signatures it is about: it holds for no others. */
  readonly digest: string;
}

function progressTo(attempts: readonly SignedAttempt[], proven: number, at: Checkpoint | null): Progress {
  const about = at === null ? proven : proven + groupAt(attempts, proven).length;
  return { proven, at, digest: digestOf(attempts.slice(0, about)) };
}

/** The progress of an earlier look, or none where that was about something else, or is of another version. */
function readProgress(attempts: readonly SignedAttempt[], earlier: ProofProgress | null): Progress {
  const { proven, at, digest } = (earlier ?? {}) as Partial<Progress>;
  if (isCount(proven) && proven <= attempts.length && (at === null || isCheckpoint(at))) {
    const same = progressTo(attempts, proven, at);
    if (same.digest === digest) return same;
  }
  return progressTo(attempts, 0, null);
}

function isCheckpoint(stored: unknown): stored is Checkpoint {
  const { slot, blockhash, height, links } = (stored ?? {}) as Partial<Checkpoint>;
  return [slot, height, links].every(isCount) && typeof blockhash === 'string';
}

function isCount(stored: unknown): stored is number {
  return Number.isSafeInteger(stored) && (stored as number) >= 0;
}

function digestOf(attempts: readonly SignedAttempt[]): string {
  return createHash('sha256')
    .update([PROOF_VERSION, ...attempts.map(({ hash }) => hash)].join(' '))
    .digest('base64url');
}
