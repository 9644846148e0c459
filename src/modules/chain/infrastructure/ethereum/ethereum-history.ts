import { Transaction } from 'ethers/transaction';
import type { NonceRange } from '../../../../kernel/chain/chain.js';
import {
  type FoundTransaction,
  type FoundTransactions,
  type Payment,
  WITHOUT_SLOTS,
} from '../../../../kernel/chain/payment.js';
import { caip2Of } from '../../../../services/config/networks.js';
import { hexOf, type MinedTransaction } from './ethereum-answers.js';
import { CallFailed, CallRefused } from './call-failed.js';
import type { EthereumNode } from './ethereum-node.js';
import { callOf } from './ethereum-transaction.js';

// Finds the transactions that used the nonces of an account. An account's number of transactions after a block leads to the
// block. Where a node does not keep previous states, the newest blocks are read instead. The result needs no proof of its own: the
// hash is computed from the fields and the sender is recovered from the signature, so a node cannot invent a transaction.

/** The nonces that a bounded search covers. */
const MOST_NONCES = 256;
/** The blocks that are read where a node does not know the number of transactions after a block. */
const MOST_BLOCKS = 256;

interface Range {
  readonly source: string;
  readonly nonces: NonceRange;
  readonly chainId: number;
}

/** The transactions in blocks with these nonces, besides the known ones. */
export async function transactionsOf(
  node: EthereumNode,
  { source, nonces: { from, to, isBounded }, chainId }: Range,
  payments: readonly Payment[],
  known: readonly string[],
): Promise<FoundTransactions> {
  const end = isBounded ? Math.min(to, from + MOST_NONCES) : to;
  const of: FoundTransaction[] = [];
  let missing = Math.max(0, to - end);
  if (from >= end) return { of, isComplete: missing === 0 };
  const { number: head } = await node.latestBlock();
  let above = -1;
  let inBlock: readonly Mined[] = [];
  for (let nonce = from; nonce < end; nonce++) {
    let found = inBlock.find(({ transaction }) => transaction.nonce === nonce) ?? null;
    if (!found) {
      inBlock = await minedIn(node, source, await blockOfNonce(node, source, nonce, above, head));
      found = inBlock.find(({ transaction }) => transaction.nonce === nonce) ?? (await scan(node, source, nonce, head));
    }
    if (!found) missing++;
    else if (!known.includes(found.transaction.hash)) of.push(foundTransaction(found, source, payments, chainId));
    above = Math.max(above, (found?.block ?? 0) - 1);
  }
  return { of, isComplete: missing === 0 };
}

/** The first block after which the account has used the nonce: a hint, searched from the newest block downwards. */
async function blockOfNonce(
  node: EthereumNode,
  source: string,
  nonce: number,
  above: number,
  head: number,
): Promise<number> {
  // A node that does not keep the state after a block says so: then the block is searched above that one.
  const isUsedAfter = async (block: number): Promise<boolean> => {
    try {
      return (await node.transactionCount(source, hexOf(block))) > nonce;
    } catch (error) {
      if (error instanceof CallRefused || error instanceof CallFailed) return false;
      throw error;
    }
  };
  let high = head;
  let low = above;
  for (let step = 1; high - step > above; step *= 2) {
    if (!(await isUsedAfter(high - step))) {
      low = high - step;
      break;
    }
    high -= step;
  }
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2);
    if (await isUsedAfter(middle)) high = middle;
    else low = middle;
  }
  return high;
}

interface Mined {
  readonly transaction: MinedTransaction;
  readonly block: number;
}

async function minedIn(node: EthereumNode, source: string, block: number): Promise<Mined[]> {
  return (await node.transactionsIn(block, source)).map((transaction) => ({ transaction, block }));
}

async function scan(node: EthereumNode, source: string, nonce: number, head: number): Promise<Mined | null> {
  for (let block = head; block >= 0 && block > head - MOST_BLOCKS; block--) {
    const found = (await minedIn(node, source, block)).find(({ transaction }) => transaction.nonce === nonce);
    if (found) return found;
  }
  return null;
}

function foundTransaction(
  { transaction, block }: Mined,
  source: string,
  payments: readonly Payment[],
  chainId: number,
): FoundTransaction {
  const { hash, nonce } = transaction;
  const signed = signedTransaction(transaction, source, chainId);
  if (!signed) {
    return { hash, nonce, attempt: null, makes: [], movesNothing: false, summary: 'not a transaction of this service' };
  }
  const { to, value, data, gasLimit, maxFeePerGas } = signed;
  const makes = payments.filter((payment) => {
    const call = callOf(payment);
    return call.to === to && call.value === value && call.data.toLowerCase() === data;
  });
  return {
    hash,
    nonce,
    attempt: {
      network: caip2Of(chainId),
      hash,
      raw: Buffer.from(signed.serialized.slice(2), 'hex'),
      nonce,
      ...WITHOUT_SLOTS,
      // The search for the user of its nonce goes on below this block, by the same margin as for its own transactions.
      validFromBlock: Math.max(0, block - 1),
      finalBlock: null,
      finalBlockHash: null,
      maxFee: gasLimit * maxFeePerGas!,
    },
    makes: makes.map(({ transferId }) => transferId),
    movesNothing: to === source && value === 0n && data === '0x',
    summary: `${value} wei to ${to}${data === '0x' ? '' : `, data ${data.slice(0, 138)}`}`,
  };
}

/** The transaction, if its hash follows from its fields, it is signed by the source, and it has the form of this service. */
function signedTransaction({ hash, fields }: MinedTransaction, source: string, chainId: number): Transaction | null {
  try {
    const transaction = Transaction.from(fields);
    const isOurs =
      transaction.hash === hash &&
      transaction.from === source &&
      transaction.type === 2 &&
      transaction.chainId === BigInt(chainId) &&
      transaction.to !== null &&
      transaction.accessList?.length === 0;
    return isOurs ? transaction : null;
  } catch {
    return null;
  }
}
