import { Injectable } from '@nestjs/common';
import type { DataOf } from '../../../kernel/entity.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { Database } from '../../../postgres/database.js';
import { columnsOf, named } from '../../../postgres/statement.js';
import { ProviderIdentityRepository, ProviderIdentity, type ProviderSubject } from '../domain/provider-identity.js';

const COLUMNS = columnsOf<ProviderIdentity>([
  'appId',
  'id',
  'userId',
  'connectionId',
  'provider',
  'subject',
  'provedAt',
  'createdAt',
  'updatedAt',
]);

const FIND = `
  select ${COLUMNS.of('i')} from provider_identities i where i.app_id = $1 and i.connection_id = $2 and i.subject = $3`;

const ADD = named<DataOf<ProviderIdentity>>(
  `insert into provider_identities (${COLUMNS.names}) values (${COLUMNS.values})
   on conflict (app_id, connection_id, subject) do nothing returning id`,
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

  async add(appId: AppId, identity: ProviderIdentity): Promise<boolean> {
    return (await this.database.write(...ADD({ ...identity, appId }))).length > 0;
  }

  async removeAll(appId: AppId, userId: UserId): Promise<void> {
    await this.database.write('delete from provider_identities where app_id = $1 and user_id = $2', [appId, userId]);
  }
}
