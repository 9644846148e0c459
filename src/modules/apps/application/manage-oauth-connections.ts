import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { type AppId, newId, type OauthConnectionId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AppRepository, AppDirectory } from '../domain/app.js';
import { OauthConnectionCreated, OauthConnectionUpdated, OauthConnectionDeleted } from '../domain/apps.events.js';
import { AuditLog } from '../domain/audit-log.js';
import { IssuerCheck } from '../domain/issuer-check.js';
import { type ConnectionDetails, OauthConnection, OauthConnectionRepository } from '../domain/oauth-connection.js';
import { ConnectionSecrets } from './connection-secrets.js';
import { OauthConnectionNotFound } from '../domain/apps.errors.js';

export interface ConnectionOptions extends ConnectionDetails {
  readonly clientSecret?: string;
  readonly privateKey?: string;
}

@Injectable()
export class ManageOauthConnections {
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

  async create(
    by: Requester,
    appId: AppId,
    {
      provider,
      clientId,
      clientSecret,
      privateKey,
      ...details
    }: ConnectionOptions & { readonly provider: string; readonly clientId: string },
  ): Promise<OauthConnection> {
    await this.directory.requireLive(appId);
    await this.secrets.ready(appId);
    const identity = { appId, id: newId('oauthConnection'), provider, clientId };
    const sealed = this.secrets.seal({ ...identity, issuer: details.issuer ?? null }, { clientSecret, privateKey });
    const connection = OauthConnection.create(identity, details, sealed, this.clock.now());
    if (connection.issuer) await this.issuers.assertCallable(appId, connection.issuer);
    await this.transactions.run(async () => {
      await this.apps.hold(appId);
      await this.connections.insert(connection);
      await this.auditLog.add(by, appId, 'oauth_connection.created', connection.id);
      await this.events.publish(new OauthConnectionCreated(appId, { oauth_connection_id: connection.id, provider }));
    });
    return connection;
  }

  async update(
    by: Requester,
    appId: AppId,
    id: OauthConnectionId,
    changes: ConnectionOptions,
  ): Promise<OauthConnection> {
    await this.directory.requireLive(appId);
    const { clientSecret, privateKey, ...details } = changes;
    // The check queries a name server, so it is made before the transaction.
    if (details.issuer) await this.issuers.assertCallable(appId, details.issuer);
    await this.secrets.ready(appId);
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

  delete(by: Requester, appId: AppId, id: OauthConnectionId): Promise<void> {
    return this.transactions.run(async () => {
      await this.apps.hold(appId);
      if (!(await this.connections.delete(appId, id))) throw new OauthConnectionNotFound();
      await this.auditLog.add(by, appId, 'oauth_connection.deleted', id);
      await this.events.publish(new OauthConnectionDeleted(appId, { oauth_connection_id: id }));
    });
  }
}
