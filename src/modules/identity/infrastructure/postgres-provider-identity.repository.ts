import { Injectable } from '@nestjs/common';
import type { DataOf } from '../../../kernel/entity.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { MacTables, RowMacs } from '../../../kernel/row-macs.js';
import { Database } from '../../../postgres/database.js';
import { columnsOf, named } from '../../../postgres/statement.js';
import { ProviderIdentityRepository, ProviderIdentity, type ProviderSubject } from '../domain/provider-identity.js';

const IDENTITY_MAC = MacTables.declare({
  table: 'provider_identities',
  since: 2,
  fields: ['userId', 'connectionId', 'provider', 'subject', 'provedAt', 'createdAt'],
});

type Row = DataOf<ProviderIdentity> & { readonly mac: Buffer | null };

const COLUMNS = columnsOf<Row>([
  'appId',
  'id',
  'userId',
  'connectionId',
  'provider',
  'subject',
  'provedAt',
  'createdAt',
  'updatedAt',
  'mac',
]);

const FIND = `
  select ${COLUMNS.of('i')} from provider_identities i where i.app_id = $1 and i.connection_id = $2 and i.subject = $3`;

const ADD = named<Row>(
  `insert into provider_identities (${COLUMNS.names}) values (${COLUMNS.values})
   on conflict (app_id, connection_id, subject) do nothing returning id`,
);

@Injectable()
export class PostgresProviderIdentityRepository extends ProviderIdentityRepository {
  constructor(
    private readonly database: Database,
    private readonly macs: RowMacs,
  ) {
    super();
  }

  async find(appId: AppId, { connectionId, subject }: ProviderSubject): Promise<ProviderIdentity | null> {
    const rows = await this.database.read<Row>(FIND, [appId, connectionId, subject]);
    const row = this.macs.one(IDENTITY_MAC, rows);
    return row && ProviderIdentity.of(row);
  }

  async add(appId: AppId, identity: ProviderIdentity): Promise<boolean> {
    const mac = this.macs.of(IDENTITY_MAC, { ...identity, appId });
    return (await this.database.write(...ADD({ ...identity, appId, mac }))).length > 0;
  }

  async removeAll(appId: AppId, userId: UserId): Promise<void> {
    await this.database.write('delete from provider_identities where app_id = $1 and user_id = $2', [appId, userId]);
  }
}
