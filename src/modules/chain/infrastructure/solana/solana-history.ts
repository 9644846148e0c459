import {
  type FoundTransaction,
  type FoundTransactions,
  type Payment,
  WITHOUT_NONCE,
} from '../../../../kernel/chain/payment.js';
import type { LostTransfers, PaymentSearch } from '../../../../kernel/chain/chain.js';
import { ID_PREFIXES, ID_SUFFIX, type TransferId } from '../../../../kernel/ids.js';
import { NodeFault } from '../node-faults.js';
import { agreed, type Answers } from '../endpoints.js';
import type { ListedSignature } from './solana-answers.js';
import { HistoryMissing } from './solana-rpc.js';
import { makesPayment, moveIn } from './solana-message.js';
import type { SolanaNode } from './solana-node.js';
import { VALID_BLOCKS } from './solana-proofs.js';

// Finds the transactions of an account that name a transfer in their memo. A list counts only when it is complete: it ends, or reaches an
// entry that is older than everything searched for. Any other account can name both in a transaction, so only a transaction that the
// account has paid for, as its signature shows, says anything about the transfer.

/** The first page is enough for a wallet that has signed little since. */
const PAGES = [100, 1000] as const;
/** Of one look; the next one continues. */
const MOST_PAGES = 20;
/** Transactions that one look reads, because others may name a transfer in as many as they like. */
const MOST_READ = 200;
/** A block's time is an estimate of the validators. */
const CLOCK_MARGIN_SECONDS = 600;

const TRANSFER_ID = new RegExp(`${ID_PREFIXES.transfer}_${ID_SUFFIX}`);

/** The signatures that were found; all there are if the list `isWhole`. */
export interface Named {
  readonly of: readonly ListedSignature[];
  readonly isWhole: boolean;
}

/**
 * The signatures, besides the known ones, whose memos name one of these transfers, or a lost one. A look reads a bounded number of pages.
 * What it has read is stored as spans of the list without a gap. The next look reads from the newest signature down to the newest span,
 * and then goes on below it, so that no signature that was added meanwhile is left out.
 */
export async function signaturesNaming(
  node: SolanaNode,
  source: string,
  ids: readonly string[],
  search: PaymentSearch,
): Promise<Named> {
  const { known, since, lost, progress } = search;
  const oldest = lost && lost.since < since ? lost.since : since;
  const found = new Map<string, ListedSignature>();
  let spans: readonly Span[] = [];
  let current: Span | undefined;
  let stored: Walk | null | undefined;
  let reads = 0;
  const result = (isWhole: boolean): Named => ({
    of: [...found.values()].filter(({ hash }) => !known.includes(hash)),
    isWhole,
  });
  const store = async (): Promise<void> => {
    const walk = { ...questionOf(ids, lost), spans: [current, ...spans], found: [...found.values()] };
    await progress?.store(node.digest, walk);
  };
  try {
    for (let page = 0; page < MOST_PAGES && reads < MOST_READ; page++) {
      const limit = PAGES[Math.min(page, 1)]!;
      const entries = await node.signaturesOf(source, limit, current?.bottom);
      const last = entries.at(-1);
      // To a signature that it does not know, a node answers with an empty list.
      if (entries.length < limit && current && !(await node.knows(current.bottom))) {
        await progress?.store(node.digest, null);
        current = undefined;
        throw new HistoryMissing();
      }
      const losses = lost ? await namingLost(entries, lost) : [];
      for (const entry of entries) {
        const isNamed = ids.some((id) => entry.memo.includes(id)) || losses.includes(entry);
        if (isNamed && !known.includes(entry.hash) && !found.has(entry.hash)) {
          if (reads === MOST_READ) break;
          reads++;
          const read = await node.signedTransaction(entry.hash, 'confirmed');
          if (read === null || read.payer === source) found.set(entry.hash, entry);
        }
        current = { top: current?.top ?? entry.hash, bottom: entry.hash, time: entry.time };
      }
      if (current && current.bottom !== last?.hash && last) break;
      const isEnd = (): boolean => !current || entries.length < limit || isBefore(current, oldest);
      if (isEnd()) {
        if (stored) await store();
        return result(true);
      }
      if (stored === undefined) {
        stored = progress ? readWalk((await progress.load())[node.digest], ids, lost) : null;
        spans = stored?.spans ?? [];
        for (const entry of stored?.found ?? []) found.set(entry.hash, entry);
      }
      const next = spans.findLastIndex(({ top }) => entries.some(({ hash }) => hash === top));
      if (next === -1) continue;
      current = { ...spans[next]!, top: current!.top };
      spans = spans.slice(next + 1);
      if (isBefore(current, oldest)) {
        await store();
        return result(true);
      }
    }
  } catch (error) {
    // A node that limits the rate of calls must not begin anew each time.
    if (current && stored !== undefined) await store();
    throw error;
  }
  await store();
  return result(false);
}

