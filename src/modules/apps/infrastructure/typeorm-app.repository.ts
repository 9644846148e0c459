import { EntitySchema, type FindOneOptions, ILike, IsNull } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { App, type AppFilter, AppRepository } from '../domain/app.js';
import type { AppId } from '../../../kernel/ids.js';
import { Database } from '../../../postgres/database.js';
import { AppNotFound } from '../domain/apps.errors.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import { pageOf } from '../../../postgres/page-of.js';
import { PostgresAppDirectory } from './postgres-app-directory.js';

export const AppSchema = new EntitySchema<App>({
  name: 'App',
  target: App,
  tableName: 'apps',
  columns: {
    id: { type: 'text', primary: true },
    name: { type: 'text' },
    mode: { type: 'text' },
    defaultWalletType: { type: 'text', name: 'default_wallet_type' },
    allowedOrigins: { type: 'text', name: 'allowed_origins', array: true },
    limits: { type: 'jsonb' },
    messages: { type: 'jsonb', default: {} },
    assets: { type: 'jsonb', default: [] },
    networks: { type: 'text', array: true, nullable: true },
    transferPolicy: { type: 'jsonb', name: 'transfer_policy', default: {} },
    signingPolicy: { type: 'jsonb', name: 'signing_policy', default: {} },
    acceptConfirmed: { type: 'jsonb', name: 'accept_confirmed', default: {} },
    oauthBegin: { type: 'text', name: 'oauth_begin', default: 'any' },
    stepUp: { type: 'jsonb', name: 'step_up', default: {} },
    approverPasskeyHours: { type: 'int', name: 'approver_passkey_hours', nullable: true },
    moduleSettings: { type: 'jsonb', name: 'settings', default: {} },
    signingRevision: { type: 'text', name: 'signing_revision', default: '' },
    frozenAt: { type: 'timestamptz', name: 'frozen_at', nullable: true },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    updatedAt: { type: 'timestamptz', name: 'updated_at' },
    deletedAt: { type: 'timestamptz', name: 'deleted_at', nullable: true },
  },
});

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
    // Citus does not let an update set the column that decides the node.
    const { id, ...changes } = app;
    await this.database.manager.update(App, { id }, changes);
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
