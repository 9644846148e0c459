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
  /** No block before this slot includes a transaction with this blockhash. */
  readonly slot: bigint;
}

/** Null: the node knows no transaction with this signature. */
export type SignatureStatus = {
  readonly slot: bigint;
  readonly level: 'processed' | 'confirmed' | 'finalized';
  readonly failed: boolean;
} | null;

export interface Statuses {
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

export interface Block {
  readonly slot: number;
  readonly height: number;
  readonly blockhash: string;
  readonly previousBlockhash: string;
  readonly parentSlot: number;
  readonly signatures: readonly string[];
  readonly time?: Date | undefined;
}

export interface ListedSignature {
  readonly hash: string;
  /** The texts of all its memos; empty without one. */
  readonly memo: string;
  /** Epoch seconds, estimated by the validators; null when the node does not have it. */
  readonly time: number | null;
  readonly isFinal: boolean;
}

/** It shows the balances that its transactions changed. */
export interface PaidBlock extends Omit<Block, 'height' | 'signatures' | 'time'> {
  readonly time: Date | null;
  readonly transactions: readonly PaidTransaction[];
}

export interface PaidTransaction {
  readonly signature: string;
  readonly failed: boolean;
  readonly fee: bigint;
  /** The first account is the payer. */
  readonly accounts: readonly { readonly address: string; readonly before: bigint; readonly after: bigint }[];
  readonly holdings: readonly Holding[];
}

export interface Holding {
  readonly account: number;
  readonly mint: string;
  readonly owner: string;
  /** The program of the account and of its mint. */
  readonly program: string;
  readonly before: bigint;
  readonly after: bigint;
}

export interface FinalTransaction {
  readonly slot: bigint;
  readonly failed: boolean;
  readonly fee: bigint;
  readonly payer: { readonly before: bigint; readonly after: bigint };
}

export function together(answers: readonly Statuses[]): Statuses {
  return {
    slot: answers.map(({ slot }) => slot).reduce((a, b) => (a < b ? a : b)),
    of: answers.flatMap(({ of }) => of),
  };
}

export interface RawPaidTransaction {
  readonly transaction: {
    readonly signatures: readonly unknown[];
    readonly accountKeys: readonly { readonly pubkey: unknown }[];
  };
  readonly meta: {
    readonly err: unknown;
    readonly fee: unknown;
    readonly preBalances: readonly unknown[];
    readonly postBalances: readonly unknown[];
    readonly preTokenBalances?: readonly RawTokenBalance[] | null;
    readonly postTokenBalances?: readonly RawTokenBalance[] | null;
  } | null;
}

interface RawTokenBalance {
  readonly accountIndex: unknown;
  readonly mint: unknown;
  readonly owner?: unknown;
  readonly programId: unknown;
  readonly uiTokenAmount: { readonly amount: unknown };
}

export function paidTransactionOf({ transaction, meta }: RawPaidTransaction): PaidTransaction {
  if (!meta || meta.err === undefined) throw new NodeAnswerUnreadable('a transaction');
  const addresses = transaction.accountKeys.map(({ pubkey }) => textOf(pubkey, 'an account'));
  const [before, after] = [meta.preBalances, meta.postBalances].map((each) => listOf(each, addresses.length));
  return {
    signature: textOf(transaction.signatures[0], 'a signature'),
    failed: meta.err !== null,
    fee: bigintOf(meta.fee),
    accounts: addresses.map((address, index) => ({
      address,
      before: bigintOf(before![index]),
      after: bigintOf(after![index]),
    })),
    holdings: holdingsOf(meta.preTokenBalances ?? [], meta.postTokenBalances ?? []),
  };
}

/** An account in one list only was created or closed, or has another owner or mint: its other balance is zero. */
function holdingsOf(before: readonly RawTokenBalance[], after: readonly RawTokenBalance[]): Holding[] {
  const holdings = new Map<string, Holding>();
  for (const [side, balances] of [
    ['before', before],
    ['after', after],
  ] as const)
    for (const { accountIndex, mint, owner, programId, uiTokenAmount } of balances) {
      const { amount } = uiTokenAmount;
      // The client converts this number, unlike balances.
      const account = Number(accountIndex);
      if (!Number.isInteger(account) || typeof amount !== 'string' || !/^\d{1,20}$/.test(amount))
        throw new NodeAnswerUnreadable('a balance');
      const named = {
        account,
        mint: textOf(mint, 'a mint'),
        owner: textOf(owner ?? '', 'an owner'),
        program: textOf(programId, 'a program'),
      };
      const key = `${account} ${named.mint} ${named.owner}`;
      holdings.set(key, { ...named, before: 0n, after: 0n, ...holdings.get(key), [side]: BigInt(amount) });
    }
  return [...holdings.values()];
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

/** None exceeds the safe integers, and a higher one could not be stored. */
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
