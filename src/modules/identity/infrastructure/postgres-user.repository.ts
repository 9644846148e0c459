import { Injectable } from '@nestjs/common';
import type { DataOf } from '../../../kernel/entity.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { MacTables, RowMacs } from '../../../kernel/row-macs.js';
import { Database, isUniqueViolation } from '../../../postgres/database.js';
import { columnsOf, named } from '../../../postgres/statement.js';
import type { Address, AddressKind } from '../domain/address.js';
import { Contact, type ContactId } from '../domain/contact.js';
import { DuplicateExternalId, UserNotFound } from '../domain/identity.errors.js';
import { KEPT_BY_IDENTITY, type SignInMethod, SignInMethods } from '../domain/sign-in-methods.js';
import { type CredentialCounts, type HeldAddress, UserRepository } from '../domain/user.repository.js';
import { type AppData, SHOWN_AS_STORED, User } from '../domain/user.js';
import { attachTo, CONTACT_MACS, CONTACT_TABLES, storedContact } from './contact-tables.js';
import { RECOVERED_HOURS } from '../domain/recovery.js';

export const USER_MAC = MacTables.declare({
  table: 'users',
  since: 2,
  fields: [],
  ended: 'deactivated_at is not null or deleted_at is not null',
});
export const CLAIM_MAC = MacTables.declare({
  table: 'users',
  since: 2,
  column: 'claimMac',
  fields: [],
  ended: `claim not in ('open', 'reopening') or deleted_at is not null`,
});

/** JWTs state these fields. */
export const APP_DATA_MAC = MacTables.declare({
  table: 'users',
  since: 5,
  column: 'appDataMac',
  fields: ['externalId', 'metadata'],
  ended: 'deleted_at is not null',
});

export interface UserMacs {
  readonly mac: Buffer | null;
  readonly claimMac: Buffer | null;
  readonly appDataMac: Buffer | null;
}

const CHANGING = [...SHOWN_AS_STORED, 'claim', 'deactivatedAt', 'deletedAt', 'updatedAt'] as const;
const COLUMNS = columnsOf<User>(['appId', 'id', 'walletType', 'createdAt', ...CHANGING]);
/** `mac` is of users who may sign in, `claimMac` of claims that let an account pass to another person: what ends either erases it. */
const MACS = columnsOf<UserMacs>(['mac', 'claimMac', 'appDataMac']);
const USER = `${COLUMNS.of('u')}, ${MACS.of('u')}`;

const FIND = `select ${USER} from users u where u.app_id = $1 and u.id = $2 and u.deleted_at is null`;

const APP_DATA = `select ${columnsOf<User & UserMacs>(['appId', 'id', 'externalId', 'metadata', 'appDataMac']).of('u')} from users u where u.app_id = $1 and u.id = $2 and u.deleted_at is null`;

// Any number of readers share this lock. It blocks only FOR UPDATE, with which every change of a user begins.
const HOLD = `${FIND} for key share`;
const LOCK = `${FIND} for update`;

// A transaction that holds the user and then updates the row could deadlock: the lock of an update comes first.
const HOLD_FOR_USE = `${FIND} for no key update`;
const CLOSE = `update users set claim = 'closed', claim_mac = null where app_id = $1 and id = $2 and claim in ('open', 'reopening') and deleted_at is null`;

const holder = (table: string): string => `
  select ${USER}, c.id as "contactId", c.text, c.verified_at as "verifiedAt", c.mac as "contactMac",
         c.created_at as "contactCreatedAt", c.updated_at as "contactUpdatedAt"
    from ${table} c join users u on u.app_id = c.app_id and u.id = c.user_id and u.deleted_at is null
   where c.app_id = $1 and c.canonical = $2`;

const ADD = named<DataOf<User> & UserMacs>(
  `insert into users (${COLUMNS.names}, ${MACS.names}) values (${COLUMNS.values}, ${MACS.values}) returning id`,
);
/** Another user has the address. On Citus the foreign key is checked at once, so the user was added first. */
const WITHDRAW = 'delete from users where app_id = $1 and id = $2';

