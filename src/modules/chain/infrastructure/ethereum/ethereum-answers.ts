import { NodeAnswerUnreadable } from '../node-faults.js';
import { CallFailed } from './call-failed.js';

// Reads a node's answers strictly: an answer of the wrong form throws, since a misread "no" could pay twice.

export interface Block {
  readonly number: number;
  readonly hash: string;
  readonly baseFeePerGas: bigint;
}

/** A block as a link of the hash chain. */
export interface LinkedBlock {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
}

export interface BlockTransaction {
  readonly hash: string;
  /** In lower case. */
  readonly from: string;
  readonly nonce: number;
  /** Null when it is signed for no network in particular, or the node does not report it. */
  readonly chainId: bigint | null;
}

export interface Receipt {
  readonly transactionHash: string;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly succeeded: boolean;
  /** The fee that the chain took. */
  readonly fee: bigint;
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
  };
}

export function linkAt(hash: string, answer: unknown): LinkedBlock {
  const link = linkOf(recordOf(answer));
  if (link.hash !== hash) throw new NodeAnswerUnreadable('the block asked for');
  return link;
}

export function receiptOf(answer: unknown): Receipt {
  const receipt = recordOf(answer);
  const status = quantityOf(receipt['status']);
  if (status > 1n || !Array.isArray(receipt['logs'])) throw new NodeAnswerUnreadable('a receipt');
  return {
    transactionHash: hash32Of(receipt['transactionHash']),
    blockNumber: smallOf(receipt['blockNumber']),
    blockHash: hash32Of(receipt['blockHash']),
    succeeded: status === 1n,
    fee: quantityOf(receipt['gasUsed']) * quantityOf(receipt['effectiveGasPrice']) + l1FeeIn(receipt),
    logs: receipt['logs'].map(logOf),
  };
}

/** What a network of the OP stack took for its data on the chain below, besides the gas; zero elsewhere. */
function l1FeeIn({ l1Fee = null }: Readonly<Record<string, unknown>>): bigint {
  return l1Fee === null ? 0n : quantityOf(l1Fee);
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

export function recordOf(answer: unknown): Readonly<Record<string, unknown>> {
  if (typeof answer !== 'object' || answer === null) throw new NodeAnswerUnreadable('an object');
  return answer as Record<string, unknown>;
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

/** The number that a contract's view returned. */
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
