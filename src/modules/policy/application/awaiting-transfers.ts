import type { AppId, ApprovalId } from '../../../kernel/ids.js';

/** The transfers that wait for approvals, kept by another module. Its methods run in the caller's transaction. */
export interface AwaitingTransfersKeeper {
  /** Locks the transfer, which comes before its approvals in the order of locks. */
  lock(appId: AppId, id: string): Promise<void>;

  /** Lets the transfer pay. Nothing changes unless it waits for this approval. */
  approve(appId: AppId, id: string, approvalId: ApprovalId): Promise<void>;

  /** Ends the transfer if nothing is signed for it. A refusal of the module that keeps it keeps the approval open. */
  end(appId: AppId, id: string, status: 'rejected' | 'expired', code: string): Promise<void>;
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
