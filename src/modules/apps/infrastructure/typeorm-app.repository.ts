import { Injectable } from '@nestjs/common';
import { type FindOneOptions, ILike, IsNull } from 'typeorm';
import type { AppId } from '../../../kernel/ids.js';
import { Database } from '../../../postgres/database.js';
import { App } from '../domain/app.js';
import { type AppFilter, AppRepository } from '../domain/app.repository.js';
import { AppNotFound } from '../domain/apps.errors.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import { pageOf } from '../../../postgres/page-of.js';
import { PostgresAppDirectory } from './postgres-app-directory.js';

@Injectable()
export class TypeormAppRepository extends AppRepository {
  constructor(
    private readonly database: Database,
    private readonly directory: PostgresAppDirectory,
  ) {
    super();
  }

  async insert(app: App): Promise<void> {
    await this.database.manager.insert(App, app);
  }

  get(id: AppId): Promise<App> {
    return this.find(id);
  }

  hold(id: AppId): Promise<App> {
    return this.find(id, { mode: 'for_key_share' });
  }

  lock(id: AppId): Promise<App> {
    // The lock is not FOR UPDATE, because payments and changes of the app's objects hold the app and need not wait.
    return this.find(id, { mode: 'for_no_key_update' });
  }

  lockForDeletion(id: AppId): Promise<App> {
    return this.find(id, { mode: 'pessimistic_write' });
  }

  async update(app: App): Promise<void> {
    await this.database.manager.update(App, { id: app.id }, app);
    this.directory.changed();
  }

  list(page: PageRequest, { name }: AppFilter = {}): Promise<Page<App>> {
    const where = { deletedAt: IsNull(), ...(name !== undefined && { name: ILike(`%${escaped(name)}%`) }) };
    return pageOf(this.database.manager, App, where, page);
  }

  async isEmpty(): Promise<boolean> {
    return !(await this.database.manager.existsBy(App, {}));
  }

  private async find(id: AppId, lock?: FindOneOptions<App>['lock']): Promise<App> {
    const app = await this.database.manager.findOne(App, { where: { id, deletedAt: IsNull() }, ...(lock && { lock }) });
    if (!app) throw new AppNotFound();
    return app;
  }
}

/** Wildcards of LIKE stand for themselves. */
function escaped(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
