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

/** In the order of `factsOf`. */
export const factsWhere = (
  ofApp: string,
): string => `(select coalesce(json_agg(json_build_array(a.kind, a.hash, encode(a.raw, 'hex'), a.max_fee::text, a.nonce,
        a.blockhash, a.last_valid_block_height, a.valid_from_slot, a.valid_from_block, a.final_block, a.final_block_hash) order by a.ordinal), '[]')
      from transfer_attempts a where ${ofApp} and a.transfer_id = t.id)`;

/** What is signed, and the data fees that bound its replacements. */
export const ATTEMPTS_MAC = MacTables.declare({
  table: 'transfers',
  column: 'attemptsMac',
  since: 6,
  fields: ['l1Fee', 'operatorFee', 'attempts'],
  computed: { attempts: factsWhere('a.app_id = t.app_id') },
  ended: TRANSFER_MAC.ended!,
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
