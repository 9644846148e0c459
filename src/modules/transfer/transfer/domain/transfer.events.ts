import { type DomainEvent, type DomainEventClass, eventOf } from '../../../../kernel/event-types.js';
import { evolve } from '../../../../kernel/entity.js';
import { flag, group, idOf, nullable, oneOf, optional, text } from '../../../../kernel/event-data.js';
import { type Transfer, TRANSFER_STATUSES, type TransferStatus } from './transfer.js';

const DATA = {
  transfer_id: idOf('transfer', 'The transfer.'),
  user_id: idOf('user', 'The owner of the wallet that pays.'),
  source: idOf('wallet', 'The wallet that pays.'),
  network: text('The name of the network that it is paid on.'),
  batch_id: optional(idOf('batch', 'The batch that the transfer is part of.')),
  status: oneOf(TRANSFER_STATUSES, 'The status of the transfer after the event.'),
  custom_id: nullable(text("The app's own id of the transfer.")),
  blockchain_tx_hash: text('The hash of the latest signed transaction; empty when none is signed.'),
  stuck_reason: optional(text('Why the transfer does not progress, e.g. `not_in_a_block`.')),
  failure: optional(
    group(
      {
        code: text('Why the transfer failed, e.g. `reverted`.'),
        retry_safe: nullable(flag('Whether the same payment may be made again: true only by proof.')),
        used_by: optional(text('The hash of the transaction that used the nonce.')),
      },
      'The reason of the end, for a transfer that failed, was rejected or was not approved in time.',
    ),
  ),
};

function transferEvent(name: string, description: string) {
  return class extends eventOf({ name, description, data: DATA }) {
    /** `transfer` is for subscribers; it is not stored. */
    constructor(readonly transfer: Transfer) {
      const { appId, batchId, stuckReason, failureCode, retrySafe, nonceUsedBy } = transfer;
      super(appId, {
        transfer_id: transfer.id,
        user_id: transfer.userId,
        source: transfer.source,
        network: transfer.chain,
        ...(batchId !== null && { batch_id: batchId }),
        status: transfer.status,
        custom_id: transfer.customId,
        blockchain_tx_hash: transfer.hash ?? '',
        ...(stuckReason !== null && { stuck_reason: stuckReason }),
        ...(failureCode !== null && {
          failure: { code: failureCode, retry_safe: retrySafe, ...(nonceUsedBy !== null && { used_by: nonceUsedBy }) },
        }),
      });
    }
  };
}

const BY_STATUS = {
  unconfirmed: transferEvent('transfer.unconfirmed', 'A transfer was created and waits for its confirmation.'),
  awaiting_approval: transferEvent(
    'transfer.awaiting_approval',
    'A transfer was confirmed, and policies of the app put it to approvers. Nothing is signed before they approve.',
  ),
  pending: transferEvent('transfer.pending', 'A transfer was confirmed. Its payment is being made.'),
  completed: transferEvent('transfer.completed', 'The payment of a transfer is final on its chain.'),
  failed: transferEvent(
    'transfer.failed',
    'A transfer has failed, proven by its chain. `failure.retry_safe` says whether the same payment may be made again.',
  ),
  rejected: transferEvent(
    'transfer.rejected',
    'A transfer was not approved: an approver rejected it, or the approval became void. Nothing was paid.',
  ),
  expired: transferEvent('transfer.expired', 'A transfer was not confirmed, or not approved, in time.'),
  cancelled: transferEvent('transfer.cancelled', 'A transfer was cancelled before it could pay.'),
} satisfies Record<TransferStatus, new (transfer: Transfer) => DomainEvent>;

const TransferConfirmed = transferEvent(
  'transfer.confirmed',
  'The payment of a transfer is in a block. Until `transfer.completed` a reorganisation of the chain may take it back.',
);

const TransferUnconfirmedAgain = transferEvent(
  'transfer.unconfirmed_again',
  'A reorganisation of the chain took the block with the payment of a transfer. The service goes on paying it.',
);

const TransferStuck = transferEvent(
  'transfer.stuck',
  'A pending transfer has not progressed for a long time. It may still complete.',
);

export class TransferSentAgain extends transferEvent(
  'transfer.sent_again',
  'The chain has lost the final block of a completed transfer, and its payment is sent again.',
) {}

export const TransferEvent = {
  typeOf: (status: TransferStatus): DomainEventClass<InstanceType<(typeof BY_STATUS)[TransferStatus]>> =>
    BY_STATUS[status],

  of: (transfer: Transfer): DomainEvent => new BY_STATUS[transfer.status](transfer),

  stuck: (transfer: Transfer): DomainEvent => new TransferStuck(transfer),

  /** The events of one change, in their order: a payment is confirmed before it is completed, and lost before it has failed. */
  ofChange(before: Transfer, after: Transfer): DomainEvent[] {
    const open = evolve<Transfer>(after, { status: before.status, failureCode: null });
    return [
      ...(before.includedAt === null && after.includedAt !== null ? [new TransferConfirmed(open)] : []),
      ...(before.includedAt !== null && after.includedAt === null ? [new TransferUnconfirmedAgain(open)] : []),
      ...(before.status !== after.status ? [TransferEvent.of(after)] : []),
      ...(before.stuckSince === null && after.stuckSince !== null ? [TransferEvent.stuck(after)] : []),
    ];
  },
};
