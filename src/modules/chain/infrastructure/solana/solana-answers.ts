import type { Address, Blockhash } from '@solana/kit';
import { NodeAnswerUnreadable } from '../node-faults.js';

// Reads a node's responses strictly: a response of the wrong form throws, since a misread "no" could pay twice.

export interface Account {
  readonly lamports: bigint;
  readonly owner: Address;
  readonly data: Uint8Array;
  readonly executable: boolean;
}

export interface Lifetime {
  readonly blockhash: Blockhash;
  readonly lastValidBlockHeight: bigint;
  /** The slot of the response: no block before it includes a transaction with this blockhash. */
  readonly slot: bigint;
}

/** Null: the node knows no transaction with this signature. */
export type SignatureStatus = {
  readonly slot: bigint;
  readonly level: 'processed' | 'confirmed' | 'finalized';
  readonly failed: boolean;
} | null;

export interface Statuses {
  /** The node's slot at the response. */
  readonly slot: bigint;
  readonly of: readonly SignatureStatus[];
}

export interface RawStatuses {
  readonly context: { readonly slot: unknown };
  readonly value: readonly ({
    readonly slot: unknown;
    readonly confirmationStatus: unknown;
    readonly err: unknown;
  } | null)[];
}

/** A finalized block, its link to the previous one, and the signatures of its transactions. */
export interface Block {
  readonly slot: number;
  readonly height: number;
  readonly blockhash: string;
  readonly previousBlockhash: string;
  readonly parentSlot: number;
  readonly signatures: readonly string[];
  /** Absent when the node does not report it. */
  readonly time?: Date | undefined;
}

/** An entry in the list of an account's signatures. */
export interface ListedSignature {
  readonly hash: string;
  /** The texts of all its memos; empty without one. */
  readonly memo: string;
  /** Epoch seconds of its block, estimated by the validators; null when the node does not have it. */
  readonly time: number | null;
}

export interface FinalTransaction {
  readonly slot: bigint;
  readonly failed: boolean;
  readonly fee: bigint;
  /** The balances of the fee payer before and after. */
  readonly payer: { readonly before: bigint; readonly after: bigint };
}

export function together(answers: readonly Statuses[]): Statuses {
  return {
    slot: answers.map(({ slot }) => slot).reduce((a, b) => (a < b ? a : b)),
    of: answers.flatMap(({ of }) => of),
  };
}

export function statusesOf({ context, value }: RawStatuses, length: number): Statuses {
  const of = listOf(value, length).map((status): SignatureStatus => {
    if (status === null) return null;
    const level = status.confirmationStatus;
    if ((level !== 'processed' && level !== 'confirmed' && level !== 'finalized') || status.err === undefined) {
      throw new NodeAnswerUnreadable('the status of a signature');
    }
    return { slot: placeOf(status.slot), level, failed: status.err !== null };
  });
  return { slot: placeOf(context.slot), of };
}

/** A slot or a height: none exceeds the safe integers, and a higher one could not be stored. */
export function placeOf(answer: unknown): bigint {
  const place = bigintOf(answer);
  if (place > Number.MAX_SAFE_INTEGER) throw new NodeAnswerUnreadable('a slot or a height');
  return place;
}

export function bigintOf(answer: unknown): bigint {
  if (typeof answer !== 'bigint' || answer < 0n) throw new NodeAnswerUnreadable('a number');
  return answer;
}

export function textOf(answer: unknown, what: string): string {
  if (typeof answer !== 'string') throw new NodeAnswerUnreadable(what);
  return answer;
}

export function listOf<T>(answer: readonly T[], length: number): readonly T[] {
  if (!Array.isArray(answer) || answer.length !== length || answer.includes(undefined)) {
    throw new NodeAnswerUnreadable('the list asked for');
  }
  return answer as readonly T[];
}
