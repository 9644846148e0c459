import type { AppId } from '../../../src/kernel/ids.js';
import { type App, type AppFilter, AppRepository } from '../../../src/modules/apps/domain/app.js';
import { AppNotFound } from '../../../src/modules/apps/domain/apps.errors.js';
import type { Page, PageRequest } from '../../../src/kernel/paging.js';
import { type InMemoryTransactions, pageOf, type Rows } from './in-memory-transactions.js';

export class InMemoryAppRepository extends AppRepository {
  private readonly rows: Rows<App>;

  constructor(transactions: InMemoryTransactions) {
    super();
    this.rows = transactions.rows<App>();
  }

  async insert(app: App): Promise<void> {
    this.rows.add(app);
  }

  async get(id: AppId): Promise<App> {
    const app = this.rows.one((row) => row.id === id && row.deletedAt === null);
    if (!app) throw new AppNotFound();
    return app;
  }

  /** Transactions run one after another: every row is free. */
  hold(id: AppId): Promise<App> {
    return this.get(id);
  }

  lock(id: AppId): Promise<App> {
    return this.get(id);
  }

  lockForDeletion(id: AppId): Promise<App> {
    return this.get(id);
  }

  async update(app: App): Promise<void> {
    this.rows.change(
      ({ id }) => id === app.id,
      () => app,
    );
  }

  async list(page: PageRequest, { name: part = '' }: AppFilter = {}): Promise<Page<App>> {
    return pageOf(
      this.rows.where(({ deletedAt, name }) => deletedAt === null && name.toLowerCase().includes(part.toLowerCase())),
      page,
    );
  }

  async isEmpty(): Promise<boolean> {
    return this.rows.where(() => true).length === 0;
  }

  /** Whether the app exists or existed. */
  everExisted(appId: AppId): boolean {
    return this.rows.one(({ id }) => id === appId) !== null;
  }
}
