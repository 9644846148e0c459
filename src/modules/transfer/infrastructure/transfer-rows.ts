import { type DataOf, restore } from '../../../kernel/entity.js';
import { columnsOf } from '../../../postgres/named.js';
import type { Attempt } from '../domain/attempt.js';
import { Transfer } from '../domain/transfer.js';
import type { TimedTransfer } from '../domain/transfer.repository.js';
import { AttemptSchema, TransferSchema } from './transfer.schema.js';

/** All but the time of the next check, which is of the tracker. */
const TRANSFER_FIELDS = (
  Object.keys(TransferSchema.options.columns) as (keyof DataOf<Transfer> | 'nextCheckAt')[]
).filter((field) => field !== 'nextCheckAt');

/** Columns of transfers `t`. */
export const TRANSFER = columnsOf(TransferSchema, TRANSFER_FIELDS).of('t');

/** Columns of attempts `a`. */
export const ATTEMPT = columnsOf(AttemptSchema).of('a');

/** As pg returns it: 64-bit and longer numbers are text. */
type AsText<T, K extends keyof T> = { readonly [F in keyof T]: F extends K ? TextOf<T[F]> : T[F] };
type TextOf<V> = string | Extract<V, null>;

export type TransferRow = AsText<Transfer, 'amount' | 'feeCap' | 'fee' | 'minedBlock'> & { readonly now: Date };
export type AttemptRow = AsText<
  Attempt,
  'nonce' | 'lastValidBlockHeight' | 'validFromSlot' | 'validFromBlock' | 'finalBlock' | 'maxFee'
>;

export function timed({ now, ...row }: TransferRow): TimedTransfer {
  return { transfer: transferOf(row), now };
}

export function transferOf(row: Omit<TransferRow, 'now'>): Transfer {
  const { amount, feeCap } = row;
  return restore<Transfer>(Transfer, {
    ...row,
    ...changingNumbersOf(row),
    amount: BigInt(amount),
    feeCap: BigInt(feeCap),
  });
}

/** The numbers among the fields that change after creation. */
export function changingNumbersOf({ fee, minedBlock }: Pick<TransferRow, 'fee' | 'minedBlock'>) {
  return { fee: fee === null ? null : BigInt(fee), minedBlock: numberOf(minedBlock) };
}

export function attemptOf(row: AttemptRow): Attempt {
  return {
    ...row,
    nonce: numberOf(row.nonce),
    lastValidBlockHeight: numberOf(row.lastValidBlockHeight),
    validFromSlot: numberOf(row.validFromSlot),
    validFromBlock: numberOf(row.validFromBlock),
    finalBlock: numberOf(row.finalBlock),
    maxFee: BigInt(row.maxFee),
  };
}

function numberOf(text: string | null): number | null {
  return text === null ? null : Number(text);
}
