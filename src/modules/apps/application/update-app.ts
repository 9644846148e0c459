import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { AppId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/outbox.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import type { App, AppChanges } from '../domain/app.js';
import { AppRepository } from '../domain/app.repository.js';
import { AppUpdated } from '../domain/apps.events.js';
import { AuditLog } from '../domain/audit-log.js';

/** Changes an app's settings. Settings that the request omits stay. */
@Injectable()
export class UpdateApp {
  constructor(
    private readonly apps: AppRepository,
    private readonly auditLog: AuditLog,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  execute(by: Requester, appId: AppId, changes: AppChanges): Promise<App> {
    return this.transactions.run(async () => {
      const app = (await this.apps.lock(appId)).change(changes, this.clock.now());
      await this.apps.update(app);
      const { moduleSettings = {}, ...own } = changes;
      await this.auditLog.add(by, appId, 'app.updated', appId, [...Object.keys(own), ...Object.keys(moduleSettings)]);
      await this.events.publish(new AppUpdated(appId));
      return app;
    });
  }
}
