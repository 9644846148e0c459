import { EntitySchema } from 'typeorm';
import { Injectable } from '@nestjs/common';
import {
  type NewPasskey,
  type Passkey,
  type PasskeyDescriptor,
  type PasskeyId,
  PasskeyRepository,
  type PasskeyUse,
  type StoredPasskey,
} from '../domain/passkey.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { Database } from '../../../postgres/database.js';
import { MacTables, RowMacs } from '../../../kernel/row-macs.js';
import { columnsOf, named } from '../../../postgres/statement.js';

interface PasskeyRow extends NewPasskey {
  /** The last login whose counter did not rise. */
  readonly suspiciousAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
  readonly mac: Buffer | null;
  readonly importMac: Buffer | null;
}

export const PasskeySchema = new EntitySchema<PasskeyRow>({
  name: 'Passkey',
  tableName: 'webauthn_credentials',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true },
    id: { type: 'text', primary: true },
    userId: { type: 'text', name: 'user_id' },
    credentialId: { type: 'bytea', name: 'credential_id' },
    publicKey: { type: 'bytea', name: 'public_key' },
    rpId: { type: 'text', name: 'rp_id' },
    name: { type: 'text' },
    transports: { type: 'text', array: true },
    signCount: { type: 'bigint', name: 'sign_count' },
    isBackupEligible: { type: 'boolean', name: 'is_backup_eligible' },
    isBackedUp: { type: 'boolean', name: 'is_backed_up' },
    isBackupUnknown: { type: 'boolean', name: 'is_backup_unknown', nullable: true },
    userHandle: { type: 'text', name: 'user_handle', nullable: true },
    suspiciousAt: { type: 'timestamptz', name: 'suspicious_at', nullable: true },
    lastUsedAt: { type: 'timestamptz', name: 'last_used_at', nullable: true },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    mac: { type: 'bytea', nullable: true, select: false },
    importMac: { type: 'bytea', name: 'import_mac', nullable: true, select: false },
  },
});

const PASSKEY_MAC = MacTables.declare({
  table: 'webauthn_credentials',
  since: 2,
  fields: ['userId', 'credentialId', 'publicKey', 'rpId', 'createdAt'],
});

/** The fields that only an imported passkey has. */
const IMPORT_MAC = MacTables.declare({
  table: 'webauthn_credentials',
  column: 'importMac',
  since: 3,
  fields: ['userId', 'userHandle', 'isBackupUnknown'],
  ended: 'user_handle is null and is_backup_unknown is null',
});

const FIELDS = [
  'appId',
  'id',
  'userId',
  'credentialId',
  'publicKey',
  'rpId',
  'name',
  'transports',
  'isBackupEligible',
  'isBackedUp',
  'isBackupUnknown',
  'userHandle',
] as const satisfies (keyof Passkey)[];
const COLUMNS = columnsOf<Passkey>(FIELDS);
const NEW = columnsOf<NewPasskey>([...FIELDS, 'signCount']);

const ADD = named<NewPasskey>(`
  insert into webauthn_credentials (${NEW.names}, created_at) values (${NEW.values}, now())
  on conflict on constraint webauthn_credentials_of_app do nothing
  returning created_at as "createdAt", mac`);

const FIND = `select ${COLUMNS.of('c')}, c.created_at as "createdAt", c.mac, c.import_mac as "importMac" from webauthn_credentials c where app_id = $1 and credential_id = $2`;

const DESCRIPTORS = `
  select credential_id as "credentialId", transports from webauthn_credentials
   where app_id = $1 and user_id = $2 and rp_id = $3 order by id`;

const HOLDERS_AMONG = `
  select distinct user_id as "userId" from webauthn_credentials where app_id = $1 and user_id = any($2) and rp_id = $3`;

// Authenticators without a counter always send 0. now() is the start of the transaction, so equal times were set by this statement.
const USE = `
  with c as materialized (select now() as now)
  update webauthn_credentials set
    suspicious_at = case when ($3 > sign_count or ($3 = 0 and sign_count = 0)) and (is_backup_eligible = $4 or is_backup_unknown is true)
                         then suspicious_at else c.now end,
    sign_count = greatest(sign_count, $3::bigint), is_backup_eligible = $4, is_backed_up = $5, is_backup_unknown = null, import_mac = $6, last_used_at = c.now
  from c where app_id = $1 and id = $2
  returning suspicious_at is not distinct from c.now as "isSuspicious"`;

const REMOVE_ALL_OF = `delete from webauthn_credentials where app_id = $1 and user_id = $2 returning app_id`;

@Injectable()
export class PostgresPasskeyRepository extends PasskeyRepository {
  constructor(
    private readonly database: Database,
    private readonly macs: RowMacs,
  ) {
    super();
  }

  async add(passkey: NewPasskey): Promise<boolean> {
    const [added] = await this.database.write<Pick<PasskeyRow, 'createdAt' | 'mac'>>(...ADD(passkey));
    if (added) void this.macs.sign(PASSKEY_MAC, { ...passkey, ...added });
    return added !== undefined;
  }

  count(appId: AppId, userId: UserId): Promise<number> {
    return this.database.manager.countBy(PasskeySchema, { appId, userId });
  }

  async find(appId: AppId, credentialId: Buffer): Promise<StoredPasskey | null> {
    const found = this.macs.one(PASSKEY_MAC, await this.database.read<StoredPasskey>(FIND, [appId, credentialId]));
    if (found && isImported(found)) this.macs.check(IMPORT_MAC, found);
    return found;
  }

  async descriptors(appId: AppId, userId: UserId, rpId: string): Promise<readonly PasskeyDescriptor[]> {
    const rows = await this.database.read<{ credentialId: Buffer; transports: string[] }>(DESCRIPTORS, [
      appId,
      userId,
      rpId,
    ]);
    return rows.map(({ credentialId, transports }) => ({
      credentialId: credentialId.toString('base64url'),
      transports,
    }));
  }

  async holdersAmong(appId: AppId, userIds: readonly UserId[], rpId: string): Promise<readonly UserId[]> {
    const rows = await this.database.read<{ userId: UserId }>(HOLDERS_AMONG, [appId, userIds, rpId]);
    return rows.map(({ userId }) => userId);
  }

  async use(
    passkey: Passkey,
    { signCount, isBackupEligible, isBackedUp }: PasskeyUse,
  ): Promise<{ readonly isSuspicious: boolean } | null> {
    const used = { ...passkey, isBackupUnknown: null };
    const importMac = isImported(used) ? this.macs.of(IMPORT_MAC, used) : null;
    const parameters = [passkey.appId, passkey.id, signCount, isBackupEligible, isBackedUp, importMac];
    return (await this.database.write<{ isSuspicious: boolean }>(USE, parameters))[0] ?? null;
  }

  async ownerOf(appId: AppId, id: PasskeyId): Promise<UserId | null> {
    return (await this.database.manager.findOneBy(PasskeySchema, { appId, id }))?.userId ?? null;
  }

  async remove(appId: AppId, id: PasskeyId): Promise<boolean> {
    return (await this.database.manager.delete(PasskeySchema, { appId, id })).affected === 1;
  }

  async removeAllOf(appId: AppId, userId: UserId): Promise<number> {
    return (await this.database.write(REMOVE_ALL_OF, [appId, userId])).length;
  }
}

const isImported = ({ userHandle, isBackupUnknown }: Passkey): boolean =>
  userHandle !== null || isBackupUnknown !== null;
