import type { AppId, TransferId, UserId, WalletId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import type { TransferStatus, Transfer } from './transfer.js';
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
  /** Only the transfer of which a transaction has this hash. */
  readonly hash?: string;
  /** Only transfers that are marked stuck. */
  readonly stuck?: true;
}

/** The reads of transfers for operators. Every method is one statement. */
export abstract class ManagedTransfers {
  /** Throws `TransferNotFound`. */
  abstract get(appId: AppId, id: TransferId): Promise<ManagedTransfer>;

  /** Lists transfers newest first. */
  abstract list(appId: AppId, query: ManagedTransferQuery): Promise<Page<ManagedTransfer>>;
}

/** The next steps of a transfer, until it has ended. */
export const NEXT_STEPS = [
  'confirmation',
  'approval',
  'place_in_queue',
  'broadcast',
  'block',
  'finality',
  'cancellation',
  'none',
] as const;
export type NextStep = (typeof NEXT_STEPS)[number];

const OF_STAGE = { queued: 'place_in_queue', signed: 'broadcast', submitted: 'block', mined: 'finality' } as const;

export function nextStepOf({ status, stage, cancelRequestedAt }: Transfer): NextStep {
  if (status === 'unconfirmed') return 'confirmation';
  if (status === 'awaiting_approval') return 'approval';
  if (stage === null) return 'none';
  return cancelRequestedAt !== null && stage !== 'mined' ? 'cancellation' : OF_STAGE[stage];
}
