import { Injectable } from '@nestjs/common';
import type { DataOf } from '../../../kernel/entity.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { RowMacs } from '../../../kernel/row-macs.js';
import { Database } from '../../../postgres/database.js';
import type { Address, AddressKind } from '../domain/address.js';
import { Contact, type ContactId, ContactRepository, type Overdue, type TimedContact } from '../domain/contact.js';
import { UNVERIFIED_DAYS } from '../domain/identity.errors.js';
import type { User } from '../domain/user.js';
import { attachTo, CONTACT_MACS, CONTACT_TABLES, storedContact } from './contact-tables.js';

const END_OF_TIME = `now() + interval '${UNVERIFIED_DAYS} days'`;

function statements(kind: AddressKind) {
  const table = CONTACT_TABLES[kind];
  const columns = `
    '${kind}' as kind, app_id as "appId", id, user_id as "userId", text, canonical, verified_at as "verifiedAt",
    created_at as "createdAt", updated_at as "updatedAt", mac`;
  const find = `select ${columns} from ${table} where app_id = $1`;
  return {
    attach: attachTo(table, END_OF_TIME),
    attachAtCreation: attachTo(table),
    find: `${find} and canonical = $2`,
    findById: `${find} and id = $2`,
    // Only verified addresses are stored again, and these stay.
    store: `
      update ${table} set user_id = $3, verified_at = $4, updated_at = $5, mac = $6, unverified_until = null
       where app_id = $1 and id = $2`,
    limitUnverified: `
      update ${table} set unverified_until = ${END_OF_TIME}
       where app_id = $1 and user_id = $2 and verified_at is null and unverified_until is null`,
    detachLater: `
      delete from ${table}
       where app_id = $1 and user_id = $2 and verified_at is null and created_at <> $3 and id is distinct from $4`,
    // A previous release limited some addresses of the creation earlier.
    limitOfCreation: `
      update ${table} set unverified_until = ${END_OF_TIME}
       where app_id = $1 and user_id = $2 and verified_at is null and created_at = $3 and id is distinct from $4
      returning '${kind}' as kind, id`,
    overdueUsers: `
      select distinct app_id as "appId", user_id as "userId" from ${table}
       where unverified_until < now() and (app_id, user_id) > ($1, $2) order by app_id, user_id limit $3`,
    ofUser: `
      select ${columns}, coalesce(unverified_until < now(), false) as "isOverdue"
        from ${table} where app_id = $1 and user_id = $2 order by created_at, id`,
    keep: `update ${table} set unverified_until = null where app_id = $1 and id = $2`,
    detach: `delete from ${table} where app_id = $1 and id = $2 and user_id = $3 returning id`,
    detachAll: `delete from ${table} where app_id = $1 and user_id = $2`,
  } as const;
}

const SQL = { email: statements('email'), phone_number: statements('phone_number') } as const;

const SETTLE = `
  with later_emails as (${SQL.email.detachLater}), later_phone_numbers as (${SQL.phone_number.detachLater}),
    emails_of_creation as (${SQL.email.limitOfCreation}), phone_numbers_of_creation as (${SQL.phone_number.limitOfCreation})
  select kind, id from emails_of_creation union all select kind, id from phone_numbers_of_creation`;

type TimedRow = DataOf<Contact> & Pick<TimedContact, 'isOverdue'>;

@Injectable()
export class PostgresContactRepository extends ContactRepository {
  constructor(
    private readonly database: Database,
    private readonly macs: RowMacs,
  ) {
    super();
  }

  async attach(appId: AppId, contact: Contact, isOfCreation = false): Promise<boolean> {
    const { attach, attachAtCreation } = SQL[contact.kind];
    const statement = isOfCreation || contact.verifiedAt ? attachAtCreation : attach;
    return (await this.database.write(...statement(storedContact(this.macs, { ...contact, appId })))).length > 0;
  }

  async find(appId: AppId, { kind, canonical }: Pick<Address, 'kind' | 'canonical'>): Promise<Contact | null> {
    const row = this.macs.one(CONTACT_MACS[kind], await this.rows(kind, 'find', appId, canonical));
    return row && Contact.of(row);
  }

  async findById(appId: AppId, kind: AddressKind, id: ContactId): Promise<Contact | null> {
    const [row] = await this.rows(kind, 'findById', appId, id);
    return row ? Contact.of(row) : null;
  }

  store(appId: AppId, contact: Contact): void {
    const { kind, id, userId, verifiedAt, updatedAt, mac } = storedContact(this.macs, { ...contact, appId });
    void this.database.write(SQL[kind].store, [appId, id, userId, verifiedAt, updatedAt, mac]);
  }

  async detach(appId: AppId, { kind, id, userId }: Contact): Promise<boolean> {
    return (await this.database.write(SQL[kind].detach, [appId, id, userId])).length > 0;
  }

  detachAll(appId: AppId, userId: UserId): void {
    void this.database.write(SQL.email.detachAll, [appId, userId]);
    void this.database.write(SQL.phone_number.detachAll, [appId, userId]);
  }

  limitUnverified(appId: AppId, userId: UserId): void {
    for (const { limitUnverified } of Object.values(SQL)) void this.database.write(limitUnverified, [appId, userId]);
  }

  settleUnverified(
    { appId, id, createdAt }: User,
    proved: ContactId | null,
  ): Promise<readonly Pick<Contact, 'kind' | 'id'>[]> {
    return this.database.write(SETTLE, [appId, id, createdAt, proved]);
  }

  overdueUsers(kind: AddressKind, last: Overdue | undefined, limit: number): Promise<Overdue[]> {
    return this.database.read<Overdue>(SQL[kind].overdueUsers, [last?.appId ?? '', last?.userId ?? '', limit]);
  }

  async ofUser(appId: AppId, userId: UserId): Promise<TimedContact[]> {
    const rows = [
      ...(await this.database.read<TimedRow>(SQL.email.ofUser, [appId, userId])),
      ...(await this.database.read<TimedRow>(SQL.phone_number.ofUser, [appId, userId])),
    ];
    const unaltered = rows.filter((row) => this.macs.isUnaltered(CONTACT_MACS[row.kind], row));
    return unaltered.map(({ isOverdue, ...contact }) => ({ contact: Contact.of(contact), isOverdue }));
  }

  keep(appId: AppId, { kind, id }: Contact): void {
    void this.database.write(SQL[kind].keep, [appId, id]);
  }

  private rows(kind: AddressKind, by: 'find' | 'findById', appId: AppId, key: string): Promise<DataOf<Contact>[]> {
    return this.database.read<DataOf<Contact>>(SQL[kind][by], [appId, key]);
  }
}