const STORE = named<DataOf<User> & UserMacs>(
  `update users set ${columnsOf<User>(CHANGING).assignments}, ${MACS.assignments} where app_id = $appId and id = $id`,
);

const ACTIVE = `
  select app_id as "appId", id, mac from users where app_id = $1 and id = any($2::text[]) and deactivated_at is null and deleted_at is null`;

const NOTIFY = `
  update users set notified_at = now()
   where app_id = $1 and id = $2 and (notified_at is null or notified_at <= now() - interval '10 minutes') returning id`;

const KEPT_HERE = `
  select true, verified_at is not null, id, verified_at from emails where app_id = $1 and user_id = $2
  union all
  select true, verified_at is not null, id, verified_at from phone_numbers where app_id = $1 and user_id = $2`;

const HAS_VERIFIED_ADDRESS = `exists (
  select 1 from emails where app_id = $1 and user_id = $2 and verified_at is not null
  union all
  select 1 from phone_numbers where app_id = $1 and user_id = $2 and verified_at is not null)`;

/** A minute earlier, because the proof has the time of a replica. */
const IS_SINCE_RECOVERY = `exists (
  select from recoveries r
   where r.app_id = $1 and r.user_id = $2 and r.ready_at = r.expires_at and r.expires_at > now()
     and proved_at >= r.expires_at - interval '${RECOVERED_HOURS} hours 1 minute')`;

const HAS_PASSED = `select id from users where app_id = $1 and id = $2 and claim = 'taken'`;

function onCredentials(methods: readonly SignInMethod[]) {
  const registered = methods.map(({ credentials }) => credentials).filter((sql) => sql !== KEPT_BY_IDENTITY);
  const credentials = `(${[KEPT_HERE, ...registered].join(' union all ')}) as credential(is_open, is_verified, id, proved_at)`;
  const recordFirstProof = (whose: string): string => `
    update users set first_proved_at = (select min(proved_at) from ${credentials} where is_verified)
     where app_id = $1 and id = $2 and first_proved_at is null ${whose}`;
  return {
    count: `
      select count(*) filter (where is_open)::int as open, count(*) filter (where is_verified)::int as verified,
             count(*) filter (where is_open and is_verified)::int as usable
        from ${credentials}`,
    hasAged: `
      select exists (
        select from ${credentials}
         where id = any($3) and proved_at is not null and not ${IS_SINCE_RECOVERY}
           and (proved_at <= now() - make_interval(hours => $4) or $4 = 0
                or proved_at = (select first_proved_at from users where app_id = $1 and id = $2))
      ) as "hasAged"`,
    recordFirstProof: {
      'of a new user': recordFirstProof(`and created_at > now() - interval '1 day'`),
      'of any user': recordFirstProof(''),
    },
  } as const;
}

function statements(kind: AddressKind) {
  const table = CONTACT_TABLES[kind];
  return {
    attach: attachTo(table),
    hold: `${holder(table)} for key share of u`,
    // User before address, as everywhere. Without the lock on the address a row that moved during the wait would be returned.
    lock: `${holder(table)} for update of u, c`,
  } as const;
}

const BY_KIND = { email: statements('email'), phone_number: statements('phone_number') } as const;

interface HeldRow extends DataOf<User>, UserMacs {
  readonly contactMac: Buffer | null;
  readonly contactId: ContactId;
  readonly text: string;
  readonly verifiedAt: Date | null;
  readonly contactCreatedAt: Date;
  readonly contactUpdatedAt: Date;
}

@Injectable()
export class PostgresUserRepository extends UserRepository {
  private known: { readonly methods: number; readonly sql: ReturnType<typeof onCredentials> } | undefined;

  constructor(
    private readonly database: Database,
    private readonly signInMethods: SignInMethods,
    private readonly macs: RowMacs,
  ) {
    super();
  }

