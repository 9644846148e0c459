import { evolve } from '../../../src/kernel/entity.js';
import type { AppId, KeyId } from '../../../src/kernel/ids.js';
import { type ApiKey, type KeyKind, ApiKeyRepository } from '../../../src/modules/apps/domain/api-key.js';
import type { AppRepository } from '../../../src/modules/apps/domain/app.js';
import type { Page, PageRequest } from '../../../src/kernel/paging.js';
import { type InMemoryTransactions, pageOf, type Rows } from './in-memory-transactions.js';

export class InMemoryApiKeyRepository extends ApiKeyRepository {
  private readonly rows: Rows<ApiKey>;

  constructor(
    transactions: InMemoryTransactions,
    private readonly apps: AppRepository,
  ) {
    super();
    this.rows = transactions.rows<ApiKey>();
  }

  async insert(...keys: readonly ApiKey[]): Promise<void> {
    this.rows.add(...keys);
  }

  async revoke(appId: AppId, id: KeyId): Promise<boolean> {
    const isLive = (key: ApiKey): boolean => key.appId === appId && key.id === id && key.revokedAt === null;
    return this.rows.change(isLive, (key) => evolve<ApiKey>(key, { revokedAt: new Date() })) > 0;
  }

  async list(appId: AppId, page: PageRequest, { kind }: { readonly kind?: KeyKind } = {}): Promise<Page<ApiKey>> {
    await this.apps.get(appId);
    return pageOf(
      this.rows.where((key) => key.appId === appId && key.revokedAt === null && (kind ?? key.kind) === key.kind),
      page,
    );
  }

  async namesOf(appId: AppId, ids: readonly string[]): Promise<readonly (readonly [id: string, name: string])[]> {
    return this.rows.where((key) => key.appId === appId && ids.includes(key.id)).map(({ id, name }) => [id, name]);
  }
}
