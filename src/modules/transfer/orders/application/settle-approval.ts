import { Injectable } from '@nestjs/common';
import { NodeCalls } from '../../../../kernel/chain/node-calls.js';
import { DomainError } from '../../../../kernel/domain-error.js';
import { DomainEvents } from '../../../../kernel/domain-events.js';
import type { AppId, ApprovalId, TransferId } from '../../../../kernel/ids.js';
import type { AwaitingTransfersKeeper, UnapprovedEnd, UnpaidProof } from '../../../policy/index.js';
import type { Transfer } from '../../transfer/domain/transfer.js';
import { TransferEvent } from '../../transfer/domain/transfer.events.js';
import {
  hasStartedBetween,
  type LockedTransfer,
  TransferRepository,
  TransferStateRepository,
} from '../../transfer/domain/transfer.repository.js';
import { ReconcileQueue } from '../../reconciling/application/reconcile-queue.js';

@Injectable()
export class SettleApproval implements AwaitingTransfersKeeper {
  constructor(
    private readonly transfers: TransferRepository,
    private readonly states: TransferStateRepository,
    private readonly events: DomainEvents,
    private readonly reconcileQueue: ReconcileQueue,
    private readonly nodeCalls: NodeCalls,
  ) {}

  /** Null too when it does not depend on an approval now: if it comes to, the chain is asked again. */
  async provenUnpaid(appId: AppId, id: string): Promise<UnpaidProof | null> {
    const seen = await this.transfers.find(appId, id as TransferId);
    if (!seen?.transfer.dependsOnApproval()) return null;
    const { transfer } = seen;
    if (await this.reconcileQueue.isCertain(transfer)) return seen;
    try {
      const ask = (): Promise<boolean> => this.reconcileQueue.isUnpaid(transfer, []);
      return (await this.nodeCalls.run(transfer.chain, appId, ask)) ? seen : null;
    } catch (error) {
      if (error instanceof DomainError) return null;
      throw error;
    }
  }

  async lock(appId: AppId, id: string): Promise<void> {
    await this.locked(appId, id);
  }

  async approve(appId: AppId, id: string, approvalId: ApprovalId): Promise<void> {
    const locked = await this.locked(appId, id);
    if (locked?.transfer.status !== 'awaiting_approval' || locked.transfer.approvalId !== approvalId) return;
    await this.store(locked, locked.transfer.approve(locked.now));
  }

  async end(appId: AppId, id: string, { status, code, proof }: UnapprovedEnd): Promise<boolean> {
    const locked = await this.locked(appId, id);
    if (!locked?.transfer.dependsOnApproval()) return true;
    // The database may have forgotten that the transfer was approved and paid.
    const isUnpaid = proof !== null && !hasStartedBetween(proof, locked);
    if (locked.books !== 'current' || (locked.mayBeCopied && !isUnpaid)) return false;
    await this.store(locked, locked.transfer.refuse(status, code, locked.now));
    return true;
  }

  private async locked(appId: AppId, id: string): Promise<LockedTransfer | null> {
    const seen = await this.transfers.find(appId, id as TransferId);
    return seen && this.states.lock(seen.transfer);
  }

  private async store({ transfer }: LockedTransfer, next: Transfer): Promise<void> {
    await this.events.publish(...TransferEvent.ofChange(transfer, next));
    this.states.store(next);
  }
}