  async add(appId: AppId, user: User, contact?: Contact): Promise<boolean> {
    const added = this.database.write(...ADD(this.stored(appId, user)));
    if (user.externalId !== null) await added.catch(unlessDuplicate);
    if (!contact) return (await added).length > 0;
    const attached = await this.database.write(
      ...BY_KIND[contact.kind].attach(storedContact(this.macs, { ...contact, appId })),
    );
    if (attached.length === 0) void this.database.write(WITHDRAW, [appId, user.id]);
    return attached.length > 0;
  }

  hold(appId: AppId, userId: UserId): Promise<User> {
    return this.one(HOLD, appId, userId);
  }

  use(appId: AppId, userId: UserId): Promise<User> {
    void this.database.write(CLOSE, [appId, userId]);
    return this.one(HOLD, appId, userId);
  }

  holdForUse(appId: AppId, userId: UserId): Promise<User> {
    return this.one(HOLD_FOR_USE, appId, userId);
  }

  close(appId: AppId, userId: UserId): void {
    void this.database.write(CLOSE, [appId, userId]);
  }

  lock(appId: AppId, userId: UserId): Promise<User> {
    return this.one(LOCK, appId, userId);
  }

  async lockToEnd(appId: AppId, userId: UserId): Promise<User> {
    const [row] = await this.database.write<DataOf<User> & UserMacs>(LOCK, [appId, userId]);
    if (!row) throw new UserNotFound();
    // They stay with the user, so that `store` finds that a row was altered.
    const mac = row.deactivatedAt ? null : this.macs.verified(USER_MAC, row);
    const claimMac = isOpen(row) ? this.macs.verified(CLAIM_MAC, row) : null;
    const user: DataOf<User> & UserMacs = { ...row, mac, claimMac, appDataMac: this.macs.verified(APP_DATA_MAC, row) };
    return User.of(user);
  }

  lockIfLive(appId: AppId, userId: UserId): Promise<User | null> {
    return this.oneOrNone(LOCK, appId, userId);
  }

  holdByAddress(appId: AppId, address: Address): Promise<HeldAddress | null> {
    return this.held('hold', appId, address);
  }

  lockByAddress(appId: AppId, address: Address): Promise<HeldAddress | null> {
    return this.held('lock', appId, address);
  }

  async appData(appId: AppId, userId: UserId): Promise<AppData> {
    return this.macs.one(APP_DATA_MAC, await this.database.read<AppData>(APP_DATA, [appId, userId])) ?? {};
  }

  store(appId: AppId, user: User): void {
    void this.database.write(...STORE(this.stored(appId, user)));
  }

  async storeExternalId(appId: AppId, user: User): Promise<void> {
    await this.database.write(...STORE(this.stored(appId, user))).catch(unlessDuplicate);
  }

  async hasPassed(appId: AppId, userId: UserId): Promise<boolean> {
    return (await this.database.read(HAS_PASSED, [appId, userId])).length > 0;
  }

  async credentialCounts(appId: AppId, userId: UserId): Promise<CredentialCounts> {
    const [counts] = await this.database.read<CredentialCounts>(this.onCredentials.count, [appId, userId]);
    return counts!;
  }

  async hasAged(appId: AppId, userId: UserId, proofs: readonly string[], hours: number): Promise<boolean> {
    const parameters = [appId, userId, proofs, hours];
    const [row] = await this.database.read<{ hasAged: boolean }>(this.onCredentials.hasAged, parameters);
    return row!.hasAged;
  }

  async requireUnaltered(appId: AppId, userId: UserId): Promise<void> {
    this.macs.one(USER_MAC, await this.database.read<Pick<User, 'appId' | 'id'>>(ACTIVE, [appId, [userId]]));
  }

  async alteredAmong(appId: AppId, userIds: readonly UserId[]): Promise<ReadonlySet<UserId>> {
    const active = await this.database.read<Pick<User, 'appId' | 'id'>>(ACTIVE, [appId, userIds]);
    return new Set(active.filter((row) => !this.macs.isUnaltered(USER_MAC, row)).map(({ id }) => id));
  }

