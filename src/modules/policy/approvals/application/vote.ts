import { Injectable } from '@nestjs/common';
import { actingKey } from '../../../../kernel/acting-key.js';
import { idIn } from '../../../../kernel/token-actor.js';
import type { AppId, ApprovalId, UserId } from '../../../../kernel/ids.js';
import type { Requester } from '../../../../kernel/requester.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { AppsFacade } from '../../../apps/index.js';
import { type BegunAuthentication, PasskeysFacade } from '../../../passkey/index.js';
import {
  ApprovalRepository,
  assertMayVote,
  challengeFor,
  type CurrentApproval,
  stateWith,
  type VoteDecision,
} from '../domain/approval.js';
import { ApproverGroupRepository } from '../domain/approver-group.js';
import { NotAnApprover, PasskeyMayNotVote } from '../domain/approval.errors.js';
import { Approvals } from './approvals.js';

export interface Ballot {
  readonly userId: UserId;
  readonly decision: VoteDecision;
  readonly credential: unknown;
}

/** The key of the call only carries the vote: the voter's passkey proves it. */
@Injectable()
export class VoteOnApproval {
  constructor(
    private readonly apps: AppsFacade,
    private readonly approvals: ApprovalRepository,
    private readonly currentApprovals: Approvals,
    private readonly passkeys: PasskeysFacade,
    private readonly groups: ApproverGroupRepository,
    private readonly transactions: Transactions,
  ) {}

  async begin(appId: AppId, id: ApprovalId, userId: UserId, decision: VoteDecision): Promise<BegunAuthentication> {
    const approval = await this.currentApprovals.get(appId, id);
    assertMayVote(approval, userId);
    const begun = await this.passkeys.begin(appId, userId, challengeFor(approval, userId, decision));
    if (begun.allowed?.length === 0) throw new NotAnApprover();
    return begun;
  }

  /** A refusal counts nothing. */
  async execute(by: Requester, appId: AppId, id: ApprovalId, ballot: Ballot): Promise<CurrentApproval> {
    const { userId, decision, credential } = ballot;
    const seen = await this.currentApprovals.get(appId, id);
    assertMayVote(seen, userId);
    // Secret and management keys only carry votes. A restricted key, or a client, is the caller, which must not decide on its own request.
    if (callerIn(actingKey()) === callerIn(seen.keyId)) throw new NotAnApprover();
    const proof = await this.passkeys.check(appId, userId, challengeFor(seen, userId, decision), credential);
    const { approverPasskeyHours: passkeyHours } = await this.apps.settings(appId);
    await this.transactions.run(
      async () => {
        // A change of groups or of policies locks the app, so the members stay those that are read below until the vote is stored.
        await this.apps.hold(appId);
        const approval = await this.currentApprovals.lock(seen);
        assertMayVote(approval, userId);
        const voter = { userId, passkey: proof.passkey, passkeyHours };
        if (!(await this.groups.mayVote(appId, approval.groupId, voter))) throw new PasskeyMayNotVote();
        await proof.use();
        this.approvals.addVote(appId, id, userId, decision);
        const supporters = await this.passkeys.haveOne(appId, approval.supporters);
        const state = stateWith(decision, supporters.size, approval.needed);
        if (state === 'approved') await this.currentApprovals.approve(approval);
        // A chain that must be asked before the transfer may end is asked after the commit: a rejection waits for nothing.
        if (state === 'rejected') await this.currentApprovals.conclude(approval, 'rejected_by_approver', null);
        await this.apps.audit(by, appId, `approval.${decision === 'approve' ? 'approved' : 'rejected'}`, id);
      },
      { signs: true },
    );
    return this.currentApprovals.get(appId, id);
  }
}

/** A client may call by its own tokens and by those of its users. */
function callerIn(keyId: string | undefined): string | undefined {
  return keyId && (idIn('oauthClient', keyId) ?? keyId);
}
