import { Injectable } from '@nestjs/common';
import { type DataOf, restore } from '../../../kernel/entity.js';
import type { AppId, OauthResourceId } from '../../../kernel/ids.js';
import { type Page, pageFrom, type PageRequest } from '../../../kernel/paging.js';
import { MacTables, RowMacs } from '../../../kernel/row-macs.js';
import { Database } from '../../../postgres/database.js';
import { columnsOf, named } from '../../../postgres/statement.js';
import { Config } from '../../../services/config/config.js';
import { AppsFacade } from '../../apps/index.js';
import {
  canonicalAudience,
  OauthResource,
  OauthResourceRepository,
  ResourceNotFound,
} from '../domain/oauth-resource.js';

const RESOURCE_MAC = MacTables.declare({
  table: 'authorization_resources',
  since: 2,
  fields: ['audience', 'canonical', 'scopes', 'tokenSeconds'],
});

type Row = OauthResource & { readonly mac: Buffer | null };

const COLUMNS = columnsOf<Row>([
  'appId',
  'id',
  'audience',
  'canonical',
  'name',
  'scopes',
  'tokenSeconds',
  'createdAt',
  'updatedAt',
  'mac',
]);
const CHANGED = columnsOf<Row>(['name', 'scopes', 'tokenSeconds', 'updatedAt', 'mac']);

const SELECT = `select ${COLUMNS.of('r')} from authorization_resources r where r.app_id = $1`;
const FIND = `${SELECT} and r.id = $2`;
const LOCK = `${FIND} for update`;
const OF_AUDIENCE = `${SELECT} and r.canonical = $2`;
const LIST = `${SELECT} and ($2::text is null or r.id < $2) order by r.id desc limit $3`;
const INSERT = named<Row>(`insert into authorization_resources (${COLUMNS.names}) values (${COLUMNS.values})`);
const UPDATE = named<Row>(
  `update authorization_resources set ${CHANGED.assignments} where app_id = $appId and id = $id`,
);

@Injectable()
export class PostgresOauthResourceRepository extends OauthResourceRepository {
  private readonly remembered: (
    appId: AppId,
    canonical: string,
  ) => DataOf<OauthResource> | null | Promise<DataOf<OauthResource> | null>;

  constructor(
    private readonly database: Database,
    private readonly macs: RowMacs,
    private readonly config: Config,
    private readonly apps: AppsFacade,
  ) {
    super();
    this.remembered = apps.remembering((appId: AppId, canonical: string) => this.ofAudience(appId, canonical));
  }

  async insert(resource: OauthResource): Promise<void> {
    this.apps.changed();
    await this.database.write(...INSERT({ ...resource, mac: this.macs.of(RESOURCE_MAC, resource) } as Row));
  }

  async get(appId: AppId, id: OauthResourceId): Promise<OauthResource> {
    return this.one(await this.database.read<Row>(FIND, [appId, id])) ?? missing();
  }

  async lock(appId: AppId, id: OauthResourceId): Promise<OauthResource> {
    return this.one(await this.database.write<Row>(LOCK, [appId, id])) ?? missing();
  }

  async ofAudience(appId: AppId, canonical: string): Promise<OauthResource | null> {
    const { baseUrl } = this.config;
    if (canonical === canonicalAudience(baseUrl)) return OauthResource.builtIn(appId, baseUrl);
    return this.one(await this.database.read<Row>(OF_AUDIENCE, [appId, canonical]));
  }

  async recent(appId: AppId, canonical: string): Promise<DataOf<OauthResource> | null> {
    return this.remembered(appId, canonical);
  }

  async update(resource: OauthResource): Promise<void> {
    this.apps.changed();
    await this.database.write(...UPDATE({ ...resource, mac: this.macs.of(RESOURCE_MAC, resource) } as Row));
  }

  async delete(appId: AppId, id: OauthResourceId): Promise<void> {
    this.apps.changed();
    const sql = 'delete from authorization_resources where app_id = $1 and id = $2 returning id';
    if ((await this.database.write(sql, [appId, id])).length === 0) missing();
  }

  list(appId: AppId, page: PageRequest): Promise<Page<OauthResource>> {
    return this.macs.page(RESOURCE_MAC, page, async ({ limit, startingAfter = null }) =>
      pageFrom(await this.database.list<Row>(LIST, [appId, startingAfter, limit + 1]), limit),
    );
  }

  async count(appId: AppId): Promise<number> {
    const sql = 'select count(*)::int as count from authorization_resources where app_id = $1';
    return (await this.database.read<{ count: number }>(sql, [appId]))[0]!.count;
  }

  private one(rows: readonly Row[]): OauthResource | null {
    const row = this.macs.one(RESOURCE_MAC, rows);
    return row && restore(OauthResource, row);
  }
}

function missing(): never {
  throw new ResourceNotFound();
}
