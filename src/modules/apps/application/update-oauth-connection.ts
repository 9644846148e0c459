import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { AppId, OauthConnectionId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/outbox.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AppRepository } from '../domain/app.repository.js';
import { AppDirectory } from '../domain/app-directory.js';
import { OauthConnectionUpdated } from '../domain/apps.events.js';
import { AuditLog } from '../domain/audit-log.js';
import { IssuerCheck } from '../domain/issuer-check.js';
import type { OauthConnection } from '../domain/oauth-connection.js';
import { OauthConnectionRepository } from '../domain/oauth-connection.repository.js';
import { ConnectionSecrets } from './connection-secrets.js';
import type { ConnectionOptions } from './create-oauth-connection.js';

/** Changes a connection. Fields that the request omits stay, secrets included. */
@Injectable()
export class UpdateOauthConnection {
  constructor(
    private readonly directory: AppDirectory,
    private readonly apps: AppRepository,
    private readonly connections: OauthConnectionRepository,
    private readonly secrets: ConnectionSecrets,
    private readonly issuers: IssuerCheck,
    private readonly auditLog: AuditLog,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  async execute(
    by: Requester,
    appId: AppId,
    id: OauthConnectionId,
    changes: ConnectionOptions,
  ): Promise<OauthConnection> {
    await this.directory.requireLive(appId);
    const { clientSecret, privateKey, ...details } = changes;
    // The check queries a name server, so it is made before the transaction.
    if (details.issuer) await this.issuers.assertCallable(appId, details.issuer);
    return this.transactions.run(async () => {
      await this.apps.hold(appId);
      const before = await this.connections.lock(appId, id);
      const sealed = this.secrets.seal(before, { clientSecret, privateKey });
      const connection = before.change(details, sealed, this.clock.now());
      await this.connections.update(connection);
      await this.auditLog.add(by, appId, 'oauth_connection.updated', id, Object.keys(changes));
      await this.events.publish(new OauthConnectionUpdated(appId, { oauth_connection_id: id }));
      return connection;
    });
  }
}
