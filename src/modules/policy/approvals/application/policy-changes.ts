import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../../kernel/domain-events.js';
import { type ApprovalId, newId } from '../../../../kernel/ids.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { AppsFacade, type AskedChange, type SigningApp } from '../../../apps/index.js';
import { PasskeysFacade } from '../../../passkey/index.js';
import { ApprovalRepository, assertUsable, type CurrentApproval } from '../domain/approval.js';
import { ApprovalNotFound } from '../domain/approval.errors.js';
import { hashOf, type Payload } from '../../rules/domain/payload.js';
import {
  type Change,
  CHANGE_EXPIRES_IN_SECONDS,
  payloadOfChange,
  type PolicyChangeTerms,
  termsIn,
} from '../domain/policy-change.js';
import { ApprovalRequired } from '../../rules/domain/policy.errors.js';
import { ApprovalEvent } from '../../rules/domain/policy.events.js';
import { Approvals } from './approvals.js';

export interface ChangedApp {
  readonly app: SigningApp;
  readonly terms: PolicyChangeTerms | null;
  /** Null if the change may be made now; otherwise `work` must return the refusal, which `run` throws after the commit. */
  readonly permit: (change: Change) => Promise<ApprovalRequired | null>;
}

/** The app is locked before the approvals, so one change of an app at a time looks for its approval, is compared with it and uses it. */
@Injectable()
export class PolicyChanges {
  constructor(
    private readonly apps: AppsFacade,
    private readonly approvals: ApprovalRepository,
    private readonly currentApprovals: Approvals,
    private readonly passkeys: PasskeysFacade,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Locks the app, and begins another signing revision with `frozenAt`. With `isEnd` the app may be one that SQL has altered; it stays
   * altered. An `ApprovalRequired` that `work` returns is thrown after the commit, which stores the requested approval but begins no
   * revision: a repeated call disturbs no signature.
   */
  async run<T>(
    asked: AskedChange,
    work: (changed: ChangedApp) => Promise<T | ApprovalRequired>,
    { frozenAt, isEnd = false }: { readonly frozenAt?: null; readonly isEnd?: boolean } = {},
  ): Promise<T> {
    const { appId } = asked;
    const result = await this.transactions.run(
      async () => {
        const app = await (isEnd ? this.apps.lockToStop(appId) : this.apps.lockSigning(appId));
        const terms = termsIn(app.moduleSettings);
        const done = await work({ app, terms, permit: (change) => this.permit(asked, terms, change) });
        if (!(done instanceof ApprovalRequired)) await this.apps.changeSigning(app, frozenAt);
        return done;
      },
      { signs: true },
    );
    if (result instanceof ApprovalRequired) throw result;
    return result;
  }

  /**
   * Null if no approval is needed, or the carried one is used up. Any operator may use an approval, because the approvers have seen the
   * whole change and the audit log names both operators.
   */
  async permit(asked: AskedChange, terms: PolicyChangeTerms | null, change: Change): Promise<ApprovalRequired | null> {
    if (!terms) return null;
    const { appId, approvalId } = asked;
    const payload = payloadOfChange(appId, change);
    const hash = hashOf(payload);
    const found = await this.approvals.lockOf(appId, hash);
    if (approvalId) {
      const carried = found.find(({ id }) => id === approvalId) ?? (await this.approvals.find(appId, approvalId));
      if (!carried) throw new ApprovalNotFound();
      assertUsable(carried, hash);
      if (await this.isGiven(carried)) {
        this.approvals.store(appId, carried.id, 'executed');
        return null;
      }
      // Voters have left since it was approved, so it needs votes again.
      if (carried.state === 'approved') this.approvals.store(appId, carried.id, 'waiting');
      return new ApprovalRequired(carried.id);
    }
    for (const ended of found) if (ended.end) await this.currentApprovals.recordEnd(ended, ended.end);
    const open = found.find(({ end }) => end === null);
    return new ApprovalRequired(open?.id ?? (await this.request(asked, terms, payload, hash)));
  }

  private async isGiven({ appId, state, supporters, needed }: CurrentApproval): Promise<boolean> {
    if (state !== 'approved') return false;
    return (await this.passkeys.haveOne(appId, supporters)).size >= needed;
  }

  private async request(
    { by, appId }: AskedChange,
    { group, count }: PolicyChangeTerms,
    payload: Payload,
    hash: string,
  ): Promise<ApprovalId> {
    const id = newId('approval');
    await this.approvals.request(
      {
        appId,
        id,
        operation: 'policy_change',
        operationId: hash,
        walletId: null,
        userId: null,
        namesUser: false,
        keyId: by.actor,
        policyId: null,
        version: null,
        ruleId: null,
        groupId: group,
        needed: count,
        payload,
        payloadHash: hash,
        expiresIn: CHANGE_EXPIRES_IN_SECONDS,
      },
      false,
    );
    await this.events.publish(new ApprovalEvent.waiting(appId, { approval_id: id, payload_hash: hash }));
    await this.apps.audit(by, appId, 'approval.requested', id);
    return id;
  }
}
