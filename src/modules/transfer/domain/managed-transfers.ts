import type { AppId, TransferId, UserId, WalletId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import type { TransferStatus } from './transfer.js';
import type { TransferView } from './transfer.repository.js';

/** A transfer as operators see it. */
export interface ManagedTransfer extends TransferView {
  /** When the service looks at it next; null when it waits for a caller, or has ended. */
  readonly nextCheckAt: Date | null;
}

export interface ManagedTransferQuery extends PageRequest<TransferId> {
  readonly userId?: UserId;
  readonly source?: WalletId;
  /** As stored: a quote that was not confirmed in time is `unconfirmed` until the service has marked it. */
  readonly status?: TransferStatus;
  /** Only transfers that are marked stuck. */
  readonly stuck?: true;
}

/** The reads of transfers for operators. Every method is one statement. */
export abstract class ManagedTransfers {
  abstract find(appId: AppId, id: TransferId): Promise<ManagedTransfer | null>;

  /** Lists transfers newest first. */
  abstract list(appId: AppId, query: ManagedTransferQuery): Promise<Page<ManagedTransfer>>;
}
