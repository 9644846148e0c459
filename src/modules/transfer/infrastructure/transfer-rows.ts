import { restore } from '../../../kernel/entity.js';
import { Transfer } from '../domain/transfer.js';
import type { TimedTransfer } from '../domain/transfer.repository.js';

/** The fields that change after creation, and their columns. */
const CHANGING = {
  status: 't.status',
  stage: 't.stage',
  fee: 't.fee',
  hash: 't.hash',
  failureCode: 't.failure_code',
  retrySafe: 't.retry_safe',
  updatedAt: 't.updated_at',
  confirmedAt: 't.confirmed_at',
  minedBlock: 't.mined_block::float8',
  completedAt: 't.completed_at',
  cancelledAt: 't.cancelled_at',
  cancelRequestedAt: 't.cancel_requested_at',
  stuckSince: 't.stuck_since',
  stuckReason: 't.stuck_reason',
  nonceUsedBy: 't.nonce_used_by',
} as const;

export const CHANGING_COLUMNS = Object.entries(CHANGING)
  .map(([name, column]) => `${column} as "${name}"`)
  .join(', ');

export const TRANSFER = `t.app_id as "appId", t.id, t.user_id as "userId", t.source, t.source_address as "sourceAddress", t.dest, t.chain,
  t.network, t.currency, t.symbol, t.decimals, t.token, t.amount, t.fee_cap as "feeCap", t.custom_id as "customId", t.notes,
  t.created_at as "createdAt", t.expires_at as "expiresAt", t.proof_progress as "proofProgress", ${CHANGING_COLUMNS}`;

type Amounts = 'amount' | 'feeCap' | 'fee';

/** As pg returns it: `numeric` is text. */
export type TransferRow = { readonly [K in keyof Transfer]: K extends Amounts ? string | null : Transfer[K] } & {
  readonly now: Date;
};

export type ChangingRow = Pick<TransferRow, keyof typeof CHANGING | 'now'>;

export function timed(row: TransferRow): TimedTransfer {
  return { transfer: transferOf(row), now: row.now };
}

export function transferOf({ now: _, ...row }: TransferRow): Transfer {
  return restore<Transfer>(Transfer, {
    ...row,
    amount: BigInt(row.amount as string),
    feeCap: BigInt(row.feeCap as string),
    fee: amountOf(row.fee),
  });
}

export function amountOf(text: string | null): bigint | null {
  return text === null ? null : BigInt(text);
}
