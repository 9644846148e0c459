import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import type { AppId, ApprovalId } from '../../../kernel/ids.js';
import { Transactions } from '../../../kernel/transactions.js';
import {
  type Approval,
  ApprovalRepository,
  type ApprovalState,
  type CurrentApproval,
  type EndReason,
  stateAfter,
} from '../domain/approval.js';
import { ApprovalNotFound } from '../domain/approval.errors.js';
import { ApprovalApproved, ApprovalExpired, ApprovalRejected, ApprovalVoided } from '../domain/policy.events.js';
import { AwaitingTransfers } from './awaiting-transfers.js';

const BATCH = 100;

const EVENTS = {
  approved: ApprovalApproved,
  rejected: ApprovalRejected,
  expired: ApprovalExpired,
  void: ApprovalVoided,
} as const;

/** Reads approvals, and ends those that have expired or lost their subject. Order of locks: transfer, approval. */
@Injectable()
export class Approvals {
  constructor(
    private readonly approvals: ApprovalRepository,
    private readonly transfers: AwaitingTransfers,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
  ) {}

  /** The approval as it is now. If it must end, that is stored first. Throws `ApprovalNotFound`. */
  async get(appId: AppId, id: ApprovalId): Promise<CurrentApproval> {
    const seen = await this.approvals.find(appId, id);
    if (!seen) throw new ApprovalNotFound();
    if (seen.end === null) return seen;
    await this.end(seen);
    return (await this.approvals.find(appId, id))!;
  }

  /** Ends the approvals that must end, of one app or of all (null). One whose transfer cannot end now is tried again later. */
  async endDue(appId: AppId | null = null): Promise<void> {
    for (const { appId: app, id } of await this.approvals.due(appId, BATCH)) {
      const seen = await this.approvals.find(app, id);
      if (seen) await this.end(seen);
    }
  }

  /** Locks the transfer that waits for the approval, and then the approval. */
  async lock(seen: Approval): Promise<CurrentApproval> {
    if (seen.operation === 'transfer') await this.transfers.kept().lock(seen.appId, seen.operationId);
    return this.approvals.lock(seen.appId, seen.id);
  }

  /** Stores the end or the success of a locked approval, and lets its transfer, which is locked too, pay or end. */
  async conclude(approval: Approval, state: keyof typeof EVENTS, reason?: EndReason): Promise<void> {
    const { appId, id, operation, operationId } = approval;
    await this.record(approval, state, reason);
    if (operation !== 'transfer') return;
    const kept = this.transfers.kept();
    if (state === 'approved') await kept.approve(appId, operationId, id);
    else if (state === 'expired') await kept.end(appId, operationId, 'expired', 'approval_expired');
    else await kept.end(appId, operationId, 'rejected', reason ?? 'rejected_by_approver');
  }

  /** Stores the state of a locked approval, and publishes it. */
  async record(approval: Approval, state: keyof typeof EVENTS, reason?: EndReason): Promise<void> {
    const { appId, id, payloadHash } = approval;
    this.approvals.store(appId, id, state satisfies ApprovalState, reason);
    await this.events.publish(new EVENTS[state](appId, { approval_id: id, payload_hash: payloadHash }));
  }

  /** Makes the approvals void that a transfer which has ended waited for. */
  async withdraw(appId: AppId, transferId: string): Promise<void> {
    for (const { id, payloadHash } of await this.approvals.withdraw(appId, transferId))
      await this.events.publish(new ApprovalVoided(appId, { approval_id: id, payload_hash: payloadHash }));
  }

  private async end(seen: Approval): Promise<void> {
    try {
      await this.transactions.run(
        async () => {
          const approval = await this.lock(seen);
          if (approval.end !== null) await this.conclude(approval, stateAfter(approval.end), approval.end);
        },
        { signs: true },
      );
    } catch (error) {
      // The database was restored: a transfer of it may have been paid, so it does not end before that is known.
      if (!(error instanceof DomainError) || error.kind !== 'conflict') throw error;
    }
  }
}
