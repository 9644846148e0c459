import {
  type FoundTransaction,
  type FoundTransactions,
  type Payment,
  WITHOUT_NONCE,
} from '../../../../kernel/chain/payment.js';
import type { PaymentSearch } from '../../../../kernel/chain/chain.js';
import { NodeFault } from '../node-faults.js';
import { agreed, type Answers } from '../endpoints.js';
import type { ListedSignature } from './solana-answers.js';
import { HistoryMissing } from './solana-rpc.js';
import { makesPayment, moveIn } from './solana-message.js';
import type { SolanaNode } from './solana-node.js';
import { VALID_BLOCKS } from './solana-proofs.js';
import { type NamingSignatures, oldestOf, signaturesNaming } from './solana-signatures.js';

/** Asks all endpoints, and throws when too few respond. One that has deleted the searched entries does not count: its list ends before. */
export async function allNaming(
  every: <T>(ask: (node: SolanaNode) => Promise<T>) => Promise<Answers<T>>,
  source: string,
  ids: readonly string[],
  search: PaymentSearch,
): Promise<NamingSignatures> {
  const answers = await every(async (node) => {
    const found = await signaturesNaming(node, source, ids, search, true);
    const kept = await node.keepsSince();
    if (kept !== null && kept > oldestOf(search.since)) throw new HistoryMissing();
    await node.assertNotMoved();
    return found;
  });
  if (!agreed(answers, () => true)) throw new NodeFault('Too few endpoints list the signatures of an account.');
  // One that never comes to the end of its list holds the wallet only where the others are too few.
  const whole = { ...answers, of: answers.of.filter(({ isWhole }) => isWhole) };
  const of = new Map(answers.of.flatMap((each) => each.of).map((each) => [each.hash, each]));
  return {
    of: [...of.values()],
    isWhole: agreed(whole, () => true),
    hasAdvanced: answers.of.some(({ hasAdvanced }) => hasAdvanced),
  };
}

/** Only final ones are returned: their expiry never has to be proven. */
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
