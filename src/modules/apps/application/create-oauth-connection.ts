import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { type AppId, newId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/outbox.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AppRepository } from '../domain/app.repository.js';
import { AppDirectory } from '../domain/app-directory.js';
import { OauthConnectionCreated } from '../domain/apps.events.js';
import { AuditLog } from '../domain/audit-log.js';
import { IssuerCheck } from '../domain/issuer-check.js';
import { type ConnectionDetails, OauthConnection } from '../domain/oauth-connection.js';
import { OauthConnectionRepository } from '../domain/oauth-connection.repository.js';
import { ConnectionSecrets } from './connection-secrets.js';

/** The operator's settings of a connection, with its secrets as plaintext. */
export interface ConnectionOptions extends ConnectionDetails {
  readonly clientSecret?: string;
  readonly privateKey?: string;
}

/** Connects an app with an identity provider. */
@Injectable()
export class CreateOauthConnection {
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
    {
      provider,
      clientId,
      clientSecret,
      privateKey,
      ...details
    }: ConnectionOptions & { readonly provider: string; readonly clientId: string },
  ): Promise<OauthConnection> {
    await this.directory.requireLive(appId);
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
}
