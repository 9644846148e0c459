import type { FoundTransaction, FoundTransactions, Payment } from '../../../../kernel/chain/payment.js';
import type { PaymentSearch } from '../../../../kernel/chain/chain.js';
import { NodeFault } from '../node-faults.js';
import { agreed, type Answers } from '../endpoints.js';
import type { ListedSignature } from './solana-answers.js';
import { HistoryMissing } from './proof-faults.js';
import { makesPayment } from './solana-message.js';
import type { SolanaNode } from './solana-node.js';

// Finds the transactions of an account that name a transfer in their memo. A list counts only when it is complete: it ends, or
// reaches an entry that is older than everything searched for. Any other account can name both in a transaction, so
// only what the account has paid for, as its signature shows, says anything about the transfer.

/** The first page is enough for a wallet that has signed little since. */
const PAGES = [100, 1000] as const;
const MOST_PAGES = 20;
/** A block's time is an estimate of the validators. */
const CLOCK_MARGIN_SECONDS = 600;
/** The last valid height of a transaction is this far above the block that it was in at the latest. */
const VALID_BLOCKS = 150;

/** The signatures, besides the known ones, whose memos name one of these transfers. */
export async function signaturesNaming(
  node: SolanaNode,
  source: string,
  ids: readonly string[],
  search: PaymentSearch,
): Promise<ListedSignature[]> {
  const { known } = search;
  const oldest = oldestOf(search);
  const found: ListedSignature[] = [];
  let before: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const limit = PAGES[Math.min(page, 1)]!;
    const entries = await node.signaturesOf(source, limit, before);
    for (const entry of entries) {
      if (known.includes(entry.hash) || !ids.some((id) => entry.memo.includes(id))) continue;
      const read = await node.signedTransaction(entry.hash, 'confirmed');
      if (read === null || read.payer === source) found.push(entry);
    }
    const last = entries.at(-1);
    if (!last || entries.length < limit || (last.time !== null && last.time < oldest)) return found;
    before = last.hash;
  }
  throw new NodeFault('The list of signatures of an account does not end.');
}

/**
 * As `signaturesNaming`, from the answers of all endpoints. Throws when too few of them answer. An endpoint that has deleted what is
 * searched for does not answer: its list ends before.
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
    if (kept !== null && kept > oldestOf(search)) throw new HistoryMissing();
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
    nonce: null,
    blockhash: found.blockhash,
    lastValidBlockHeight: block.height + VALID_BLOCKS,
    validFromSlot: slot,
    validFromBlock: null,
    finalBlock: null,
    finalBlockHash: null,
    maxFee: found.fee,
  };
  return { hash, nonce: null, attempt, makes, movesNothing: false, summary: memo };
}

/** Epoch seconds of the block time before which no entry of the list matters. */
function oldestOf({ since }: PaymentSearch): number {
  return since.getTime() / 1000 - CLOCK_MARGIN_SECONDS;
}
