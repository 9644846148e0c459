import type { AppId, ApprovalId } from '../../../../kernel/ids.js';
import type { EndReason } from '../domain/approval.js';

/** The proof holds only under the same start of the database server. */
export interface UnpaidProof {
  readonly serverStartedAt: Date;
}

export interface UnapprovedEnd {
  readonly status: 'rejected' | 'expired';
  readonly code: string;
  readonly proof: UnpaidProof | null;
}

export function unapprovedEndOf(reason: EndReason): Omit<UnapprovedEnd, 'proof'> {
  return reason === 'expired' ? { status: 'expired', code: 'approval_expired' } : { status: 'rejected', code: reason };
}

/** All methods but the first run in the caller's transaction. */
export interface AwaitingTransfersKeeper {
  /**
   * Null unless the chain shows that nothing was paid: a restored database may have forgotten a payment. Call it before the transaction,
   * because it may ask the chain.
   */
  provenUnpaid(appId: AppId, id: string): Promise<UnpaidProof | null>;

  /** The transfer comes before its approvals in the order of locks. */
  lock(appId: AppId, id: string): Promise<void>;

  /** Nothing changes unless the transfer waits for this approval. */
  approve(appId: AppId, id: string, approvalId: ApprovalId): Promise<void>;

  /** Returns false, and changes nothing, while the transfer may have been paid. */
  end(appId: AppId, id: string, end: UnapprovedEnd): Promise<boolean>;
}

/** The module of transfers registers here. */
export class AwaitingTransfers {
  private keeper: AwaitingTransfersKeeper | null = null;

  register(keeper: AwaitingTransfersKeeper): void {
    this.keeper = keeper;
  }

  kept(): AwaitingTransfersKeeper {
    if (!this.keeper) throw new Error('No module keeps the transfers that wait for approvals.');
    return this.keeper;
  }
}
