import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../kernel/clock.js';
import { DomainEvents } from '../../../../kernel/domain-events.js';
import type { AppId } from '../../../../kernel/ids.js';
import type { Requester } from '../../../../kernel/requester.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { AppsFacade, type AskedChange } from '../../../apps/index.js';
import { thawOf } from '../../approvals/domain/policy-change.js';
import { AppThawed, AppWasFrozen } from '../../rules/domain/policy.events.js';
import { PolicyChanges } from '../../approvals/application/policy-changes.js';

@Injectable()
export class FreezeApp {
  constructor(
    private readonly apps: AppsFacade,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    private readonly changes: PolicyChanges,
  ) {}

  /** Waits for signing transactions; from then on nothing is signed on any replica. Returns since when the app is frozen. */
  freeze(by: Requester, appId: AppId): Promise<Date | null> {
    return this.transactions.run(
      async () => {
        const locked = await this.apps.lockToStop(appId);
        const { frozenAt } = await this.apps.changeSigning(locked, this.clock.now());
        await this.apps.audit(by, appId, 'app.frozen', appId);
        await this.events.publish(new AppWasFrozen(appId, {}));
        return frozenAt;
      },
      { signs: true },
    );
  }

  /** It may need an approval. */
  async thaw(asked: AskedChange): Promise<void> {
    const { by, appId } = asked;
    await this.changes.run(
      asked,
      async ({ app: { name, frozenAt }, permit }) => {
        const refusal = frozenAt ? await permit(thawOf({ name, frozenAt })) : null;
        if (refusal) return refusal;
        await this.apps.audit(by, appId, 'app.thawed', appId);
        await this.events.publish(new AppThawed(appId, {}));
        return null;
      },
      { frozenAt: null },
    );
  }
}
