import { Injectable } from '@nestjs/common';
import type { DataOf } from '../../../kernel/entity.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { currentTransaction } from '../../../platform/database/current-transaction.js';
import { Database } from '../../../platform/database/database.js';
import type { Address } from '../domain/address.js';
import type { Contact } from '../domain/contact.js';
import { UserRepository, type WaysToSignIn } from '../domain/user.repository.js';
import { User } from '../domain/user.js';
import { CONTACT_TABLES } from './contact.schema.js';

const COLUMNS =
  'app_id, id, first_name, middle_name, last_name, status, wallet_type, deactivated_at, deleted_at, created_at, updated_at';

const FIND = `
  select app_id as "appId", id, first_name as "firstName", middle_name as "middleName", last_name as "lastName", status,
         wallet_type as "walletType", deactivated_at as "deactivatedAt", deleted_at as "deletedAt",
         created_at as "createdAt", updated_at as "updatedAt"
    from users
   where app_id = $1 and deleted_at is null`;

// Shared by any number of readers; only FOR UPDATE, which every change of a user begins with, waits for it.
const HOLD = `${FIND} and id = $2 for key share`;
const LOCK = `${FIND} and id = $2 for update`;
// Only the user is locked, and before the address: two statements that locked both could each have the other's first.
const lockHolder = (table: string): string =>
  `${FIND} and id = (select user_id from ${table} where app_id = $1 and canonical = $2) for update`;

const ADD = `insert into users (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning id`;
// One statement, so that losing the address to somebody else leaves neither a half user nor a broken transaction. The
// foreign key is checked at its end, when the user is there too.
const addHolding = (table: string): string => `
  with attached as (
    insert into ${table} (app_id, id, user_id, text, canonical, verified_at, created_at, updated_at)
    values ($1, $12, $2, $13, $14, $15, $10, $11)
    on conflict (app_id, canonical) do nothing
    returning user_id
  )
  insert into users (${COLUMNS})
  select $1, user_id, $3, $4, $5, $6, $7, $8, $9, $10, $11 from attached
  returning id`;

const STORE = `
  update users
     set first_name = $3, middle_name = $4, last_name = $5, status = $6, deactivated_at = $7, deleted_at = $8, updated_at = $9
   where app_id = $1 and id = $2`;

// A wallet is a way in where its user signed with it themselves: a managed one signs for whoever is in already. An identity
// whose connection is gone leads nobody in any more, but somebody has proved it all the same.
const WAYS_IN = `
  select count(*) filter (where is_open)::int as "all", count(*) filter (where proved)::int as verified
    from (select true, verified_at is not null from emails where app_id = $1 and user_id = $2
          union all
          select true, verified_at is not null from phone_numbers where app_id = $1 and user_id = $2
          union all
          select exists (select from oauth_connections c where c.app_id = $1 and c.id = i.connection_id), true
            from provider_identities i where app_id = $1 and user_id = $2
          union all
          select true, true from wallets
           where app_id = $1 and user_id = $2 and is_read_only and verified and deleted_at is null
          union all
          select true, true from totps where app_id = $1 and user_id = $2 and verified_at is not null
         ) as way(is_open, proved)`;

const BY_KIND = {
  email: { addHolding: addHolding(CONTACT_TABLES.email), lockHolder: lockHolder(CONTACT_TABLES.email) },
  phone_number: {
    addHolding: addHolding(CONTACT_TABLES.phone_number),
    lockHolder: lockHolder(CONTACT_TABLES.phone_number),
  },
} as const;

@Injectable()
export class PostgresUserRepository extends UserRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async add(appId: AppId, user: User, contact?: Contact): Promise<boolean> {
    const { id, firstName, middleName, lastName, status, walletType, deactivatedAt, deletedAt, createdAt, updatedAt } =
      user;
    const row = [
      appId,
      id,
      firstName,
      middleName,
      lastName,
      status,
      walletType,
      deactivatedAt,
      deletedAt,
      createdAt,
      updatedAt,
    ];
    const added = contact
      ? await this.database.one(BY_KIND[contact.kind].addHolding, [
          ...row,
          contact.id,
          contact.text,
          contact.canonical,
          contact.verifiedAt,
        ])
      : await this.database.one(ADD, row);
    return added !== null;
  }

  async find(appId: AppId, userId: UserId): Promise<User | null> {
    return this.one(currentTransaction() ? HOLD : `${FIND} and id = $2`, appId, userId);
  }

  async lock(appId: AppId, userId: UserId): Promise<User | null> {
    return this.one(LOCK, appId, userId);
  }

  async lockHolder(appId: AppId, { kind, canonical }: Address): Promise<User | null> {
    return this.one(BY_KIND[kind].lockHolder, appId, canonical);
  }

  async store(appId: AppId, user: User): Promise<void> {
    const { id, firstName, middleName, lastName, status, deactivatedAt, deletedAt, updatedAt } = user;
    await this.database.query(STORE, [
      appId,
      id,
      firstName,
      middleName,
      lastName,
      status,
      deactivatedAt,
      deletedAt,
      updatedAt,
    ]);
  }

  async waysToSignIn(appId: AppId, userId: UserId): Promise<WaysToSignIn> {
    const [ways] = await this.database.query<WaysToSignIn>(WAYS_IN, [appId, userId]);
    return ways!;
  }

  private async one(sql: string, appId: AppId, key: string): Promise<User | null> {
    const row = await this.database.one<DataOf<User>>(sql, [appId, key]);
    return row && User.of(row);
  }
}
