import { EntitySchema } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { TokenHashColumns, type TokenHash } from '../../../kernel/secret-tokens.js';
import { type KeyId, newId } from '../../../kernel/ids.js';
import type { ManagementRole } from '../../../kernel/management-role.js';
import { RowMacs } from '../../../kernel/row-macs.js';
import { Database } from '../../../postgres/database.js';
import {
  type ManagementKey,
  type ManagementKeyOptions,
  ManagementKeyRepository,
} from '../domain/management-key.repository.js';
import { MANAGEMENT_KEY_MAC, PostgresAppDirectory } from './postgres-app-directory.js';

/** `fromEnvironment` marks keys that were configured rather than made. */
interface ManagementKeyRow {
  readonly id: KeyId;
  readonly name: string;
  readonly hash: TokenHash;
  readonly fromEnvironment: boolean;
  readonly role: ManagementRole;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly mac: Buffer | null;
}

export const ManagementKeySchema = new EntitySchema<ManagementKeyRow>({
  name: 'ManagementKey',
  tableName: 'management_keys',
  columns: {
    id: { type: 'text', primary: true },
    name: { type: 'text' },
    hash: { type: 'bytea', name: 'key_hash' },
    fromEnvironment: { type: 'boolean', name: 'from_environment', default: false },
    role: { type: 'text', default: 'owner' },
    createdAt: { type: 'timestamptz', name: 'created_at', default: () => 'now()' },
    lastUsedAt: { type: 'timestamptz', name: 'last_used_at', nullable: true },
    expiresAt: { type: 'timestamptz', name: 'expires_at', nullable: true },
    revokedAt: { type: 'timestamptz', name: 'revoked_at', nullable: true },
    mac: { type: 'bytea', nullable: true, select: false },
  },
});

TokenHashColumns.declare({ table: 'management_keys', column: 'key_hash', key: ['id'], inUse: `revoked_at is null` });

/** Sessions are deleted, because the environment may make a revoked key valid again. */
const revoking = (where: string): string => `
  with revoked as (
    update management_keys set revoked_at = now(), mac = null where ${where} and revoked_at is null returning id
  ), ended as (
    delete from management_sessions where key_id in (select id from revoked)
  )
  select id from revoked`;

@Injectable()
export class TypeormManagementKeyRepository extends ManagementKeyRepository {
  constructor(
    private readonly database: Database,
    private readonly directory: PostgresAppDirectory,
    private readonly macs: RowMacs,
  ) {
    super();
  }

  async insert(key: ManagementKeyOptions & { id: KeyId; hash: TokenHash }): Promise<void> {
    const mac = this.macs.of(MANAGEMENT_KEY_MAC, { ...key, keyHash: key.hash });
    await this.database.manager.insert(ManagementKeySchema, { ...key, mac });
  }

  list(): Promise<ManagementKey[]> {
    return this.database.manager.find(ManagementKeySchema, { order: { id: 'DESC' } });
  }

  async namesOf(ids: readonly string[]): Promise<readonly (readonly [id: string, name: string])[]> {
    const keys = await this.database.list<{ id: string; name: string }>(
      'select id, name from management_keys where id = any($1)',
      [ids],
    );
    return keys.map(({ id, name }) => [id, name]);
  }

  async adopt(hash: TokenHash): Promise<void> {
    const [adopted] = await this.database.write<{ id: KeyId }>(
      `insert into management_keys (id, name, key_hash, from_environment) values ($1, 'MANAGEMENT_KEY', $2, true)
       on conflict (key_hash) do update set revoked_at = null, expires_at = null, role = 'owner', from_environment = true
         where management_keys.revoked_at is not null or not management_keys.from_environment
       returning id`,
      [newId('key'), hash],
    );
    if (adopted) {
      const mac = this.macs.of(MANAGEMENT_KEY_MAC, { ...adopted, keyHash: hash, role: 'owner', expiresAt: null });
      await this.database.write('update management_keys set mac = $2 where id = $1', [adopted.id, mac]);
    }
    await this.database.write(revoking(`from_environment and key_hash <> $1`), [hash]);
    this.directory.changed();
  }

  async revoke(id: KeyId): Promise<boolean> {
    const [revoked] = await this.database.write(revoking(`id = $1`), [id]);
    this.directory.changed();
    return revoked !== undefined;
  }

  async isEmpty(): Promise<boolean> {
    return !(await this.database.manager.existsBy(ManagementKeySchema, {}));
  }

  async lockFirstStart(): Promise<void> {
    // An empty table has no row to lock. Reads of keys go on.
    await this.database.write('lock table management_keys in share row exclusive mode');
  }
}
