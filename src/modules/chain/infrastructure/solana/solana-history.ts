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
const MOST_PAGES = 20;
/** A block's time is an estimate of the validators. */
const CLOCK_MARGIN_SECONDS = 600;

const TRANSFER_ID = new RegExp(`${ID_PREFIXES.transfer}_${ID_SUFFIX}`);

/**
 * The signatures, besides the known ones, whose memos name one of these transfers, or a lost one: as far as a list goes that is complete
 * for the rest.
 */
export async function signaturesNaming(
  node: SolanaNode,
  source: string,
  ids: readonly string[],
  search: PaymentSearch,
): Promise<ListedSignature[]> {
  const { known, since, lost } = search;
  const found: ListedSignature[] = [];
  let before: string | undefined;
  let isComplete = false;
  for (let page = 0; page < MOST_PAGES; page++) {
    const limit = PAGES[Math.min(page, 1)]!;
    const entries = await node.signaturesOf(source, limit, before);
    const losses = lost ? await namingLost(entries, lost) : [];
    for (const entry of entries) {
      const isNamed = ids.some((id) => entry.memo.includes(id)) || losses.includes(entry);
      if (known.includes(entry.hash) || !isNamed) continue;
      const read = await node.signedTransaction(entry.hash, 'confirmed');
      if (read === null || read.payer === source) found.push(entry);
    }
    const last = entries.at(-1);
    if (!last || entries.length < limit) return found;
    isComplete ||= isBefore(last, since);
    if (isComplete && (!lost || isBefore(last, lost.since))) return found;
    before = last.hash;
  }
  if (isComplete) return found;
  throw new NodeFault('The list of signatures of an account does not end.');
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
): Promise<ListedSignature[]> {
  const answers = await every(async (node) => {
    const found = await signaturesNaming(node, source, ids, search);
    const kept = await node.keepsSince();
    if (kept !== null && kept > oldestOf(search.since)) throw new HistoryMissing();
    await node.assertNotMoved();
    return found;
  });
  if (!agreed(answers, () => true)) throw new NodeFault('Too few endpoints list the signatures of an account.');
  return [...new Map(answers.of.flat().map((each) => [each.hash, each])).values()];
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
  return {
    hash,
    nonce: null,
    attempt,
    makes,
    movesNothing: false,
    isWaiting: false,
    at: null,
    summary: `${moveIn(raw)}, memo ${memo}`,
  };
}

/** The block time in epoch seconds before which no entry of the list matters. */
function oldestOf(since: Date): number {
  return since.getTime() / 1000 - CLOCK_MARGIN_SECONDS;
}

function isBefore({ time }: ListedSignature, since: Date): boolean {
  return time !== null && time < oldestOf(since);
}
