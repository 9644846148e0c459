import type { DomainEvent } from '../../../kernel/domain-event.js';
import type { AppId } from '../../../kernel/ids.js';
import type { Transfer } from './transfer.js';

/** A transfer's new status. `transfer.stuck`: a pending transfer has not moved for a long time. */
export class TransferEvent implements DomainEvent {
  readonly appId: AppId;
  readonly data: Readonly<Record<string, unknown>>;

  private constructor(
    readonly type: string,
    { appId, id, userId, source, status, hash, customId, failureCode, retrySafe, nonceUsedBy, stuckReason }: Transfer,
  ) {
    this.appId = appId;
    this.data = {
      transfer_id: id,
      user_id: userId,
      source,
      status,
      custom_id: customId,
      blockchain_tx_hash: hash ?? '',
      ...(stuckReason !== null && { stuck_reason: stuckReason }),
      ...(failureCode !== null && {
        failure: { code: failureCode, retry_safe: retrySafe, ...(nonceUsedBy !== null && { used_by: nonceUsedBy }) },
      }),
    };
  }

  static of(transfer: Transfer): TransferEvent {
    return new TransferEvent(`transfer.${transfer.status}`, transfer);
  }

  static stuck(transfer: Transfer): TransferEvent {
    return new TransferEvent('transfer.stuck', transfer);
  }
}
