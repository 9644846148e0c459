import { EntitySchema } from 'typeorm';
import type { Attempt } from '../domain/attempt.js';
import type { SenderQueueId } from '../domain/sender-queue.js';
import { Transfer } from '../domain/transfer.js';

export const TransferSchema = new EntitySchema<Transfer & { readonly nextCheckAt: Date | null }>({
  name: 'Transfer',
  tableName: 'transfers',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'transfers_pkey' },
    id: { type: 'text', primary: true, primaryKeyConstraintName: 'transfers_pkey' },
    userId: { type: 'text', name: 'user_id' },
    status: { type: 'text' },
    stage: { type: 'text', nullable: true },
    source: { type: 'text' },
    sourceAddress: { type: 'text', name: 'source_address' },
    dest: { type: 'text' },
    chain: { type: 'text' },
    network: { type: 'text' },
    currency: { type: 'text' },
    symbol: { type: 'text' },
    decimals: { type: 'integer' },
    token: { type: 'text', nullable: true },
    amount: { type: 'numeric', precision: 78, scale: 0 },
    feeCap: { type: 'numeric', precision: 78, scale: 0, name: 'fee_cap' },
    fee: { type: 'numeric', precision: 78, scale: 0, nullable: true },
    customId: { type: 'text', name: 'custom_id', nullable: true },
    notes: { type: 'text' },
    hash: { type: 'text', nullable: true },
    failureCode: { type: 'text', name: 'failure_code', nullable: true },
    retrySafe: { type: 'boolean', name: 'retry_safe', nullable: true },
    createdAt: { type: 'timestamptz', name: 'created_at', default: () => 'now()' },
    updatedAt: { type: 'timestamptz', name: 'updated_at', default: () => 'now()' },
    expiresAt: { type: 'timestamptz', name: 'expires_at' },
    confirmedAt: { type: 'timestamptz', name: 'confirmed_at', nullable: true },
    minedBlock: { type: 'bigint', name: 'mined_block', nullable: true },
    completedAt: { type: 'timestamptz', name: 'completed_at', nullable: true },
    cancelledAt: { type: 'timestamptz', name: 'cancelled_at', nullable: true },
    cancelRequestedAt: { type: 'timestamptz', name: 'cancel_requested_at', nullable: true },
    stuckSince: { type: 'timestamptz', name: 'stuck_since', nullable: true },
    stuckReason: { type: 'text', name: 'stuck_reason', nullable: true },
    proofProgress: { type: 'jsonb', name: 'proof_progress', nullable: true },
    sentAgainAt: { type: 'timestamptz', name: 'sent_again_at', nullable: true },
    nonceUsedBy: { type: 'text', name: 'nonce_used_by', nullable: true },
    history: { type: 'text', nullable: true },
    nextCheckAt: { type: 'timestamptz', name: 'next_check_at', nullable: true },
  },
  checks: [
    {
      name: 'transfers_status_check',
      expression: `status in ('unconfirmed', 'pending', 'completed', 'failed', 'expired', 'cancelled')`,
    },
    { name: 'transfers_stage_check', expression: `(status = 'pending') = (stage is not null)` },
    { name: 'transfers_amount_check', expression: 'amount > 0' },
  ],
  indices: [
    { name: 'transfers_custom_id', columns: ['appId', 'customId'], unique: true, where: 'custom_id is not null' },
    { name: 'transfers_of_user', columns: ['appId', 'userId', 'id'] },
    { name: 'transfers_of_status', columns: ['appId', 'status', 'id'] },
    { name: 'transfers_stuck', columns: ['appId', 'id'], where: 'stuck_since is not null' },
    { name: 'transfers_of_wallet', columns: ['appId', 'source', 'id'] },
    { name: 'transfers_open', columns: ['appId', 'network', 'sourceAddress'], where: `status = 'pending'` },
    {
      name: 'transfers_mined',
      columns: ['appId', 'network', 'sourceAddress', 'minedBlock'],
      where: 'mined_block is not null',
    },
    {
      name: 'transfers_due',
      columns: ['appId', 'chain', 'nextCheckAt'],
      where: `status = 'pending' and next_check_at is not null`,
    },
    { name: 'transfers_overdue', columns: ['appId', 'expiresAt'], where: `status = 'unconfirmed'` },
  ],
});

export const AttemptSchema = new EntitySchema<Attempt>({
  name: 'TransferAttempt',
  tableName: 'transfer_attempts',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'transfer_attempts_pkey' },
    network: { type: 'text', primary: true, primaryKeyConstraintName: 'transfer_attempts_pkey' },
    hash: { type: 'text', primary: true, primaryKeyConstraintName: 'transfer_attempts_pkey' },
    transferId: { type: 'text', name: 'transfer_id', nullable: true },
    kind: { type: 'text' },
    ordinal: { type: 'integer' },
    address: { type: 'text' },
    raw: { type: 'bytea' },
    nonce: { type: 'bigint', nullable: true },
    blockhash: { type: 'text', nullable: true },
    lastValidBlockHeight: { type: 'bigint', name: 'last_valid_block_height', nullable: true },
    validFromSlot: { type: 'bigint', name: 'valid_from_slot', nullable: true },
    validFromBlock: { type: 'bigint', name: 'valid_from_block', nullable: true },
    finalBlock: { type: 'bigint', name: 'final_block', nullable: true },
    finalBlockHash: { type: 'text', name: 'final_block_hash', nullable: true },
    maxFee: { type: 'numeric', precision: 78, scale: 0, name: 'max_fee' },
    createdAt: { type: 'timestamptz', name: 'created_at', default: () => 'now()' },
    firstBroadcastStartedAt: { type: 'timestamptz', name: 'first_broadcast_started_at', nullable: true },
    acceptedAt: { type: 'timestamptz', name: 'accepted_at', nullable: true },
  },
  checks: [{ name: 'transfer_attempts_kind_check', expression: `kind in ('payment', 'cancellation')` }],
  indices: [
    { name: 'transfer_attempts_ordinal', columns: ['appId', 'transferId', 'ordinal'], unique: true },
    {
      name: 'transfer_attempts_nonce',
      columns: ['appId', 'network', 'address', 'nonce'],
      where: 'nonce is not null',
    },
  ],
  foreignKeys: [
    {
      name: 'transfer_attempts_transfer_fkey',
      target: 'Transfer',
      columnNames: ['appId', 'transferId'],
      referencedColumnNames: ['appId', 'id'],
    },
  ],
});

export const SenderQueueSchema = new EntitySchema<
  SenderQueueId & {
    readonly nextNonce: string | null;
    readonly history: string | null;
    readonly comparedFrom: string | null;
    readonly heldIn: string | null;
  }
>({
  name: 'ChainQueue',
  tableName: 'sender_queues',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'sender_queues_pkey' },
    network: { type: 'text', primary: true, primaryKeyConstraintName: 'sender_queues_pkey' },
    address: { type: 'text', primary: true, primaryKeyConstraintName: 'sender_queues_pkey' },
    nextNonce: { type: 'bigint', name: 'next_nonce', nullable: true },
    history: { type: 'text', nullable: true },
    comparedFrom: { type: 'bigint', name: 'compared_from', nullable: true },
    heldIn: { type: 'text', name: 'held_in', nullable: true },
  },
  indices: [{ name: 'sender_queues_held', columns: ['appId', 'network', 'address'], where: `history = ''` }],
});
