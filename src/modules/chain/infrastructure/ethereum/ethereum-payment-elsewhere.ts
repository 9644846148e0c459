import { getAddress } from 'ethers/address';
import type { Receipt, WholeTransaction } from './ethereum-answers.js';
import {
  argumentsOf,
  isTokenCall,
  type Move,
  movedBy,
  movesIn,
  selectorOf,
  type TransactionFields,
} from './ethereum-transaction.js';

const TRANSFER_FROM = selectorOf('transferFrom(address,address,uint256)');
/** The gas of a transaction that runs no code. */
const GAS_WITHOUT_CODE = 21_000n;

/** `not_made` needs a receipt that failed, ran no code, or called the token for one other move. Inner calls show in no receipt. */
export function paymentBy(
  transaction: WholeTransaction,
  receipt: Receipt | null,
  source: string,
  intended: TransactionFields,
): 'made' | 'not_made' | 'unproven' {
  if (receipt?.succeeded === false) return 'not_made';
  const isPlain = transaction.data === '0x' && receipt?.gasUsed === GAS_WITHOUT_CODE;
  if (!isTokenCall(intended.data)) {
    const isSame = transaction.to === intended.to && transaction.value === intended.value;
    if (isSame && transaction.from === source) return 'made';
    return isPlain ? 'not_made' : 'unproven';
  }
  const wanted = { from: source, ...movedBy(intended.data) };
  const called = transaction.to === intended.to ? calledMove(transaction) : null;
  const moves = receipt ? movesIn(receipt, intended.to) : [];
  const arrived = moves.filter(({ to }) => to === wanted.to);
  // In parts it is the same payment too.
  const sum = arrived.reduce((total, { amount }) => total + amount, 0n);
  if (
    (called && isSame(called, wanted)) ||
    arrived.some(({ amount }) => amount === wanted.amount) ||
    sum === wanted.amount
  )
    return 'made';
  const isOther = called && moves.length === 1 && isSame(moves[0]!, called);
  return isPlain || isOther ? 'not_made' : 'unproven';
}

/** Null for any call but a token's direct move. */
function calledMove({ from, data }: WholeTransaction): Move | null {
  try {
    if (isTokenCall(data)) return { from, ...movedBy(data) };
    if (!data.startsWith(TRANSFER_FROM)) return null;
    const [owner, to, amount] = argumentsOf(data, ['address', 'address', 'uint256']);
    return { from: getAddress(owner as string), to: to as string, amount: amount as bigint };
  } catch {
    return null; // The arguments are not those of the function.
  }
}

function isSame(one: Move, other: Move): boolean {
  return one.from === other.from && one.to === other.to && one.amount === other.amount;
}
