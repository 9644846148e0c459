import { Injectable } from '@nestjs/common';
import type { DataOf } from '../../../kernel/entity.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { Database } from '../../../postgres/database.js';
import { columnsOf, named } from '../../../postgres/named.js';
import { ProviderIdentityRepository } from '../domain/provider-identity.repository.js';
import { ProviderIdentity, type ProviderSubject } from '../domain/provider-identity.js';
import { ProviderIdentitySchema } from './provider-identity.schema.js';

const COLUMNS = columnsOf(ProviderIdentitySchema);

const FIND = `
  select ${COLUMNS.of('i')} from provider_identities i where i.app_id = $1 and i.connection_id = $2 and i.subject = $3`;

const ADD = named<DataOf<ProviderIdentity>>(
  `insert into provider_identities (${COLUMNS.names}) values (${COLUMNS.values})`,
);

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
    await this.database.write(...ADD({ ...identity, appId }));
  }

  async removeAll(appId: AppId, userId: UserId): Promise<void> {
    await this.database.write('delete from provider_identities where app_id = $1 and user_id = $2', [appId, userId]);
  }
}
