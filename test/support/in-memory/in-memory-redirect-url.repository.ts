import { evolve } from '../../../src/kernel/entity.js';
import type { AppId, RedirectUrlId } from '../../../src/kernel/ids.js';
import type { AppRepository } from '../../../src/modules/apps/domain/app.js';
import { DuplicateRedirectUrl } from '../../../src/modules/apps/domain/apps.errors.js';
import type { Page, PageRequest } from '../../../src/kernel/paging.js';
import {
  type RedirectKind,
  type RedirectUrl,
  RedirectUrlRepository,
} from '../../../src/modules/apps/domain/redirect-url.js';
import { type InMemoryTransactions, pageOf, type Rows } from './in-memory-transactions.js';

export class InMemoryRedirectUrlRepository extends RedirectUrlRepository {
  private readonly rows: Rows<RedirectUrl>;

  constructor(
    transactions: InMemoryTransactions,
    private readonly apps: AppRepository,
  ) {
    super();
    this.rows = transactions.rows<RedirectUrl>();
  }

  async insert(redirectUrl: RedirectUrl): Promise<void> {
    const { appId, kind, url, isDefault } = redirectUrl;
    if (await this.has(appId, kind, url)) throw new DuplicateRedirectUrl();
    if (isDefault) {
      this.rows.change(
        (row) => row.appId === appId && row.kind === kind,
        (row) => evolve<RedirectUrl>(row, { isDefault: false }),
      );
    }
    this.rows.add(redirectUrl);
  }

  async delete(appId: AppId, id: RedirectUrlId): Promise<boolean> {
    return this.rows.remove((row) => row.appId === appId && row.id === id) > 0;
  }

  async list(
    appId: AppId,
    page: PageRequest,
    { kind }: { readonly kind?: RedirectKind } = {},
  ): Promise<Page<RedirectUrl>> {
    await this.apps.get(appId);
    return pageOf(
      this.rows.where((row) => row.appId === appId && (kind ?? row.kind) === row.kind),
      page,
    );
  }

  async has(appId: AppId, kind: RedirectKind, url: string): Promise<boolean> {
    return this.rows.one((row) => row.appId === appId && row.kind === kind && row.url === url) !== null;
  }

  async defaultOf(appId: AppId, kind: RedirectKind): Promise<string | null> {
    return this.rows.one((row) => row.appId === appId && row.kind === kind && row.isDefault)?.url ?? null;
  }
}
