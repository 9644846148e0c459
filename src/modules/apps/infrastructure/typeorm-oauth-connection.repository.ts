import { EntitySchema, type FindOneOptions } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { OauthConnection, OauthConnectionRepository } from '../domain/oauth-connection.js';
import type { AppId, OauthConnectionId } from '../../../kernel/ids.js';
import { MacTables, RowMacs } from '../../../kernel/row-macs.js';
import { RecentlyUsed } from '../../../kernel/recently-used.js';
import { Database, isUniqueViolation } from '../../../postgres/database.js';
import { DuplicateOauthConnection, OauthConnectionNotFound } from '../domain/apps.errors.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import { pageOf } from '../../../postgres/page-of.js';
import { PostgresAppDirectory } from './postgres-app-directory.js';

export const OauthConnectionSchema = new EntitySchema<OauthConnection & { readonly mac: Buffer | null }>({
  name: 'OauthConnection',
  target: OauthConnection,
  tableName: 'oauth_connections',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true },
    id: { type: 'text', primary: true },
    provider: { type: 'text' },
    clientId: { type: 'text', name: 'client_id' },
    clientSecret: { type: 'bytea', name: 'client_secret', nullable: true },
    issuer: { type: 'text', nullable: true },
    teamId: { type: 'text', name: 'team_id', nullable: true },
    keyId: { type: 'text', name: 'key_id', nullable: true },
    privateKey: { type: 'bytea', name: 'private_key', nullable: true },
    trustsEmail: { type: 'boolean', name: 'trusts_email' },
    emailDomains: { type: 'text', name: 'email_domains', array: true, default: [] },
    pkce: { type: 'boolean', default: true },
    userinfo: { type: 'text', default: 'required' },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    updatedAt: { type: 'timestamptz', name: 'updated_at' },
    mac: { type: 'bytea', nullable: true },
  },
});

/** The seals of its secrets are bound to the row as well. */
const CONNECTION_MAC = MacTables.declare({
  table: 'oauth_connections',
  since: 3,
  fields: ['provider', 'clientId', 'issuer', 'teamId', 'keyId', 'trustsEmail', 'emailDomains', 'pkce', 'userinfo'],
});

@Injectable()
export class TypeormOauthConnectionRepository extends OauthConnectionRepository {
  private readonly appsOf = new RecentlyUsed<OauthConnectionId, AppId>(10_000);

  constructor(
    private readonly database: Database,
    private readonly directory: PostgresAppDirectory,
    private readonly macs: RowMacs,
  ) {
    super();
  }

  async insert(connection: OauthConnection): Promise<void> {
    try {
      await this.database.manager.insert(OauthConnectionSchema, this.macs.withMac(CONNECTION_MAC, connection));
    } catch (error) {
      if (isUniqueViolation(error, 'oauth_connections_provider_key')) {
        throw new DuplicateOauthConnection(connection.provider);
      }
      throw error;
    }
  }

  async get(appId: AppId, id: OauthConnectionId): Promise<OauthConnection> {
    await this.directory.requireLive(appId);
    return this.find(appId, id);
  }

  lock(appId: AppId, id: OauthConnectionId): Promise<OauthConnection> {
    return this.find(appId, id, { mode: 'pessimistic_write' });
  }

  async update(connection: OauthConnection): Promise<void> {
    const { appId, id, ...changes } = this.macs.withMac(CONNECTION_MAC, connection);
    await this.database.manager.update(OauthConnectionSchema, { appId, id }, changes);
  }

  async delete(appId: AppId, id: OauthConnectionId): Promise<boolean> {
    const { affected } = await this.database.manager.delete(OauthConnection, { appId, id });
    return affected === 1;
  }

  async list(appId: AppId, page: PageRequest): Promise<Page<OauthConnection>> {
    await this.directory.requireLive(appId);
    return this.macs.page(CONNECTION_MAC, page, (each) =>
      pageOf(this.database.manager, OauthConnectionSchema, { appId }, each),
    );
  }

  async ofProvider(appId: AppId, provider: string): Promise<OauthConnection | null> {
    return this.checked(await this.database.manager.findOneBy(OauthConnection, { appId, provider }));
  }

  async appOf(id: OauthConnectionId): Promise<AppId | null> {
    const known = this.appsOf.get(id);
    if (known !== undefined) return known;
    const found = await this.database.manager.findOne(OauthConnection, { where: { id }, select: { appId: true } });
    if (!found) return null;
    this.appsOf.set(id, found.appId);
    return found.appId;
  }

  async ofAnyApp(id: OauthConnectionId): Promise<OauthConnection | null> {
    const found = this.database.manager
      .createQueryBuilder(OauthConnection, 'connection')
      .innerJoin('App', 'app', 'app.id = connection.appId and app.deletedAt is null')
      .where('connection.id = :id', { id })
      .getOne();
    return this.checked(await found);
  }

  private async find(
    appId: AppId,
    id: OauthConnectionId,
    lock?: FindOneOptions<OauthConnection>['lock'],
  ): Promise<OauthConnection> {
    const found = await this.database.manager.findOne(OauthConnection, { where: { appId, id }, ...(lock && { lock }) });
    if (!found) throw new OauthConnectionNotFound();
    return this.checked(found);
  }

  private checked<C extends OauthConnection | null>(connection: C): C {
    if (connection) this.macs.check(CONNECTION_MAC, connection);
    return connection;
  }
}
