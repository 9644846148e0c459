import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import type { AppId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AppsFacade } from '../../apps/index.js';
import { AppThawed, AppWasFrozen } from '../domain/policy.events.js';

/** Stops all signing of an app, and lets it go on. */
@Injectable()
export class FreezeApp {
  constructor(
    private readonly apps: AppsFacade,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /**
   * Waits for transactions that sign, and from then on nothing is signed on any replica. Returns the time since which the app is frozen. Throws
   * `AppNotFound`.
   */
  freeze(by: Requester, appId: AppId): Promise<Date | null> {
    return this.change(by, appId, this.clock.now());
  }

  /** Throws `AppNotFound`. */
  thaw(by: Requester, appId: AppId): Promise<Date | null> {
    return this.change(by, appId, null);
  }

  private change(by: Requester, appId: AppId, since: Date | null): Promise<Date | null> {
    return this.transactions.run(async () => {
      const { frozenAt } = await this.apps.changeSigning(appId, since);
      await this.apps.audit(by, appId, since ? 'app.frozen' : 'app.thawed', appId);
      await this.events.publish(since ? new AppWasFrozen(appId, {}) : new AppThawed(appId, {}));
      return frozenAt;
    });
  }
}