  async mayNotify(appId: AppId, userId: UserId): Promise<boolean> {
    return (await this.database.write(NOTIFY, [appId, userId])).length > 0;
  }

  async mayAddFirst(appId: AppId, userId: UserId, type: string, factorTypes: readonly string[]): Promise<boolean> {
    const methods = this.signInMethods.all;
    const added = methods.find(({ factorType }) => factorType === type);
    const opening = methods.find(
      ({ factorType, opensFirst }) => opensFirst?.type === type && factorTypes.includes(factorType),
    );
    if (!added || !opening) return false;
    const mayAdd = `
      select exists (${opening.opensFirst!.sql}) and ${HAS_VERIFIED_ADDRESS} and not exists (${added.credentials}) as "mayAdd"`;
    return (await this.database.read<{ mayAdd: boolean }>(mayAdd, [appId, userId]))[0]!.mayAdd;
  }

  recordFirstProof(appId: AppId, userId: UserId, scope: 'of a new user' | 'of any user'): Promise<unknown> {
    return this.database.write(this.onCredentials.recordFirstProof[scope], [appId, userId]);
  }

  private get onCredentials(): ReturnType<typeof onCredentials> {
    const methods = this.signInMethods.all;
    if (this.known?.methods !== methods.length) this.known = { methods: methods.length, sql: onCredentials(methods) };
    return this.known.sql;
  }

  private async held(
    statement: 'hold' | 'lock',
    appId: AppId,
    { kind, canonical }: Address,
  ): Promise<HeldAddress | null> {
    const [row] = await this.database.write<HeldRow>(BY_KIND[kind][statement], [appId, canonical]);
    if (!row) return null;
    const { contactId: id, text, verifiedAt, contactCreatedAt, contactUpdatedAt, contactMac, ...user } = row;
    const at = { verifiedAt, createdAt: contactCreatedAt, updatedAt: contactUpdatedAt };
    const contact = { kind, appId, id, userId: user.id, text, canonical, ...at };
    this.macs.check(CONTACT_MACS[kind], { ...contact, mac: contactMac });
    return { user: this.userOf(user), contact: Contact.of(contact) };
  }

  private async one(sql: string, appId: AppId, userId: UserId): Promise<User> {
    const user = await this.oneOrNone(sql, appId, userId);
    if (!user) throw new UserNotFound();
    return user;
  }

  private async oneOrNone(sql: string, appId: AppId, userId: UserId): Promise<User | null> {
    const [row] = await this.database.write<DataOf<User> & UserMacs>(sql, [appId, userId]);
    return row ? this.userOf(row) : null;
  }

  private userOf({ mac, claimMac, ...user }: DataOf<User> & UserMacs): User {
    if (!user.deactivatedAt) this.macs.check(USER_MAC, { ...user, mac });
    if (isOpen(user)) this.macs.check(CLAIM_MAC, { ...user, claimMac });
    // It stays with the user, so that `store` finds that a row was altered.
    const kept: DataOf<User> & Pick<UserMacs, 'appDataMac'> = {
      ...user,
      appDataMac: this.macs.verified(APP_DATA_MAC, user),
    };
    return User.of(kept);
  }

  private stored(appId: AppId, user: DataOf<User>): DataOf<User> & UserMacs {
    return storedUser(this.macs, { ...user, appId });
  }
}

export const storedUser = (macs: RowMacs, user: DataOf<User>): DataOf<User> & UserMacs => ({
  ...user,
  mac: user.deactivatedAt || user.deletedAt ? null : macs.of(USER_MAC, user),
  claimMac: isOpen(user) ? macs.of(CLAIM_MAC, user) : null,
  appDataMac: user.deletedAt ? null : macs.of(APP_DATA_MAC, user),
});

const isOpen = ({ claim, deletedAt }: DataOf<User>): boolean =>
  (claim === 'open' || claim === 'reopening') && !deletedAt;

function unlessDuplicate(error: unknown): never {
  throw isUniqueViolation(error, 'users_external_id') ? new DuplicateExternalId() : error;
}
