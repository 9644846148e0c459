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
import { RecentlyUsed } from '../../../../kernel/recently-used.js';
import { CallFailed, CallRefused } from './call-failed.js';
import type { EthereumNode, FinalAt } from './ethereum-node.js';
import { callOf } from './ethereum-transaction.js';

// Needs no proof: the hash follows from the fields and the sender from the signature, so a node cannot invent a transaction.

const MOST_NONCES = 256;
/** These blocks are read where a node does not know the number of transactions after a block. */
const MOST_BLOCKS = 256;
/** These bounds hold for what is kept of one node. A use whose transactions have more data is not kept. */
const MOST_ACCOUNTS = 64;
const MOST_USES = 4_096;
const MOST_DATA_LENGTH = 4_096;

interface Range {
  readonly source: string;
  readonly nonces: NonceRange;
  readonly chainId: number;
  readonly finalAt: FinalAt;
}

/**
 * Keeps what a node showed of final blocks, so that a search goes on from there if it is too long for one look, or if its calls fail now and
 * then. Otherwise it would never end for a key that is in constant use elsewhere.
 */
export class KeptUses {
  private readonly accounts = new RecentlyUsed<string, Map<number, NonceUse>>(MOST_ACCOUNTS);

  of(source: string): Map<number, NonceUse> {
    const uses = this.accounts.get(source) ?? new Map<number, NonceUse>();
    this.accounts.set(source, uses);
    return uses;
  }
}

/** Transactions in blocks, and the given waiting ones, besides the known ones. */
export async function transactionsOf(
  node: EthereumNode,
  { source, nonces, chainId, finalAt }: Range,
  payments: readonly Payment[],
  known: readonly string[],
  waiting: readonly MinedTransaction[],
  kept: KeptUses,
): Promise<FoundTransactions> {
  const { from, isBounded, notBefore, waitingTo } = nonces;
  const to = waitingTo > nonces.to ? Math.max(nonces.to, await node.transactionCount(source)) : nonces.to;
  const { of, ...rest } = await (notBefore === null
    ? oldestOf(node, source, { from, to, isBounded })
    : newestOf(node, source, { from, to, notBefore, finalAt }, kept.of(source)));
  let { isComplete, lacking } = rest;
  const inNoBlock: Mined[] = [];
  const head = waiting.length > 0 ? (await node.latestBlock()).number : 0;
  for (let nonce = Math.max(from, to); nonce < waitingTo; nonce++) {
    // Endpoints may hold different ones.
    const shown = waiting.filter((each) => each.nonce === nonce);
    inNoBlock.push(...shown.map((transaction) => ({ transaction, block: head, time: null, isWaiting: true })));
    if (shown.length > 0) continue;
    isComplete = false;
    lacking ??= `The nodes count a transaction of the account with nonce ${nonce} that waits for a block, and do not show it.`;
  }
  const found = new Map([...of, ...inNoBlock].map((each) => [each.transaction.hash, each]));
  const unknown = [...found.values()].filter(({ transaction }) => !known.includes(transaction.hash));
  return {
    of: unknown.map((each) => foundTransaction(each, source, payments, chainId)),
    isComplete,
    ...(lacking !== undefined && { lacking }),
  };
}

export async function waitingOf(
  node: EthereumNode,
  source: string,
  { from, to, waitingTo }: NonceRange,
): Promise<MinedTransaction[]> {
  const shown = await unlessRefused(node.pendingTransactions(source));
  const waiting = [...(shown ?? [])];
  for (let nonce = Math.max(from, to); nonce < waitingTo; nonce++) {
    if (waiting.some((each) => each.nonce === nonce)) continue;
    const transaction = await unlessRefused(node.transactionWith(source, nonce));
    if (transaction?.nonce === nonce) waiting.push(transaction);
  }
  return waiting;
}

interface MinedTransactions {
  readonly of: readonly Mined[];
  readonly isComplete: boolean;
  readonly lacking?: string;
}

