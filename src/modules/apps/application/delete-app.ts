import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { AppId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/outbox.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AppRepository } from '../domain/app.repository.js';
import { AppDeleted } from '../domain/apps.events.js';
import { AuditLog } from '../domain/audit-log.js';

/**
 * Ends an app and its keys. Sealed values stay behind a tombstone. A module that still needs the app refuses the
 * deletion.
 */
@Injectable()
export class DeleteApp {
  constructor(
    private readonly apps: AppRepository,
    private readonly auditLog: AuditLog,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  execute(by: Requester, appId: AppId): Promise<void> {
    return this.transactions.run(
      async () => {
        const app = await this.apps.lockForDeletion(appId);
        await this.events.publish(new AppDeleted(appId));
        await this.apps.update(app.delete(this.clock.now()));
        await this.auditLog.add(by, appId, 'app.deleted', appId);
      },
      // The deletion holds the lock of the app, for which its confirmations wait.
      { signs: true },
    );
  }
}
