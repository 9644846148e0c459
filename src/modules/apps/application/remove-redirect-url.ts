import { Injectable } from '@nestjs/common';
import type { AppId, RedirectUrlId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/outbox.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AppRepository } from '../domain/app.repository.js';
import { RedirectUrlDeleted } from '../domain/apps.events.js';
import { RedirectUrlNotFound } from '../domain/apps.errors.js';
import { AuditLog } from '../domain/audit-log.js';
import { RedirectUrlRepository } from '../domain/redirect-url.repository.js';

/** Browsers are not sent to the URL any more. */
@Injectable()
export class RemoveRedirectUrl {
  constructor(
    private readonly apps: AppRepository,
    private readonly redirectUrls: RedirectUrlRepository,
    private readonly auditLog: AuditLog,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
  ) {}

  execute(by: Requester, appId: AppId, id: RedirectUrlId): Promise<void> {
    return this.transactions.run(async () => {
      await this.apps.hold(appId);
      if (!(await this.redirectUrls.delete(appId, id))) throw new RedirectUrlNotFound();
      await this.auditLog.add(by, appId, 'redirect_url.deleted', id);
      await this.events.publish(new RedirectUrlDeleted(appId, { redirect_url_id: id }));
    });
  }
}
