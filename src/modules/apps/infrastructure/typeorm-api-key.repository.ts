import { EntitySchema, IsNull } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { TokenHashColumns } from '../../../kernel/secret-tokens.js';
import { ApiKey, type KeyKind, ApiKeyRepository } from '../domain/api-key.js';
import type { AppId, KeyId, UserId, WalletId } from '../../../kernel/ids.js';
import { RowMacs } from '../../../kernel/row-macs.js';
import { Database } from '../../../postgres/database.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import { pageOf } from '../../../postgres/page-of.js';
import { API_KEY_MAC, PostgresAppDirectory } from './postgres-app-directory.js';

export const ApiKeySchema = new EntitySchema<ApiKey & { readonly mac: Buffer | null }>({
  name: 'ApiKey',
  target: ApiKey,
  tableName: 'api_keys',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true },
    id: { type: 'text', primary: true },
    kind: { type: 'text' },
    name: { type: 'text' },
    hash: { type: 'bytea', name: 'key_hash' },
    restriction: { type: 'jsonb', nullable: true },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    lastUsedAt: { type: 'timestamptz', name: 'last_used_at', nullable: true },
    expiresAt: { type: 'timestamptz', name: 'expires_at', nullable: true },
    revokedAt: { type: 'timestamptz', name: 'revoked_at', nullable: true },
    mac: { type: 'bytea', nullable: true, select: false },
  },
});

TokenHashColumns.declare({ table: 'api_keys', column: 'key_hash', key: ['app_id', 'id'], inUse: `revoked_at is null` });

const REVOKE_BOUND = `
  update api_keys set revoked_at = now(), mac = null
   where app_id = $1 and kind = 'restricted' and revoked_at is null
     and (restriction #>> '{binding,userId}' = $2 or (restriction #> '{binding,walletIds}') ?| $3::text[])
  returning id`;

type MacRow = Pick<ApiKey, 'appId' | 'id' | 'kind' | 'restriction' | 'expiresAt'> & {
  readonly keyHash: Buffer;
  readonly mac: Buffer | null;
};

const UNREVOKED = `
  select app_id as "appId", id, kind, key_hash as "keyHash", restriction, expires_at as "expiresAt", mac
    from api_keys where app_id = $1 and id = $2 and revoked_at is null for update`;

@Injectable()
export class TypeormApiKeyRepository extends ApiKeyRepository {
  constructor(
    private readonly database: Database,
    private readonly directory: PostgresAppDirectory,
    private readonly macs: RowMacs,
  ) {
    super();
  }

  async insert(...keys: readonly ApiKey[]): Promise<void> {
    const rows = keys.map((key) => ({ ...key, mac: this.macs.of(API_KEY_MAC, { ...key, keyHash: key.hash }) }));
    await this.database.manager.insert(ApiKeySchema, rows);
  }

  async revoke(appId: AppId, id: KeyId): Promise<boolean> {
    const unrevoked = { appId, id, revokedAt: IsNull() };
    const ended = { revokedAt: () => 'now()', mac: null };
    const { affected } = await this.database.manager.update(ApiKeySchema, unrevoked, ended);
    this.directory.changed();
    return affected === 1;
  }

  async endAt(appId: AppId, id: KeyId, kind: KeyKind, at: Date): Promise<boolean> {
    const [key] = await this.database.write<MacRow>(UNREVOKED, [appId, id]);
    if (!key) return false;
    this.macs.check(API_KEY_MAC, key);
    if (key.kind !== kind) return false;
    if (key.expiresAt && key.expiresAt <= at) return true;
    const mac = this.macs.of(API_KEY_MAC, { ...key, expiresAt: at });
    await this.database.manager.update(ApiKeySchema, { appId, id }, { expiresAt: at, mac });
    this.directory.changed();
    return true;
  }

  async revokeBound(appId: AppId, userId: UserId, walletIds: readonly WalletId[]): Promise<readonly KeyId[]> {
    const revoked = await this.database.write<{ id: KeyId }>(REVOKE_BOUND, [appId, userId, walletIds]);
    if (revoked.length > 0) this.directory.changed();
    return revoked.map(({ id }) => id);
  }

  async list(appId: AppId, page: PageRequest, { kind }: { readonly kind?: KeyKind } = {}): Promise<Page<ApiKey>> {
    await this.directory.requireLive(appId);
    return pageOf(
      this.database.manager,
      ApiKey,
      { appId, revokedAt: IsNull(), ...(kind !== undefined && { kind }) },
      page,
    );
  }

  async namesOf(appId: AppId, ids: readonly string[]): Promise<readonly (readonly [id: string, name: string])[]> {
    const keys = await this.database.list<{ id: string; name: string }>(
      'select id, name from api_keys where app_id = $1 and id = any($2)',
      [appId, ids],
    );
    return keys.map(({ id, name }) => [id, name]);
  }
}