/** Entries of the list without a gap between them, by the newest and the oldest; `time` is that of the oldest. */
interface Span {
  readonly top: string;
  readonly bottom: string;
  readonly time: number | null;
}

/** How far an endpoint's list was read for these transfers, newest span first. */
interface Walk {
  readonly ids: readonly string[];
  readonly lostSince: number | null;
  readonly spans: readonly Span[];
  readonly found: readonly ListedSignature[];
}

function questionOf(ids: readonly string[], lost: PaymentSearch['lost']): Pick<Walk, 'ids' | 'lostSince'> {
  return { ids, lostSince: lost?.since.getTime() ?? null };
}

/** Null when the stored walk did not look for all of these transfers. */
function readWalk(stored: unknown, ids: readonly string[], lost: PaymentSearch['lost']): Walk | null {
  const walk = stored as Walk | null | undefined;
  if (!walk || walk.lostSince !== questionOf(ids, lost).lostSince) return null;
  return ids.every((id) => walk.ids.includes(id)) ? walk : null;
}

/** The entries whose memo names a transfer that the database has lost. */
async function namingLost(entries: readonly ListedSignature[], lost: LostTransfers): Promise<ListedSignature[]> {
  const naming = entries.flatMap((entry) => {
    const id = TRANSFER_ID.exec(entry.memo)?.[0] as TransferId | undefined;
    return id === undefined || isBefore(entry, lost.since) ? [] : [{ entry, id }];
  });
  if (naming.length === 0) return [];
  const missing = await lost.among(naming.map(({ id }) => id));
  return naming.filter(({ id }) => missing.includes(id)).map(({ entry }) => entry);
}

/**
 * Does the same as `signaturesNaming`, from the responses of all endpoints. Throws when too few of them respond. An endpoint that has
 * deleted the searched entries does not count: its list ends before.
 */
export async function allNaming(
  every: <T>(ask: (node: SolanaNode) => Promise<T>) => Promise<Answers<T>>,
  source: string,
  ids: readonly string[],
  search: PaymentSearch,
): Promise<Named> {
  const answers = await every(async (node) => {
    const found = await signaturesNaming(node, source, ids, search);
    const kept = await node.keepsSince();
    if (kept !== null && kept > oldestOf(search.since)) throw new HistoryMissing();
    await node.assertNotMoved();
    return found;
  });
  if (!agreed(answers, () => true)) throw new NodeFault('Too few endpoints list the signatures of an account.');
  const of = [...new Map(answers.of.flatMap((each) => each.of).map((each) => [each.hash, each])).values()];
  return { of, isWhole: answers.of.every(({ isWhole }) => isWhole) };
}

/** The transactions of these signatures. Only final ones are returned: their expiry never has to be proven. */
export async function transactionsNamed(
  node: SolanaNode,
  signatures: readonly ListedSignature[],
  payments: readonly Payment[],
): Promise<FoundTransactions> {
  const read = await Promise.all(signatures.map((signature) => transactionOf(node, signature, payments)));
  const of = read.filter((each) => each !== null);
  return { of, isComplete: of.length === read.length };
}

async function transactionOf(
  node: SolanaNode,
  { hash, memo }: ListedSignature,
  payments: readonly Payment[],
): Promise<FoundTransaction | null> {
  const found = await node.signedTransaction(hash);
  if (!found) return null;
  const { raw, slot } = found;
  const [network, block] = await Promise.all([node.network(), node.block(slot)]);
  if (!block.signatures.includes(hash)) throw new NodeFault('The block of a transaction does not list it.');
  const made = await Promise.all(payments.map(async (payment) => (await makesPayment(raw, payment)) && payment));
  const makes = made.flatMap((payment) => (payment ? [payment.transferId] : []));
  const attempt = {
    network,
    hash,
    raw,
    ...WITHOUT_NONCE,
    blockhash: found.blockhash,
    // The block of its blockhash is below its own one.
    lastValidBlockHeight: block.height + VALID_BLOCKS,
    validFromSlot: slot,
    maxFee: found.fee,
  };
  return { hash, nonce: null, attempt, makes, movesNothing: false, summary: `${moveIn(raw)}, memo ${memo}` };
}

/** The block time in epoch seconds before which no entry of the list matters. */
function oldestOf(since: Date): number {
  return since.getTime() / 1000 - CLOCK_MARGIN_SECONDS;
}

function isBefore({ time }: Pick<ListedSignature, 'time'>, since: Date): boolean {
  return time !== null && time < oldestOf(since);
}
