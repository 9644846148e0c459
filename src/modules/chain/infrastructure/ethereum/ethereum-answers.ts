import { getAddress } from 'ethers/address';
import type { TransactionLike } from 'ethers/transaction';
import type { DataFees } from '../../../../kernel/chain/payment.js';
import type { Header, Place } from './block-links.js';
import { blockTimeOf } from '../block-time.js';
import { NodeAnswerUnreadable } from '../node-faults.js';
import { CallFailed } from './call-failed.js';

// Reads a node's responses strictly: a response of the wrong form throws, since a misread "no" could pay twice.

export interface Block {
  readonly number: number;
  readonly hash: string;
  readonly baseFeePerGas: bigint;
}

export interface LinkedBlock extends Header {
  readonly time?: Date | undefined;
}

export interface BlockTransaction {
  readonly hash: string;
  readonly from: string;
  /** Null: one that a rollup's system puts into its blocks. Never null for the searched account. */
  readonly nonce: number | null;
  /** Null when it is signed for no network in particular, or the node does not report it. */
  readonly chainId: bigint | null;
  /** Authorisations let code act for an account (EIP-7702). */
  readonly authorizations: readonly Authorization[];
  /** `wholeOf` reads the rest, which few transactions of a block need. */
  readonly raw: unknown;
}

export interface SearchedBlock extends LinkedBlock {
  readonly transactions: readonly BlockTransaction[];
}

/** The chain skips an invalid one. */
export interface Authorization {
  /** 0 when it holds on every network. */
  readonly chainId: bigint;
  readonly address: string;
  readonly nonce: bigint;
  readonly signature: { readonly r: string; readonly s: string; readonly yParity: 0 | 1 };
}

/** Addresses are checksummed. */
export interface WholeTransaction {
  readonly from: string;
  readonly to: string | null;
  readonly value: bigint;
  readonly data: string;
}

export interface MinedTransaction {
  readonly hash: string;
  readonly from: string;
  readonly nonce: number;
  /** As ethers reads them. Unchecked: the hash that follows from them must be compared. */
  readonly fields: TransactionLike;
}

/** The transaction may have a type of its network. Addresses are in lower case. */
export interface PayingTransaction {
  readonly hash: string;
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
}

export interface PayingBlock extends LinkedBlock {
  readonly time: Date;
  readonly transactions: readonly PayingTransaction[];
  readonly order: ReadonlyMap<string, number>;
}

export interface PlacedLog extends Log {
  readonly transactionHash: string;
  readonly index: number;
}

/** The part of a receipt that says whether the transaction was carried out. */
export interface Execution {
  readonly transaction: PayingTransaction;
  readonly succeeded: boolean;
  readonly logs: readonly PlacedLog[];
}

export interface Receipt {
  readonly transactionHash: string;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly succeeded: boolean;
  readonly gasUsed: bigint;
  readonly fee: bigint;
  /** The part of `fee` besides the gas. */
  readonly dataFees: DataFees;
  readonly logs: readonly Log[];
}

