import { Injectable } from '@nestjs/common';
import type { AppId, OauthConnectionId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/outbox.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AppRepository } from '../domain/app.repository.js';
import { OauthConnectionDeleted } from '../domain/apps.events.js';
import { OauthConnectionNotFound } from '../domain/apps.errors.js';
import { AuditLog } from '../domain/audit-log.js';
import { OauthConnectionRepository } from '../domain/oauth-connection.repository.js';

/** Disconnects an app from an identity provider. */
@Injectable()
export class DeleteOauthConnection {
  constructor(
    private readonly apps: AppRepository,
    private readonly connections: OauthConnectionRepository,
    private readonly auditLog: AuditLog,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
  ) {}

  execute(by: Requester, appId: AppId, id: OauthConnectionId): Promise<void> {
    return this.transactions.run(async () => {
      await this.apps.hold(appId);
      if (!(await this.connections.delete(appId, id))) throw new OauthConnectionNotFound();
      await this.auditLog.add(by, appId, 'oauth_connection.deleted', id);
      await this.events.publish(new OauthConnectionDeleted(appId, { oauth_connection_id: id }));
    });
  }
}
