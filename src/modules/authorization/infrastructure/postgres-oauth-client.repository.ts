import { Injectable } from '@nestjs/common';
import { restore } from '../../../kernel/entity.js';
import type { AppId, OauthClientId } from '../../../kernel/ids.js';
import { type Page, pageFrom, type PageRequest } from '../../../kernel/paging.js';
import { MacTables, RowMacs } from '../../../kernel/row-macs.js';
import { Database } from '../../../postgres/database.js';
import { columnsOf, named } from '../../../postgres/statement.js';
import { ClientNotFound, OauthClient, OauthClientRepository } from '../domain/oauth-client.js';
import { Artifacts, REFUSED } from './artifacts.js';

const CLIENT_MAC = MacTables.declare({
  table: 'authorization_clients',
  since: 2,
  fields: ['name', 'type', 'settings', 'secretHash', 'previousSecretHash', 'previousSecretEndsAt'],
});

type Row = OauthClient & { readonly mac: Buffer | null };

const COLUMNS = columnsOf<Row>([
  'appId',
  'id',
  'name',
  'type',
  'settings',
  'secretHash',
  'previousSecretHash',
  'previousSecretEndsAt',
  'createdAt',
  'updatedAt',
  'mac',
]);
const CHANGED = columnsOf<Row>([
  'name',
  'settings',
  'secretHash',
  'previousSecretHash',
  'previousSecretEndsAt',
  'updatedAt',
  'mac',
]);

const SELECT = `select ${COLUMNS.of('c')} from authorization_clients c where c.app_id = $1`;
const FIND = `${SELECT} and c.id = $2`;
const LOCK = `${FIND} for update`;
const LIST = `${SELECT} and ($2::text is null or c.id < $2) order by c.id desc limit $3`;
const INSERT = named<Row>(
  `insert into authorization_clients (${COLUMNS.names}) values (${COLUMNS.values}) on conflict (app_id, id) do nothing returning id`,
);
const UPDATE = named<Row>(`update authorization_clients set ${CHANGED.assignments} where app_id = $appId and id = $id`);
const IS_DESCRIBED = `(settings->>'documentUrl' is not null)`;
const DELETE = `delete from authorization_clients where app_id = $1 and id = $2 returning ${IS_DESCRIBED} as "isDescribed"`;
const DELETE_DESCRIBED = `
  delete from authorization_clients where app_id = $1 and ${IS_DESCRIBED} and split_part(settings->>'documentUrl', '/', 3) <> all ($2::text[]) returning id`;

/** A hundred years: what an operator has deleted stays away. */
const REFUSED_SECONDS = 3_155_760_000;

@Injectable()
export class PostgresOauthClientRepository extends OauthClientRepository {
  constructor(
    private readonly database: Database,
    private readonly macs: RowMacs,
    private readonly artifacts: Artifacts,
  ) {
    super();
  }

  async insert(client: OauthClient): Promise<boolean> {
    return (await this.database.write(...INSERT(this.rowOf(client)))).length > 0;
  }

  get(appId: AppId, id: OauthClientId): Promise<OauthClient> {
    return this.one(this.database.read<Row>(FIND, [appId, id]));
  }

  lock(appId: AppId, id: OauthClientId): Promise<OauthClient> {
    return this.one(this.database.write<Row>(LOCK, [appId, id]));
  }

  async update(client: OauthClient): Promise<void> {
    await this.database.write(...UPDATE(this.rowOf(client)));
  }

  async delete(appId: AppId, id: OauthClientId): Promise<void> {
    const [deleted] = await this.database.write<{ isDescribed: boolean }>(DELETE, [appId, id]);
    if (!deleted) throw new ClientNotFound();
    if (deleted.isDescribed) await this.artifacts.store(appId, REFUSED, id, {}, REFUSED_SECONDS);
  }

  async isRefused(appId: AppId, id: OauthClientId): Promise<boolean> {
    return (await this.artifacts.find(appId, REFUSED, id)) !== undefined;
  }

  async list(appId: AppId, page: PageRequest): Promise<Page<OauthClient>> {
    const { items, hasMore } = await this.macs.page(CLIENT_MAC, page, async ({ limit, startingAfter = null }) =>
      pageFrom(await this.database.list<Row>(LIST, [appId, startingAfter, limit + 1]), limit),
    );
    return { items: items.map((row) => restore(OauthClient, row)), hasMore };
  }

  async deleteDescribedElsewhere(appId: AppId, hosts: readonly string[]): Promise<readonly OauthClientId[]> {
    const rows = await this.database.write<{ id: OauthClientId }>(DELETE_DESCRIBED, [appId, hosts]);
    return rows.map(({ id }) => id);
  }

  async count(appId: AppId, areDescribed: boolean): Promise<number> {
    const sql = `select count(*)::int as count from authorization_clients where app_id = $1 and ${IS_DESCRIBED} = $2`;
    return (await this.database.read<{ count: number }>(sql, [appId, areDescribed]))[0]!.count;
  }

  private rowOf(client: OauthClient): Row {
    return { ...client, mac: this.macs.of(CLIENT_MAC, client) } as Row;
  }

  private async one(found: Promise<readonly Row[]>): Promise<OauthClient> {
    const row = this.macs.one(CLIENT_MAC, await found);
    if (!row) throw new ClientNotFound();
    return restore(OauthClient, row);
  }
}
