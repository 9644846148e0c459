import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../../kernel/domain-events.js';
import type { AppId, ApprovalId, UserId } from '../../../../kernel/ids.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { SealAltered } from '../../../../kernel/vault.js';
import {
  type Approval,
  type ApprovalKey,
  ApprovalRepository,
  type CurrentApproval,
  type EndReason,
  isOpen,
  stateAfter,
} from '../domain/approval.js';
import { ApprovalNotFound } from '../domain/approval.errors.js';
import { ApprovalEvent } from '../../rules/domain/policy.events.js';
import { AwaitingTransfers, unapprovedEndOf, type UnpaidProof } from './awaiting-transfers.js';

const BATCH = 100;
/** The next pass goes on after so many. */
const PASS = 10_000;
/** Each app's limit of chain reads without a proof in one pass: a node may take seconds to respond. */
const UNPROVEN = 5;
const FIRST = { appId: '', id: '' } as ApprovalKey;

/** The order of locks is transfer, approval. */
@Injectable()
export class Approvals {
  /** The next pass begins after this one. */
  private passed = FIRST;
  /** The approvals of each app for which the last pass asked without a proof, and those of the pass under way. */
  private unproven: ReadonlyMap<AppId, readonly ApprovalId[]> = new Map();
  private asked = new Map<AppId, readonly ApprovalId[]>();

  constructor(
    private readonly approvals: ApprovalRepository,
    private readonly transfers: AwaitingTransfers,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
  ) {}

  /** If it must end, that is stored first. */
  async get(appId: AppId, id: ApprovalId): Promise<CurrentApproval> {
    const seen = await this.approvals.find(appId, id);
    if (!seen) throw new ApprovalNotFound();
    if (seen.end === null) return seen;
    await this.endSeen(seen);
    return (await this.approvals.find(appId, id))!;
  }

  /** A transfer that cannot end now is tried again later; after `mostUnproven` of them no chain is asked. */
  async endDueOf(appId: AppId, most = Infinity, mostUnproven = UNPROVEN): Promise<void> {
    let [tried, unproven] = [0, 0];
    for await (const key of this.dueAfter(FIRST, appId)) {
      if (tried++ === most) return;
      if (!(await this.end(key, unproven < mostUnproven))) unproven++;
    }
  }

  /**
   * An approval that cannot end, or fails, does not keep later ones from ending: if the last pass used up an app's limit, this pass asks
   * for those after them.
   */
  async endDue(): Promise<void> {
    let tried = 0;
    for await (const key of this.dueAfter(this.passed, null)) {
      if (tried++ === PASS) return;
      this.passed = key;
      const { appId, id } = key;
      const [asked, before] = [this.asked.get(appId) ?? [], this.unproven.get(appId) ?? []];
      const asksChain = asked.length < UNPROVEN && (before.length < UNPROVEN || id > before.at(-1)!);
      if (!(await this.end(key, asksChain)) && asksChain) this.asked.set(appId, [...asked, id]);
    }
    this.passed = FIRST;
    this.unproven = this.asked;
    this.asked = new Map();
  }

  async lock(seen: Approval): Promise<CurrentApproval> {
    if (seen.operation === 'transfer') await this.transfers.kept().lock(seen.appId, seen.operationId);
    return this.approvals.lock(seen.appId, seen.id);
  }

  async approve(approval: Approval): Promise<void> {
    const { appId, id, operation, operationId } = approval;
    this.approvals.store(appId, id, 'approved');
    await this.publish(approval, 'approved');
    if (operation === 'transfer') await this.transfers.kept().approve(appId, operationId, id);
  }

  /** The transfer is locked too. One that may have been paid goes on: then its approval stays due, and this returns false. */
  async conclude(approval: Approval, end: EndReason, proof: UnpaidProof | null): Promise<boolean> {
    const { appId, id, operation, operationId } = approval;
    if (isOpen(approval)) await this.recordEnd(approval, end);
    if (operation !== 'transfer') return true;
    const isEnded = await this.transfers.kept().end(appId, operationId, { ...unapprovedEndOf(end), proof });
    this.approvals.markEnded(appId, id, isEnded);
    return isEnded;
  }

  async recordEnd(approval: Approval, end: EndReason): Promise<void> {
    const state = stateAfter(end);
    this.approvals.store(approval.appId, approval.id, state, state === 'rejected' ? undefined : end);
    if (isOpen(approval)) await this.publish(approval, state);
  }

  async withdraw(appId: AppId, transferId: string): Promise<void> {
    await this.publishVoided(appId, await this.approvals.withdraw(appId, transferId));
  }

  /** The user has got the account, and is locked. */
  async withdrawOf(appId: AppId, userId: UserId): Promise<void> {
    await this.publishVoided(appId, await this.approvals.withdrawOf(appId, userId));
  }

  /** The setting `policy_change` or its group has changed. */
  async withdrawChanges(appId: AppId): Promise<void> {
    await this.publishVoided(appId, await this.approvals.withdrawChanges(appId));
  }

  private async publishVoided(appId: AppId, voided: readonly Pick<Approval, 'id' | 'payloadHash'>[]): Promise<void> {
    for (const { id, payloadHash } of voided) await this.publish({ appId, id, payloadHash }, 'void');
  }

  private publish(
    { appId, id, payloadHash }: Pick<Approval, 'appId' | 'id' | 'payloadHash'>,
    state: keyof typeof ApprovalEvent,
  ): Promise<void> {
    return this.events.publish(new ApprovalEvent[state](appId, { approval_id: id, payload_hash: payloadHash }));
  }

  private async *dueAfter(first: ApprovalKey, appId: AppId | null): AsyncGenerator<ApprovalKey> {
    let page = await this.approvals.due(appId, first, BATCH);
    while (page.length > 0) {
      yield* page;
      page = await this.approvals.due(appId, page.at(-1)!, BATCH);
    }
  }

  private async end({ appId, id }: ApprovalKey, asksChain: boolean): Promise<boolean> {
    try {
      const seen = await this.approvals.find(appId, id);
      return !seen || seen.end === null || (await this.endSeen(seen, asksChain));
    } catch (error) {
      // An altered approval counts for nothing, and must not keep later ones from ending.
      if (error instanceof SealAltered) return true;
      throw error;
    }
  }

  private async endSeen(seen: Approval, asksChain = true): Promise<boolean> {
    const { appId, operation, operationId } = seen;
    const proof =
      asksChain && operation === 'transfer' ? await this.transfers.kept().provenUnpaid(appId, operationId) : null;
    return this.transactions.run(
      async () => {
        const approval = await this.lock(seen);
        return approval.end === null || this.conclude(approval, approval.end, proof);
      },
      { signs: true },
    );
  }
}