export interface Log {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

export function blockOf(answer: unknown): Block {
  const block = recordOf(answer);
  return {
    number: smallOf(block['number']),
    hash: hash32Of(block['hash']),
    baseFeePerGas: quantityOf(block['baseFeePerGas']),
  };
}

export function linkOf(block: Readonly<Record<string, unknown>>): LinkedBlock {
  return {
    number: smallOf(block['number']),
    hash: hash32Of(block['hash']),
    parentHash: hash32Of(block['parentHash']),
    time: blockTimeOf(Number(block['timestamp'] ?? NaN)),
  };
}

export function placeOf(answer: unknown): Place | null {
  if (answer === null) return null;
  const { number, hash } = linkOf(recordOf(answer));
  return { number, hash };
}

/** Only the node knows the numbers of these blocks. */
export type Tag = 'latest' | 'safe' | 'finalized';

export function blockAt(block: number | Tag): readonly [string, readonly unknown[]] {
  return ['eth_getBlockByNumber', [typeof block === 'number' ? hexOf(block) : block, false]];
}

export function linkAt(hash: string, answer: unknown): LinkedBlock {
  const link = linkOf(recordOf(answer));
  if (link.hash !== hash) throw new NodeAnswerUnreadable('the block asked for');
  return link;
}

/** Transactions of the account (in lower case) must have a nonce, or a misread one would be missing in a proof. */
export function blockTransactionOf(answer: unknown, account: string): BlockTransaction {
  const { hash, from, nonce = null, chainId = null, authorizationList = null } = recordOf(answer);
  const sender = bytesOf(from);
  return {
    hash: hash32Of(hash),
    from: sender,
    nonce: nonce === null && sender !== account ? null : smallOf(nonce),
    chainId: chainId === null ? null : quantityOf(chainId),
    authorizations: authorizationList === null ? [] : listOf(authorizationList).map(authorizationOf),
    raw: answer,
  };
}

function authorizationOf(answer: unknown): Authorization {
  const { chainId, address, nonce, r, s, yParity } = recordOf(answer);
  const half = (each: unknown): string => `0x${quantityOf(each).toString(16).padStart(64, '0')}`;
  return {
    chainId: quantityOf(chainId),
    address: bytesOf(address),
    nonce: quantityOf(nonce),
    signature: { r: half(r), s: half(s), yParity: quantityOf(yParity) === 0n ? 0 : 1 },
  };
}

export function wholeOf(answer: unknown): WholeTransaction {
  const { from, to = null, value, input } = recordOf(answer);
  return {
    from: getAddress(bytesOf(from)),
    to: to === null ? null : getAddress(bytesOf(to)),
    value: quantityOf(value),
    data: bytesOf(input),
  };
}

/** No transaction takes as much, and the database can store it. */
const ABOVE_ANY_FEE = 1n << 128n;

export function receiptOf(answer: unknown): Receipt {
  const receipt = recordOf(answer);
  const status = quantityOf(receipt['status']);
  if (status > 1n || !Array.isArray(receipt['logs'])) throw new NodeAnswerUnreadable('a receipt');
  const gasUsed = quantityOf(receipt['gasUsed']);
  const dataFees = dataFeesIn(receipt, gasUsed);
  const fee = gasUsed * quantityOf(receipt['effectiveGasPrice']) + dataFees.l1 + dataFees.operator;
  if (fee >= ABOVE_ANY_FEE) throw new NodeAnswerUnreadable('a receipt with a possible fee');
  return {
    transactionHash: hash32Of(receipt['transactionHash']),
    blockNumber: smallOf(receipt['blockNumber']),
    blockHash: hash32Of(receipt['blockHash']),
    succeeded: status === 1n,
    gasUsed,
    fee,
    dataFees,
    logs: receipt['logs'].map(logOf),
  };
}

/** Zero outside the OP stack. The unit of the operator's scalar changed with Jovian; since then receipts have a data footprint scalar. */
function dataFeesIn(receipt: Readonly<Record<string, unknown>>, gasUsed: bigint): DataFees {
  const numberAt = (field: string): bigint => quantityOf(receipt[field] ?? '0x0');
  const perGas = numberAt('operatorFeeScalar') * gasUsed;
  const isJovian = (receipt['daFootprintGasScalar'] ?? null) !== null;
  const operator = (isJovian ? perGas * 100n : perGas / 1_000_000n) + numberAt('operatorFeeConstant');
  return { l1: numberAt('l1Fee'), operator };
}

export function logOf(answer: unknown): Log {
  const log = recordOf(answer);
  if (!Array.isArray(log['topics'])) throw new NodeAnswerUnreadable('a log');
  return {
    address: bytesOf(log['address']),
    topics: log['topics'].map(hash32Of),
    data: bytesOf(log['data']),
  };
}

export function placedLogOf(answer: unknown): PlacedLog {
  const { transactionHash, logIndex } = recordOf(answer);
  return { ...logOf(answer), transactionHash: hash32Of(transactionHash), index: smallOf(logIndex) };
}

/** Reads no field that is missing on some networks: an unreadable receipt of a deposit would stop the search. */
export function executionOf(transaction: unknown, receipt: unknown): Execution {
  const { status, logs } = recordOf(receipt);
  return {
    transaction: payingTransactionOf(recordOf(transaction)),
    succeeded: quantityOf(status) === 1n,
    logs: listOf(logs).map(placedLogOf),
  };
}

export function payingBlockOf(hash: string, answer: unknown): PayingBlock {
  const transactions = transactionsIn(answer).map(recordOf);
  return {
    ...linkAt(hash, answer),
    time: new Date(smallOf(recordOf(answer)['timestamp']) * 1_000),
    order: new Map(transactions.map((transaction, index) => [hash32Of(transaction['hash']), index])),
    transactions: transactions.map(payingTransactionOf).filter(({ to, value }) => to !== '' && value > 0n),
  };
}

function payingTransactionOf({ hash, from, to = null, value }: Readonly<Record<string, unknown>>): PayingTransaction {
  return {
    hash: hash32Of(hash),
    from: bytesOf(from),
    to: to === null ? '' : bytesOf(to),
    value: quantityOf(value),
  };
}

/** Throws when the node has deleted the content of a block: it must not prove that a transaction is in no block. */
export function transactionsIn(answer: unknown): readonly unknown[] {
  const { transactions, transactionsRoot } = recordOf(answer);
  const listed = listOf(transactions);
  if (listed.length === 0 && transactionsRoot !== ROOT_OF_NO_TRANSACTIONS)
    throw new NodeAnswerUnreadable('a block with its transactions');
  return listed;
}

const ROOT_OF_NO_TRANSACTIONS = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';

export function recordOf(answer: unknown): Readonly<Record<string, unknown>> {
  if (typeof answer !== 'object' || answer === null) throw new NodeAnswerUnreadable('an object');
  return answer as Record<string, unknown>;
}

/** Reads only the account's (in lower case): the rest may have a type of their network. */
export function minedTransactionsOf(answer: unknown, account: string): MinedTransaction[] {
  const own = listOf(answer).filter((transaction) => bytesOf(recordOf(transaction)['from']) === account);
  return own.map(minedTransactionOf);
}

function minedTransactionOf(answer: unknown): MinedTransaction {
  const transaction = recordOf(answer);
  const { type, to, input, gas, r, s, yParity, v } = transaction as Readonly<Record<string, string | null>>;
  const { chainId, value, maxFeePerGas, maxPriorityFeePerGas, accessList } = transaction;
  const nonce = smallOf(transaction['nonce']);
  const fields = { type: Number(type), to, data: input, gasLimit: gas, nonce, accessList };
  const signature = { r, s, yParity: Number(yParity ?? v) };
  return {
    hash: hash32Of(transaction['hash']),
    from: bytesOf(transaction['from']),
    nonce,
    fields: { ...fields, chainId, value, maxFeePerGas, maxPriorityFeePerGas, signature } as TransactionLike,
  };
}

export function listOf(answer: unknown): readonly unknown[] {
  if (!Array.isArray(answer)) throw new NodeAnswerUnreadable('a list');
  return answer;
}

export function quantityOf(answer: unknown): bigint {
  if (typeof answer !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(answer)) throw new NodeAnswerUnreadable('a number');
  return BigInt(answer);
}

export function smallOf(answer: unknown): number {
  const value = Number(quantityOf(answer));
  if (!Number.isSafeInteger(value)) throw new NodeAnswerUnreadable('a number of this size');
  return value;
}

export function bytesOf(answer: unknown): string {
  if (typeof answer !== 'string' || !/^0x([0-9a-fA-F]{2})*$/.test(answer)) throw new NodeAnswerUnreadable('bytes');
  return answer.toLowerCase();
}

export function numberIn(answer: unknown): bigint {
  const bytes = bytesOf(answer);
  if (bytes.length !== 66) throw new CallFailed('The answer of the contract is not a number.');
  return BigInt(bytes);
}

export function hash32Of(answer: unknown): string {
  const bytes = bytesOf(answer);
  if (bytes.length !== 66) throw new NodeAnswerUnreadable('a hash');
  return bytes;
}

export function hexOf(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}
