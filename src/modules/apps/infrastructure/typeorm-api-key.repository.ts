import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import type { AppId, KeyId } from '../../../kernel/ids.js';
import { Database } from '../../../postgres/database.js';
import { ApiKey, type KeyKind } from '../domain/api-key.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import { pageOf } from '../../../postgres/page-of.js';
import { PostgresAppDirectory } from './postgres-app-directory.js';

@Injectable()
export class TypeormApiKeyRepository extends ApiKeyRepository {
  constructor(
    private readonly database: Database,
    private readonly directory: PostgresAppDirectory,
  ) {
    super();
  }

  async insert(...keys: readonly ApiKey[]): Promise<void> {
    await this.database.manager.insert(ApiKey, [...keys]);
  }

  async revoke(appId: AppId, id: KeyId): Promise<boolean> {
    const unrevoked = { appId, id, revokedAt: IsNull() };
    const { affected } = await this.database.manager.update(ApiKey, unrevoked, { revokedAt: () => 'now()' });
    this.directory.changed();
    return affected === 1;
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
}
