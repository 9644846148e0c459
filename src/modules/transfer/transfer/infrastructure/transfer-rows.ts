import { restore } from '../../../../kernel/entity.js';
import { MacTables } from '../../../../kernel/row-macs.js';
import { columnsOf } from '../../../../postgres/statement.js';
import type { TimedTransfer } from '../domain/transfer.repository.js';
import { type Attempt, Transfer } from '../domain/transfer.js';

const CREATED_FIELDS = [
  'appId',
  'id',
  'userId',
  'source',
  'sourceAddress',
  'dest',
  'chain',
  'network',
  'currency',
  'symbol',
  'decimals',
  'token',
  'amount',
  'feeCap',
  'batchId',
  'customId',
  'notes',
] as const;

export const STATE_FIELDS = [
  'status',
  'stage',
  'fee',
  'l1Fee',
  'operatorFee',
  'hash',
  'failureCode',
  'retrySafe',
  'updatedAt',
  'confirmedAt',
  'confirmedBy',
  'namesUser',
  'decisionId',
  'approvalId',
  'minedBlock',
  'minedBlockHash',
  'includedAt',
  'completedAt',
  'cancelledAt',
  'stuckSince',
  'stuckReason',
  'nonceUsedBy',
  'sentAgainAt',
] as const;

/** The order, and how far it is confirmed. A transfer that has ended pays nothing, so statements may end many at once. */
export const TRANSFER_MAC = MacTables.declare({
  table: 'transfers',
  since: 1,
  fields: [...CREATED_FIELDS, 'status', 'stage', 'confirmedBy', 'namesUser', 'approvalId'],
  ended: `status not in ('unconfirmed', 'awaiting_approval', 'pending')`,
});

/** The fields that are read again under the lock; another statement stores the request to cancel. */
export const CHANGING_FIELDS = [...STATE_FIELDS, 'mac', 'cancelRequestedAt'] as const;

export const NEW_TRANSFER = columnsOf<Transfer>([
  ...CREATED_FIELDS,
  'l1Fee',
  'operatorFee',
  'namesUser',
  'status',
  'mac',
]);

/** All columns but the time of the next check, which is of the tracker. */
export const TRANSFER = columnsOf<Transfer>([
  ...CREATED_FIELDS,
  'createdAt',
  'expiresAt',
  'history',
  ...CHANGING_FIELDS,
  'proofProgress',
]).of('t');

/** See `QueueState.serverStartedAt`. */
export const SERVER_STARTED = 'greatest(pg_postmaster_start_time(), (select max(found_at) from set_backs))';

export const TIMED_TRANSFER = `${TRANSFER}, now(), ${SERVER_STARTED} as "serverStartedAt"`;

export const ATTEMPT_COLUMNS = columnsOf<Attempt>([
  'appId',
  'network',
  'hash',
  'transferId',
  'kind',
  'ordinal',
  'address',
  'raw',
  'nonce',
  'blockhash',
  'lastValidBlockHeight',
  'validFromSlot',
  'validFromBlock',
  'finalBlock',
  'finalBlockHash',
  'maxFee',
  'createdAt',
  'firstBroadcastStartedAt',
  'acceptedAt',
]);
export const ATTEMPT = ATTEMPT_COLUMNS.of('a');

/** As pg returns it: 64-bit and longer numbers are text. */
type AsText<T, K extends keyof T> = { readonly [F in keyof T]: F extends K ? TextOf<T[F]> : T[F] };
type TextOf<V> = string | Extract<V, null>;

type ChangingNumber = 'fee' | 'l1Fee' | 'operatorFee' | 'minedBlock';
export type TransferRow = AsText<Transfer, 'amount' | 'feeCap' | ChangingNumber>;
export type TimedRow = TransferRow & Omit<TimedTransfer, 'transfer'>;
export type AttemptRow = AsText<
  Attempt,
  'nonce' | 'lastValidBlockHeight' | 'validFromSlot' | 'validFromBlock' | 'finalBlock' | 'maxFee'
>;

export function timed({ now, serverStartedAt, ...row }: TimedRow): TimedTransfer {
  return { transfer: transferOf(row), now, serverStartedAt };
}

export function transferOf(row: TransferRow): Transfer {
  const { amount, feeCap } = row;
  return restore<Transfer>(Transfer, {
    ...row,
    ...changingNumbersOf(row),
    amount: BigInt(amount),
    feeCap: BigInt(feeCap),
  });
}

export function changingNumbersOf({ fee, l1Fee, operatorFee, minedBlock }: Pick<TransferRow, ChangingNumber>) {
  return {
    fee: fee === null ? null : BigInt(fee),
    l1Fee: BigInt(l1Fee),
    operatorFee: BigInt(operatorFee),
    minedBlock: numberOf(minedBlock),
  };
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
