import type { AppId, ApprovalId } from '../../../kernel/ids.js';
import type { EndReason } from '../domain/approval.js';

/** The chain shows that nothing was paid for a transfer. It proves nothing under another start of the database server. */
export interface UnpaidProof {
  readonly serverStartedAt: Date;
}

/** How a transfer ends that is not approved. */
export interface UnapprovedEnd {
  readonly status: 'rejected' | 'expired';
  readonly code: string;
  /** The result of `AwaitingTransfersKeeper.provenUnpaid`. */
  readonly proof: UnpaidProof | null;
}

/** The end of a transfer whose approval ends for this reason. */
export function unapprovedEndOf(reason: EndReason): Omit<UnapprovedEnd, 'proof'> {
  return reason === 'expired' ? { status: 'expired', code: 'approval_expired' } : { status: 'rejected', code: reason };
}

/** The transfers that wait for approvals, kept by another module. All methods but the first run in the caller's transaction. */
export interface AwaitingTransfersKeeper {
  /**
   * Shows that nothing was paid for the transfer; null where its chain does not show it: a restored database may have forgotten a payment.
   * Call it before the transaction, because it may ask the chain.
   */
  provenUnpaid(appId: AppId, id: string): Promise<UnpaidProof | null>;

  /** Locks the transfer, which comes before its approvals in the order of locks. */
  lock(appId: AppId, id: string): Promise<void>;

  /** Lets the transfer pay. Nothing changes unless it waits for this approval. */
  approve(appId: AppId, id: string, approvalId: ApprovalId): Promise<void>;

  /** Ends the transfer if nothing is signed for it. Returns false, and changes nothing, while it may have been paid. */
  end(appId: AppId, id: string, end: UnapprovedEnd): Promise<boolean>;
}

/** Where the module of transfers says how to reach those that wait. */
export class AwaitingTransfers {
  private keeper: AwaitingTransfersKeeper | null = null;

  /** Call it when the module starts. */
  register(keeper: AwaitingTransfersKeeper): void {
    this.keeper = keeper;
  }

  kept(): AwaitingTransfersKeeper {
    if (!this.keeper) throw new Error('No module keeps the transfers that wait for approvals.');
    return this.keeper;
  }
}
