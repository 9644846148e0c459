import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../../kernel/ids.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { AppsFacade, type AskedChange } from '../../../apps/index.js';
import { type Address, type Recovery, RecoverUser } from '../../../identity/index.js';
import { recoveryOf, termsIn } from '../../approvals/domain/policy-change.js';
import { ApprovalRequired } from '../../rules/domain/policy.errors.js';
import { PolicyRepository } from '../../rules/domain/policy.repository.js';
import { PolicyChanges } from '../../approvals/application/policy-changes.js';

/** Needs the approvals of policy changes if policies govern the user. */
@Injectable()
export class BeginRecovery {
  constructor(
    private readonly transactions: Transactions,
    private readonly apps: AppsFacade,
    private readonly policies: PolicyRepository,
    private readonly changes: PolicyChanges,
    private readonly recovery: RecoverUser,
  ) {}

  async execute(asked: AskedChange, userId: UserId, address: Address): Promise<Recovery> {
    const { by, appId } = asked;
    const result = await this.transactions.run(async () => {
      // The app is locked before the user and the approvals.
      const terms = termsIn((await this.apps.lock(appId)).moduleSettings);
      // A recovery that can never begin is refused before approvers are asked.
      await this.recovery.check(appId, userId, address);
      const isGoverned = terms && (await this.isGoverned(appId, userId));
      const refusal = isGoverned ? await this.changes.permit(asked, terms, recoveryOf(userId, address)) : null;
      if (refusal) return refusal;
      const recovery = await this.recovery.begin(appId, userId, address);
      await this.apps.audit(by, appId, 'recovery.begun', userId);
      return recovery;
    });
    if (result instanceof ApprovalRequired) throw result;
    return result;
  }

  private async isGoverned(appId: AppId, userId: UserId): Promise<boolean> {
    for (const { scope } of await this.policies.activeOf(appId)) {
      if (scope.kind === 'app' || (scope.kind === 'user' && scope.id === userId)) return true;
      if (scope.kind === 'wallet' && (await this.policies.ownsWallet(appId, userId, scope.id))) return true;
    }
    return false;
  }
}
