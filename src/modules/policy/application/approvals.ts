import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import type { AppId, ApprovalId } from '../../../kernel/ids.js';
import { Transactions } from '../../../kernel/transactions.js';
import {
  type Approval,
  type ApprovalKey,
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
/** The most approvals of one pass over all apps, which the next pass goes on after. */
const PASS = 10_000;
/** The most transfers of one pass that their chains do not prove to be unpaid: a node may take seconds to respond. */
const UNPROVEN = 20;
const FIRST = { appId: '', id: '' } as ApprovalKey;

const EVENTS = {
  approved: ApprovalApproved,
  rejected: ApprovalRejected,
  expired: ApprovalExpired,
  void: ApprovalVoided,
} as const;

/** Reads approvals, and ends those that have expired or lost their subject. Order of locks: transfer, approval. */
@Injectable()
export class Approvals {
  /** The approval after which the next pass over all apps begins. */
  private passed = FIRST;

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
    await this.endSeen(seen);
    return (await this.approvals.find(appId, id))!;
  }

  /** Ends the approvals of the app that must end. One whose transfer cannot end now is tried again later. */
  async endDueOf(appId: AppId): Promise<void> {
    for await (const key of this.dueAfter(FIRST, appId)) await this.end(key);
  }

  /** Ends at most this number of approvals of the app that must end, and asks no chain. */
  async endSomeOf(appId: AppId, most: number): Promise<void> {
    let tried = 0;
    for await (const key of this.dueAfter(FIRST, appId)) {
      if (tried++ === most) return;
      await this.end(key, false);
    }
  }

  /** One pass over the approvals of all apps that must end. One that cannot end, or fails, does not keep the later ones from ending. */
  async endDue(): Promise<void> {
    let [tried, unproven] = [0, 0];
    for await (const key of this.dueAfter(this.passed, null)) {
      if (tried++ === PASS || unproven === UNPROVEN) return;
      this.passed = key;
      if (!(await this.end(key))) unproven++;
    }
    this.passed = FIRST;
  }

  /** Locks the transfer that waits for the approval, and then the approval. */
  async lock(seen: Approval): Promise<CurrentApproval> {
    if (seen.operation === 'transfer') await this.transfers.kept().lock(seen.appId, seen.operationId);
    return this.approvals.lock(seen.appId, seen.id);
  }

  /** Whether the approval may end as to its transfer. Call it before the transaction: it may ask the chain. */
  async isUnpaid({ appId, operation, operationId }: Approval): Promise<boolean> {
    return operation !== 'transfer' || this.transfers.kept().isUnpaid(appId, operationId);
  }

  /** Stores the success of a locked approval, and lets its transfer, which is locked too, pay. */
  async approve(approval: Approval): Promise<void> {
    const { appId, id, operation, operationId } = approval;
    await this.record(approval, 'approved');
    if (operation === 'transfer') await this.transfers.kept().approve(appId, operationId, id);
  }

  /**
   * Stores the end of a locked approval, and ends its transfer, which is locked too. No reason: an approver has rejected it. Throws
   * `BooksBehindChain`.
   */
  async conclude(approval: Approval, isUnpaid: boolean, reason?: EndReason): Promise<void> {
    const { appId, operation, operationId } = approval;
    await this.record(approval, reason ? stateAfter(reason) : 'rejected', reason);
    if (operation !== 'transfer') return;
    const end =
      reason === 'expired'
        ? ({ status: 'expired', code: 'approval_expired' } as const)
        : ({ status: 'rejected', code: reason ?? 'rejected_by_approver' } as const);
    await this.transfers.kept().end(appId, operationId, { ...end, isUnpaid });
  }

  /** Stores the state of a locked approval, and publishes it. */
  async record(approval: Approval, state: keyof typeof EVENTS, reason?: EndReason): Promise<void> {
    const { appId, id, payloadHash } = approval;
    this.approvals.store(appId, id, state satisfies ApprovalState, reason);
    await this.events.publish(new EVENTS[state](appId, { approval_id: id, payload_hash: payloadHash }));
  }

  /** Makes the approvals void that a transfer which has ended waited for. */
  async withdraw(appId: AppId, transferId: string): Promise<void> {
    await this.publishVoided(appId, await this.approvals.withdraw(appId, transferId));
  }

  /** Makes the open approvals of changes of policies void: the setting `policy_change` or its group has changed. */
  async withdrawChanges(appId: AppId): Promise<void> {
    await this.publishVoided(appId, await this.approvals.withdrawChanges(appId));
  }

  private async publishVoided(appId: AppId, voided: readonly Pick<Approval, 'id' | 'payloadHash'>[]): Promise<void> {
    for (const { id, payloadHash } of voided)
      await this.events.publish(new ApprovalVoided(appId, { approval_id: id, payload_hash: payloadHash }));
  }

  private async *dueAfter(first: ApprovalKey, appId: AppId | null): AsyncGenerator<ApprovalKey> {
    let page = await this.approvals.due(appId, first, BATCH);
    while (page.length > 0) {
      yield* page;
      page = await this.approvals.due(appId, page.at(-1)!, BATCH);
    }
  }

  private async end({ appId, id }: ApprovalKey, asksChain = true): Promise<boolean> {
    const seen = await this.approvals.find(appId, id);
    return !seen || seen.end === null || this.endSeen(seen, asksChain);
  }

  /** Returns whether its transfer is proven unpaid, as far as is known. */
  private async endSeen(seen: Approval, asksChain = true): Promise<boolean> {
    const isUnpaid = asksChain && (await this.isUnpaid(seen));
    try {
      await this.transactions.run(
        async () => {
          const approval = await this.lock(seen);
          if (approval.end !== null) await this.conclude(approval, isUnpaid, approval.end);
        },
        { signs: true },
      );
    } catch (error) {
      // The database was restored: a transfer of it may have been paid, so it does not end before that is known.
      if (!(error instanceof DomainError) || error.kind !== 'conflict') throw error;
    }
    return isUnpaid;
  }
}
