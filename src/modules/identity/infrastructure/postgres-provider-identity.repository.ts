import { Injectable } from '@nestjs/common';
import type { DataOf } from '../../../kernel/entity.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { Database } from '../../../postgres/database.js';
import { ProviderIdentityRepository } from '../domain/provider-identity.repository.js';
import { ProviderIdentity, type ProviderSubject } from '../domain/provider-identity.js';

const FIND = `
  select app_id as "appId", id, user_id as "userId", connection_id as "connectionId", provider, subject,
         created_at as "createdAt", updated_at as "updatedAt"
    from provider_identities
   where app_id = $1 and connection_id = $2 and subject = $3`;

const ADD = `
  insert into provider_identities (app_id, id, user_id, connection_id, provider, subject, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`;

@Injectable()
export class PostgresProviderIdentityRepository extends ProviderIdentityRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async find(appId: AppId, { connectionId, subject }: ProviderSubject): Promise<ProviderIdentity | null> {
    const [row] = await this.database.read<DataOf<ProviderIdentity>>(FIND, [appId, connectionId, subject]);
    return row ? ProviderIdentity.of(row) : null;
  }

  async lockSubject(appId: AppId, { connectionId, subject }: ProviderSubject): Promise<void> {
    const key = ['provider_identity', appId, connectionId, subject].join(' ');
    await this.database.write('select pg_advisory_xact_lock(hashtextextended($1, 0))', [key]);
  }

  async add(appId: AppId, identity: ProviderIdentity): Promise<void> {
    const { id, userId, connectionId, provider, subject, createdAt, updatedAt } = identity;
    await this.database.write(ADD, [appId, id, userId, connectionId, provider, subject, createdAt, updatedAt]);
  }

  async removeAll(appId: AppId, userId: UserId): Promise<void> {
    await this.database.write('delete from provider_identities where app_id = $1 and user_id = $2', [appId, userId]);
  }
}
