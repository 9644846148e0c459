import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../kernel/domain-events.js';
import type { AppId, ApprovalId, TransferId } from '../../../kernel/ids.js';
import type { AwaitingTransfersKeeper } from '../../policy/index.js';
import type { Transfer } from '../domain/transfer.js';
import { BooksBehindChain } from '../domain/transfer.errors.js';
import { TransferEvent } from '../domain/transfer.events.js';
import { TransferRepository } from '../domain/transfer.repository.js';
import { type LockedTransfer, TransferStateRepository } from '../domain/transfer-state.repository.js';

/** Lets a transfer pay once it is approved, or ends it when its approval has ended. */
@Injectable()
export class SettleApproval implements AwaitingTransfersKeeper {
  constructor(
    private readonly transfers: TransferRepository,
    private readonly states: TransferStateRepository,
    private readonly events: DomainEvents,
  ) {}

  async lock(appId: AppId, id: string): Promise<void> {
    await this.locked(appId, id);
  }

  async approve(appId: AppId, id: string, approvalId: ApprovalId): Promise<void> {
    const locked = await this.locked(appId, id);
    if (locked?.transfer.status !== 'awaiting_approval' || locked.transfer.approvalId !== approvalId) return;
    await this.store(locked.transfer.approve(locked.now));
  }

  /** Throws `BooksBehindChain`: the database may have forgotten that the transfer was approved and paid. */
  async end(appId: AppId, id: string, status: 'rejected' | 'expired', code: string): Promise<void> {
    const locked = await this.locked(appId, id);
    if (!locked?.transfer.dependsOnApproval()) return;
    if (locked.books !== 'current') throw new BooksBehindChain(locked.transfer.id);
    await this.store(locked.transfer.refuse(status, code, locked.now));
  }

  private async locked(appId: AppId, id: string): Promise<LockedTransfer | null> {
    const seen = await this.transfers.find(appId, id as TransferId);
    return seen && this.states.lock(seen.transfer);
  }

  private async store(transfer: Transfer): Promise<void> {
    await this.events.publish(TransferEvent.of(transfer));
    this.states.store(transfer);
  }
}
