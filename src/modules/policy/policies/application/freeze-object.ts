import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../../kernel/domain-events.js';
import type { AppId, UserId, WalletId } from '../../../../kernel/ids.js';
import { ObjectOwners } from '../../../../kernel/object-owners.js';
import type { Requester } from '../../../../kernel/requester.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { AppsFacade, type AskedChange } from '../../../apps/index.js';
import { type Freeze, FreezeRepository } from '../../rules/domain/freeze.js';
import { thawOfObject } from '../../approvals/domain/policy-change.js';
import { freezeEvent } from '../../rules/domain/policy.events.js';
import { PolicyChanges } from '../../approvals/application/policy-changes.js';

/** Each method returns null if the app has no such user or wallet. */
@Injectable()
export class FreezeObject {
  constructor(
    private readonly apps: AppsFacade,
    private readonly owners: ObjectOwners,
    private readonly freezes: FreezeRepository,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
    private readonly changes: PolicyChanges,
  ) {}

  /** Waits for signing transactions; from then on nothing is signed for it on any replica. Returns since when it is frozen. */
  async freeze(by: Requester, appId: AppId, id: UserId | WalletId): Promise<Date | null> {
    const freeze = await this.find(appId, id);
    if (!freeze) return null;
    return this.transactions.run(
      async () => {
        const locked = await this.apps.lockToStop(appId);
        const { frozenAt, isNew } = await this.freezes.add(freeze);
        await this.apps.changeSigning(locked);
        await this.apps.audit(by, appId, `${kindOf(freeze)}.frozen`, id);
        if (isNew) await this.events.publish(freezeEvent(freeze, 'frozen'));
        return frozenAt;
      },
      { signs: true },
    );
  }

  /** It may need an approval. */
  async thaw(asked: AskedChange, id: UserId | WalletId): Promise<true | null> {
    const { by, appId } = asked;
    const freeze = await this.find(appId, id);
    if (!freeze) return null;
    return this.changes.run<true>(asked, async ({ permit }) => {
      const frozenAt = await this.freezes.frozenAt(appId, id);
      const refusal = frozenAt ? await permit(thawOfObject(freeze, frozenAt)) : null;
      if (refusal) return refusal;
      await this.freezes.remove(appId, id);
      await this.apps.audit(by, appId, `${kindOf(freeze)}.thawed`, id);
      if (frozenAt) await this.events.publish(freezeEvent(freeze, 'thawed'));
      return true;
    });
  }

  frozenAt(appId: AppId, id: WalletId): Promise<Date | null> {
    return this.freezes.frozenAt(appId, id);
  }

  private async find(appId: AppId, id: UserId | WalletId): Promise<Freeze | null> {
    const owner = await this.owners.find(appId, id);
    if (owner) return { appId, id, ...owner };
    await this.apps.requireLive(appId);
    return null;
  }
}

function kindOf({ walletId }: Freeze): 'user' | 'wallet' {
  return walletId === null ? 'user' : 'wallet';
}