async function oldestOf(
  node: EthereumNode,
  source: string,
  { from, to, isBounded }: Pick<NonceRange, 'from' | 'to' | 'isBounded'>,
): Promise<MinedTransactions> {
  const end = isBounded ? Math.min(to, from + MOST_NONCES) : to;
  const of: Mined[] = [];
  let missing = Math.max(0, to - end);
  if (from >= end) return { of, isComplete: missing === 0 };
  const { number: head } = await node.latestBlock();
  let above = -1;
  let inBlock: readonly Mined[] = [];
  for (let nonce = from; nonce < end; nonce++) {
    let found = inBlock.find(({ transaction }) => transaction.nonce === nonce) ?? null;
    if (!found) {
      ({ inBlock } = await minedIn(node, source, await blockOfNonce(node, source, nonce, above, head)));
      found = inBlock.find(({ transaction }) => transaction.nonce === nonce) ?? (await scan(node, source, nonce, head));
    }
    if (!found) missing++;
    else of.push(found);
    above = Math.max(above, (found?.block ?? 0) - 1);
  }
  return { of, isComplete: missing === 0 };
}

/** Goes down from the last nonce to `notBefore`. A nonce whose use a node cannot show ends the search. */
async function newestOf(
  node: EthereumNode,
  source: string,
  {
    from,
    to,
    notBefore,
    finalAt,
  }: Pick<NonceRange, 'from' | 'to'> & Pick<Range, 'finalAt'> & { readonly notBefore: Date },
  kept: Map<number, NonceUse>,
): Promise<MinedTransactions> {
  const of: Mined[] = [];
  if (from >= to) return { of, isComplete: true };
  let { number: head } = await node.latestBlock();
  const final = await finalNumber(node, finalAt, head);
  const reused = new Map<number, NonceUse>();
  let nonce = to - 1;
  for (let searches = 0; nonce >= from;) {
    const earlier = kept.get(nonce);
    if (earlier) reused.set(nonce, earlier);
    else if (searches++ === MOST_NONCES) return { of, isComplete: false };
    const use = earlier ?? (await useOf(node, source, nonce, head));
    if (!use) {
      const lacking = `The nodes lack the use of nonce ${nonce} by the account. They need the blocks up to ${head} back to ${notBefore.toISOString()}, with their states.`;
      return { of, isComplete: false, lacking };
    }
    if (use.block <= final && use.hash !== null && kept.size < MOST_USES && isShort(use)) kept.set(nonce, use);
    const [{ time } = { time: null }] = use.inBlock;
    if (time !== null && time < notBefore) break;
    const least = Math.max(from, use.least);
    of.push(...use.inBlock.filter((each) => each.transaction.nonce >= least && each.transaction.nonce <= nonce));
    nonce = least - 1;
    head = use.block;
  }
  return { of, isComplete: await areThere(node, reused, kept) };
}

function isShort({ inBlock }: NonceUse): boolean {
  return inBlock.reduce((sum, { transaction }) => sum + (transaction.fields.data?.length ?? 0), 0) <= MOST_DATA_LENGTH;
}

/** Forgets uses in blocks that the node has replaced: a machine of it on an abandoned fork has shown them. */
async function areThere(
  node: EthereumNode,
  uses: ReadonlyMap<number, NonceUse>,
  kept: Map<number, NonceUse>,
): Promise<boolean> {
  const entries = [...uses];
  const hashes = await node.hashesAt(entries.map(([, { block }]) => block));
  const replaced = entries.filter(([, { hash }], index) => hashes[index] !== hash);
  for (const [nonce] of replaced) kept.delete(nonce);
  return replaced.length === 0;
}

/** -1 where the node does not say. */
async function finalNumber(node: EthereumNode, finalAt: FinalAt, newest: number): Promise<number> {
  const at = finalAt(newest);
  return at === 'finalized' ? ((await unlessRefused(node.taggedBlock(at)))?.number ?? -1) : at;
}

interface NonceUse {
  readonly inBlock: readonly Mined[];
  readonly block: number;
  /** Null if two answers differ in it. */
  readonly hash: string | null;
  /** All nonces from this one on were used in the block. */
  readonly least: number;
}

