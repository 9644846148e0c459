import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { AppId, RedirectUrlId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AppRepository } from '../domain/app.js';
import { RedirectUrlCreated, RedirectUrlDeleted } from '../domain/apps.events.js';
import { AuditLog } from '../domain/audit-log.js';
import { type RedirectKind, RedirectUrl, RedirectUrlRepository } from '../domain/redirect-url.js';
import { RedirectUrlNotFound } from '../domain/apps.errors.js';

@Injectable()
export class ManageRedirectUrls {
  constructor(
    private readonly apps: AppRepository,
    private readonly redirectUrls: RedirectUrlRepository,
    private readonly auditLog: AuditLog,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  register(
    by: Requester,
    appId: AppId,
    options: { url: string; kind: RedirectKind; isDefault: boolean },
  ): Promise<RedirectUrl> {
    return this.transactions.run(async () => {
      const { mode } = await this.apps.lock(appId);
      const redirectUrl = RedirectUrl.create({ appId, mode, ...options }, this.clock.now());
      await this.redirectUrls.insert(redirectUrl);
      await this.auditLog.add(by, appId, 'redirect_url.created', redirectUrl.id);
      await this.events.publish(new RedirectUrlCreated(appId, { redirect_url_id: redirectUrl.id, kind: options.kind }));
      return redirectUrl;
    });
  }

  remove(by: Requester, appId: AppId, id: RedirectUrlId): Promise<void> {
    return this.transactions.run(async () => {
      await this.apps.hold(appId);
      if (!(await this.redirectUrls.delete(appId, id))) throw new RedirectUrlNotFound();
      await this.auditLog.add(by, appId, 'redirect_url.deleted', id);
      await this.events.publish(new RedirectUrlDeleted(appId, { redirect_url_id: id }));
    });
  }
}
