import { Injectable } from '@nestjs/common';
import type { DataOf } from '../../../kernel/entity.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { inPortions } from '../../../kernel/other-calls.js';
import { MacTables, RowMacs } from '../../../kernel/row-macs.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { Database } from '../../../postgres/database.js';
import { columnsOf, listOf, recordsOf } from '../../../postgres/statement.js';
import {
  type ExportedUser,
  type Holding,
  type OwnedRow,
  type PortablePart,
  PortableUsers,
  type PortableUser,
} from '../domain/portable-users.js';
import { UNVERIFIED_DAYS } from '../domain/identity.errors.js';
import { User } from '../domain/user.js';
import { owned } from './postgres-user-profiles.js';
import { APP_DATA_MAC, storedUser, USER_MAC, type UserMacs } from './postgres-user.repository.js';

const KNOWN = `
  select id, external_id as "externalId" from users 
   where app_id = $1 and external_id = any($2::text[]) and external_id is not null and deleted_at is null
  union all
  select id, null from users where app_id = $1 and id = any($3::text[])`;

const LOCK = 'select id from users where app_id = $1 and id = any($2::text[]) order by id for update';

const DELETED = `
  select external_id_hash as hash from deleted_external_ids
   where app_id = $1 and external_id_hash = any($2::bytea[]) and expires_at > now()`;

const REMEMBER_DELETED = `
  insert into deleted_external_ids (app_id, external_id_hash, expires_at) values ($1, $2, now() + interval '400 days')
  on conflict (app_id, external_id_hash) do update set expires_at = excluded.expires_at`;

const USERS = recordsOf<DataOf<User> & UserMacs & { firstProvedAt: Date | null }>({
  mac: 'bytea',
  claimMac: 'bytea',
  appDataMac: 'bytea',
  appId: 'text',
  id: 'text',
  firstName: 'text',
  middleName: 'text',
  lastName: 'text',
  status: 'text',
  walletType: 'text',
  claim: 'text',
  externalId: 'text',
  metadata: 'jsonb',
  firstProvedAt: 'timestamptz',
  deactivatedAt: 'timestamptz',
  deletedAt: 'timestamptz',
  createdAt: 'timestamptz',
  updatedAt: 'timestamptz',
});

const ADD = `
  insert into users (${USERS.names}) select ${USERS.names} from jsonb_to_recordset($1::jsonb) as r (${USERS.definitions})
  on conflict do nothing returning id`;

const USER = columnsOf<DataOf<User>>([
  'appId',
  'id',
  'firstName',
  'middleName',
  'lastName',
  'status',
  'walletType',
  'claim',
  'externalId',
  'metadata',
  'deactivatedAt',
  'deletedAt',
  'createdAt',
  'updatedAt',
]).of('u');

function statementsOf({ table, columns, key, labels }: PortablePart) {
  const macTables = MacTables.declared.filter((each) => each.table === table);
  const row: Readonly<Record<string, string>> = {
    appId: 'text',
    id: 'text',
    userId: 'text',
    ...columns,
    ...Object.fromEntries(macTables.map(({ column = 'mac' }) => [column, 'bytea'])),
  };
  const { names } = recordsOf<Record<string, unknown>>(row);
  const records = recordsOf<Record<string, unknown>>({ ...row, isProved: 'boolean' });
  const isLabel = labels?.where ?? 'false';
  const end = labels && {
    name: `, ${labels.end}`,
    sql: `, case when is_proved and ${labels.where} then now() + interval '${UNVERIFIED_DAYS} days' end`,
  };
  return {
    macTables,
    records,
    byKey:
      key &&
      `select ${key.sql} as key, t.id, t.user_id as "userId", ${isLabel} as "isLabel" from ${table} t where t.app_id = $1 and ${key.isAmong}`,
    byId: `select null as key, t.id, t.user_id as "userId", false as "isLabel" from ${table} t where t.app_id = $1 and t.id = any($2::text[])`,
    removeLabels: `delete from ${table} t where t.app_id = $1 and ${key?.isAmong} and ${isLabel}`,
    authenticated: macTables.map((macTable) => {
      const { key, fields, column = 'mac', ended = 'false' } = macTable;
      const columns = columnsOf<Record<string, unknown>>([...new Set([...key, ...fields, column])]).of('t');
      const sql = `select ${columns} from ${table} t where t.app_id = $1 and t.user_id = any($2::text[]) and not (${ended})`;
      return { macTable, sql };
    }),
    add: `
      insert into ${table} (${names}${end?.name ?? ''}) select ${names}${end?.sql ?? ''} from jsonb_to_recordset($1::jsonb) as t (${records.definitions})
      on conflict do nothing returning id`,
  };
}

function pageOf(parts: readonly PortablePart[], isFirst: boolean): string {
  const items = parts.map(
    ({ field, table, exported }) => `'${field}', ${owned(table, { ...exported.fields }, exported.where)}`,
  );
  return `
    select ${USER}, u.mac, u.app_data_mac as "appDataMac", json_build_object(${items.join(', ')}) as items
      from users u where u.app_id = $1 and u.deleted_at is null ${isFirst ? '' : 'and u.id > $3'}
     order by u.id limit $2`;
}