/** Null if the node cannot show the block. */
async function useOf(node: EthereumNode, source: string, nonce: number, head: number): Promise<NonceUse | null> {
  const block = await blockOfNonce(node, source, nonce, -1, head);
  const { hash, inBlock } = await minedIn(node, source, block);
  const has = (wanted: number): boolean => inBlock.some(({ transaction }) => transaction.nonce === wanted);
  if (has(nonce)) {
    let least = nonce;
    while (has(least - 1)) least -= 1;
    return { inBlock, block, hash, least };
  }
  const used = await usedWithoutTransaction(node, source, nonce, block);
  if (used) return { inBlock, block, hash: used.hash === hash ? hash : null, least: used.least };
  const found = await scan(node, source, nonce, head);
  return found && { inBlock: [found], block: found.block, hash: null, least: nonce };
}

/** The block, and the nonce before it, if its states show that an authorisation or the account's code used this one there; else null. */
async function usedWithoutTransaction(
  node: EthereumNode,
  source: string,
  nonce: number,
  number: number,
): Promise<{ readonly hash: string; readonly least: number } | null> {
  const place = await node.canonicalBlock(number);
  const block = place && (await node.fullBlockOf(place.hash, source));
  if (!block || block.transactions.some((each) => each.from === source.toLowerCase() && each.nonce === nonce))
    return null;
  const [before, after] = await Promise.all(
    [block.parentHash, block.hash].map((hash) => unlessRefused(node.transactionCountAt(source, hash))),
  );
  const isUsed = before !== null && after !== null && before! <= nonce && after! > nonce;
  return isUsed ? { hash: block.hash, least: before! } : null;
}

async function unlessRefused<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof CallRefused || error instanceof CallFailed) return null;
    throw error;
  }
}

/** A hint, searched from the newest block downwards. */
async function blockOfNonce(
  node: EthereumNode,
  source: string,
  nonce: number,
  above: number,
  head: number,
): Promise<number> {
  // A node refuses if it does not keep the state after a block: then the search goes on above that one.
  const isUsedAfter = async (block: number): Promise<boolean> => {
    const count = await unlessRefused(node.transactionCount(source, hexOf(block)));
    return count !== null && count > nonce;
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
  /** The newest block while it waits for one. */
  readonly block: number;
  readonly time: Date | null;
  readonly isWaiting?: boolean;
}

async function minedIn(
  node: EthereumNode,
  source: string,
  block: number,
): Promise<{ readonly hash: string | null; readonly inBlock: readonly Mined[] }> {
  const { hash, time, transactions } = await node.transactionsIn(block, source);
  return { hash, inBlock: transactions.map((transaction) => ({ transaction, block, time })) };
}

async function scan(node: EthereumNode, source: string, nonce: number, head: number): Promise<Mined | null> {
  for (let block = head; block >= 0 && block > head - MOST_BLOCKS; block--) {
    const { inBlock } = await minedIn(node, source, block);
    const found = inBlock.find(({ transaction }) => transaction.nonce === nonce);
    if (found) return found;
  }
  return null;
}

function foundTransaction(
  { transaction, block, time: at, isWaiting = false }: Mined,
  source: string,
  payments: readonly Payment[],
  chainId: number,
): FoundTransaction {
  const { hash, nonce } = transaction;
  const signed = signedTransaction(transaction, source, chainId);
  if (!signed) {
    const summary = 'not a transaction of this service';
    return { hash, nonce, attempt: null, makes: [], movesNothing: false, isWaiting, at, summary };
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
    isWaiting,
    at,
    summary: summaryOf({ to, value, data }),
  };
}

/** The data of every payment of a token are shown whole. */
export function summaryOf({ to, value, data }: { to: string | null; value: bigint; data: string }): string {
  return `${value} wei to ${to}${data === '0x' ? '' : `, data ${data.slice(0, 138).toLowerCase()}`}`;
}

/** Null unless the hash follows from the fields, the source has signed, and the form is that of this service. */
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
