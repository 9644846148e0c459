import { Injectable } from '@nestjs/common';
import type { AppId, ApproverGroupId, UserId } from '../../../../kernel/ids.js';
import type { Requester } from '../../../../kernel/requester.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { AppsFacade } from '../../../apps/index.js';
import { type BegunAuthentication, type PasskeyId, PasskeyNotFound, PasskeysFacade } from '../../../passkey/index.js';
import { NotAnApprover, PasskeyMayNotVote } from '../domain/approval.errors.js';
import { type ApprovedPasskey, ApproverGroupRepository, passkeyChallenge } from '../domain/approver-group.js';

export interface PasskeyOfMember {
  readonly appId: AppId;
  readonly groupId: ApproverGroupId;
  readonly passkeyId: PasskeyId;
  readonly approvedBy: UserId;
}

/** The approval of another member lets a later passkey vote at once. */
@Injectable()
export class ApprovePasskey {
  constructor(
    private readonly apps: AppsFacade,
    private readonly groups: ApproverGroupRepository,
    private readonly passkeys: PasskeysFacade,
    private readonly transactions: Transactions,
  ) {}

  async begin(asked: PasskeyOfMember): Promise<BegunAuthentication> {
    const begun = await this.passkeys.begin(asked.appId, asked.approvedBy, await this.challenge(asked));
    if (begun.allowed?.length === 0) throw new NotAnApprover();
    return begun;
  }

  /** A second call changes nothing. */
  async execute(by: Requester, asked: PasskeyOfMember, credential: unknown): Promise<ApprovedPasskey & { at: Date }> {
    const { appId, groupId, passkeyId, approvedBy } = asked;
    const challenge = await this.challenge(asked);
    const proof = await this.passkeys.check(appId, approvedBy, challenge, credential);
    const { approverPasskeyHours: passkeyHours } = await this.apps.settings(appId);
    return this.transactions.run(async () => {
      // A change of the group locks the app, so the members stay those that are read below.
      await this.apps.hold(appId);
      if ((await this.challenge(asked)) !== challenge) throw new NotAnApprover();
      const voter = { userId: approvedBy, passkey: proof.passkey, passkeyHours };
      if (!(await this.groups.mayVote(appId, groupId, voter))) throw new PasskeyMayNotVote();
      await proof.use();
      const approved = { ...asked, holder: await this.holderIn(asked) };
      const at = await this.groups.approvePasskey(approved);
      await this.apps.audit(by, appId, 'approver_passkey.approved', passkeyId);
      return { ...approved, at };
    });
  }

  private async challenge(asked: PasskeyOfMember): Promise<string> {
    const { appId, groupId, approvedBy } = asked;
    const holder = await this.holderIn(asked);
    const { members } = await this.groups.get(appId, groupId);
    if (!members.includes(approvedBy) || approvedBy === holder) throw new NotAnApprover();
    return passkeyChallenge({ ...asked, holder }, await this.groups.memberSince(appId, groupId, holder));
  }

  private async holderIn({ appId, groupId, passkeyId }: PasskeyOfMember): Promise<UserId> {
    const { members } = await this.groups.get(appId, groupId);
    const holder = await this.passkeys.holderOf(appId, passkeyId);
    if (!holder || !members.includes(holder)) throw new PasskeyNotFound();
    return holder;
  }
}
