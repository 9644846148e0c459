import type { SignedAttempt, ProofProgress } from '../../../../kernel/chain/payment.js';
import { agreed, type Answers } from '../endpoints.js';
import { HistoryMissing, NodesDisagree, ProofFault } from './solana-rpc.js';
import type { Block, FinalTransaction } from './solana-answers.js';
import type { SolanaNode } from './solana-node.js';
import { type Checkpoint, groupAt, progressTo, readProgress } from './expiry-progress.js';

/**
 * Without a proof a payment stays pending. Assumption: a response at `finalized` is rooted by a supermajority of the stake, and a finalized
 * block that a node has lists all of its transactions. `final`: status, transaction and block of a signature agree at `finalized` on slot
 * and outcome, and the block lists it, so no conclusion combines machines on different forks. `dead`: see `proveExpiry`.
 */

/** Blocks after the blockhash's block that may include a transaction (MAX_PROCESSING_AGE of the runtime, plus one). */
const LIFE_BLOCKS = 151;
/** The distance of the last valid height from the block of the blockhash (MAX_PROCESSING_AGE). */
export const VALID_BLOCKS = 150;
const BLOCKS_AT_ONCE = 8;
const SLOTS_BEFORE = 64;
const BLOCKS_PER_OBSERVATION = 48;

/** Throws `ProofFault` when the responses do not agree. */
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

/** A negative conclusion must ask all endpoints. */
export type AskEvery = <T>(ask: (node: SolanaNode) => Promise<T>) => Promise<Answers<T>>;

export interface Expiry {
  readonly isProven: boolean;
  readonly progress?: ProofProgress;
  readonly fault?: ProofFault;
}

/**
 * None of these attempts, for which no endpoint has a status, was or will ever be carried out. A transaction can only be in the
 * `LIFE_BLOCKS` blocks after its blockhash's block. They are read one by one from the slot that the node reported with the blockhash, but
 * not above the height that follows from the last valid height, each linked by `previousBlockhash` and height, and past that height. None
 * may list the attempt. A blockhash of none of these blocks is of an abandoned fork. Missing statuses and slots prove nothing: a node
 * restarted from a snapshot has holes. Every endpoint that responds must read the same blocks, and at least two where two are configured.
 * Attempts are proven in the order of signing, those with one blockhash together; the blocks are final, so `progress` stays valid.
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
    while (!isDone() && read < BLOCKS_PER_OBSERVATION) {
      const group = groupAt(unseen, progress.proven);
      const at = await readOn(askEvery, group, progress.at ?? (await findStart(askEvery, group)));
      read += BLOCKS_AT_ONCE;
      progress = isPast(at, group)
        ? progressTo(unseen, progress.proven + group.length, null)
        : progressTo(unseen, progress.proven, at);
    }
  } catch (error) {
    // Progress made before the nodes failed is kept.
    if (error instanceof ProofFault) fault = error;
    else if (read === 0) throw error;
  }
  return { isProven: isDone(), ...(read > 0 && { progress: { ...progress } }), ...(fault && { fault }) };
}

/** Endpoints that lack blocks may report different first blocks; the earliest counts. */
async function findStart(askEvery: AskEvery, [attempt]: readonly SignedAttempt[]): Promise<Checkpoint> {
  const { validFromSlot = null, lastValidBlockHeight = null } = attempt ?? {};
  if (validFromSlot === null || lastValidBlockHeight === null) throw new HistoryMissing();
  // A wrong slot alone must not be able to skip blocks.
  const height = lastValidBlockHeight - VALID_BLOCKS;
  const starts = await askEnough(askEvery, (node) => blockBefore(node, validFromSlot, height));
  const { slot, blockhash, height: found } = starts.toSorted((a, b) => a.slot - b.slot)[0]!;
  return { slot, blockhash, height: found, links: 0 };
}

/** The last block at or before slot and height. Throws `NodesDisagree` when these do not belong together. */
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

/** Throws `ProofFault` unless all endpoints read the same blocks, without the attempts. */
async function readOn(askEvery: AskEvery, group: readonly SignedAttempt[], from: Checkpoint): Promise<Checkpoint> {
  const walks = await askEnough(askEvery, (node) => linkedBlocks(node, from));
  // Some endpoints may have failed midway.
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

/** An endpoint that lacks blocks abstains; one that contradicts ends the proof. */
async function askEnough<T>(askEvery: AskEvery, ask: (node: SolanaNode) => Promise<T>): Promise<T[]> {
  const { of, configured } = await askEvery(async (node) => {
    try {
      const answer = await ask(node);
      // Blocks of another cluster prove nothing about a signature.
      await node.assertNotMoved();
      return { answer, fault: null };
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

function isPast({ links, height }: Checkpoint, group: readonly SignedAttempt[]): boolean {
  return links >= LIFE_BLOCKS && group.every(({ lastValidBlockHeight: last }) => last !== null && height > last);
}