type PageRow = DataOf<User> & Pick<UserMacs, 'mac' | 'appDataMac'> & Pick<ExportedUser, 'items'>;

@Injectable()
export class PostgresPortableUsers extends PortableUsers {
  private readonly composed = new Map<PortablePart, ReturnType<typeof statementsOf>>();

  constructor(
    private readonly database: Database,
    private readonly tokens: SecretTokens,
    private readonly macs: RowMacs,
  ) {
    super();
  }

  known(appId: AppId, externalIds: readonly string[], ids: readonly UserId[]): ReturnType<PortableUsers['known']> {
    return this.database.list<{ id: UserId; externalId: string | null }>(KNOWN, [appId, externalIds, ids]);
  }

  async deleted(appId: AppId, externalIds: readonly string[]): Promise<ReadonlySet<string>> {
    const hashes = new Map(externalIds.map((externalId) => [this.hash(appId, externalId).toString('hex'), externalId]));
    const parameters = [appId, [...hashes.keys()].map((hash) => Buffer.from(hash, 'hex'))];
    const rows = await this.database.list<{ hash: Buffer }>(DELETED, parameters);
    return new Set(rows.map(({ hash }) => hashes.get(hash.toString('hex'))!));
  }

  rememberDeleted(appId: AppId, externalId: string): void {
    void this.database.write(REMEMBER_DELETED, [appId, this.hash(appId, externalId)]);
  }

  async holdings(
    part: PortablePart,
    appId: AppId,
    keys: readonly string[],
    ids: readonly string[],
  ): Promise<readonly Holding[]> {
    const { byKey, byId } = this.statements(part);
    const found = await Promise.all([
      byKey === undefined || keys.length === 0 ? [] : this.database.list<Holding>(byKey, [appId, keys]),
      ids.length === 0 ? [] : this.database.list<Holding>(byId, [appId, ids]),
    ]);
    return found.flat();
  }

  async lock(appId: AppId, userIds: readonly UserId[]): Promise<void> {
    await this.database.write(LOCK, [appId, userIds]);
  }

  removeLabels(part: PortablePart, appId: AppId, keys: readonly string[]): void {
    void this.database.write(this.statements(part).removeLabels, [appId, keys]);
  }

  async add(appId: AppId, users: readonly PortableUser[]): Promise<boolean> {
    const rows = await inPortions(users, ({ user, firstProvedAt }) =>
      USERS.json({ ...storedUser(this.macs, user), firstProvedAt }),
    );
    return (await this.database.write(ADD, [listOf(rows)])).length === rows.length;
  }

  async addRows(part: PortablePart, appId: AppId, rows: readonly OwnedRow[]): Promise<boolean> {
    const { records, add, macTables } = this.statements(part);
    const values = await inPortions(rows, ({ userId, isProved, row }) => {
      const stored: Record<string, unknown> = { ...row.values, appId, id: row.id, userId, isProved };
      for (const each of macTables) stored[each.column ?? 'mac'] = this.macs.of(each, stored);
      return records.json(stored);
    });
    return (await this.database.write(add, [listOf(values)])).length === rows.length;
  }

  async page(
    appId: AppId,
    parts: readonly PortablePart[],
    { after, limit }: { readonly after: UserId | null; readonly limit: number },
  ): Promise<ExportedUser[]> {
    const parameters = after === null ? [appId, limit] : [appId, limit, after];
    const rows = await this.database.list<PageRow>(pageOf(parts, after === null), parameters);
    const altered = await this.alteredRows(appId, parts, rows);
    return rows.map(({ items, mac, appDataMac, ...user }) => ({
      user: User.of(user),
      isAltered:
        (!user.deactivatedAt && !this.macs.isUnaltered(USER_MAC, { ...user, mac })) ||
        !this.macs.isUnaltered(APP_DATA_MAC, { ...user, appDataMac }),
      items: Object.fromEntries(
        Object.entries(items).map(([field, list]) => [field, list.filter(({ id }) => !altered.has(id as string))]),
      ),
    }));
  }

  /** The ids of rows that are not as the service wrote them. An import would give them MACs, and what they grant. */
  private async alteredRows(
    appId: AppId,
    parts: readonly PortablePart[],
    users: readonly Pick<User, 'id'>[],
  ): Promise<ReadonlySet<string>> {
    const altered = new Set<string>();
    const asked = [appId, users.map(({ id }) => id)];
    for (const { macTable, sql } of parts.flatMap((part) => this.statements(part).authenticated)) {
      const rows = await this.database.list<{ id: string }>(sql, asked);
      for (const row of rows) if (!this.macs.isUnaltered(macTable, row)) altered.add(row.id);
    }
    return altered;
  }

  private statements(part: PortablePart): ReturnType<typeof statementsOf> {
    const made = this.composed.get(part) ?? statementsOf(part);
    this.composed.set(part, made);
    return made;
  }

  private hash(appId: AppId, externalId: string): Buffer {
    return this.tokens.hash('deleted external id', `${appId} ${externalId}`);
  }
}
