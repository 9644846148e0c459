import { EntitySchema, type FindOneOptions, ILike, IsNull } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { type DataOf, evolve } from '../../../kernel/entity.js';
import { App, type AppFilter, AppRepository } from '../domain/app.js';
import type { AppId } from '../../../kernel/ids.js';
import { assertUnaltered, type MacTable, RowMacs, unalteredPage } from '../../../kernel/row-macs.js';
import { Database } from '../../../postgres/database.js';
import { type AppMacs, MESSAGES_MAC, SETTINGS_MAC, SIGNING_MAC } from '../domain/app-macs.js';
import { AppNotFound } from '../domain/apps.errors.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import { pageOf } from '../../../postgres/page-of.js';
import { PostgresAppDirectory } from './postgres-app-directory.js';

export const AppSchema = new EntitySchema<App & AppMacs>({
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
    mac: { type: 'bytea', nullable: true },
    messagesMac: { type: 'bytea', name: 'messages_mac', nullable: true },
    signingMac: { type: 'bytea', name: 'signing_mac', nullable: true },
  },
});

const HOLD = 'select from apps where id = $1 and deleted_at is null for key share';
const LOCK_IN_FORCE = 'select lock_rules_in_force($1) as ids';

/** A locked app with its MACs as they were verified. */
type Locked = Pick<App, 'id'> & Partial<AppMacs>;

const settingsRow = (app: App) => ({ ...app, settings: app.moduleSettings });

const ownMacs = (app: App): (readonly [MacTable, object])[] => [
  [SETTINGS_MAC, settingsRow(app)],
  [MESSAGES_MAC, app],
];

@Injectable()
export class TypeormAppRepository extends AppRepository {
  constructor(
    private readonly database: Database,
    private readonly directory: PostgresAppDirectory,
    private readonly macs: RowMacs,
  ) {
    super();
  }

  async insert(app: App): Promise<void> {
    await this.database.manager.insert(AppSchema, { ...this.stored(app), signingMac: this.signingMac(app, []) });
  }

  get(id: AppId): Promise<App> {
    return this.unaltered(id);
  }

  async hold(id: AppId): Promise<void> {
    if ((await this.database.write(HOLD, [id])).length === 0) throw new AppNotFound();
  }

  lock(id: AppId): Promise<App> {
    // The lock is not FOR UPDATE, because payments and changes of the app's objects hold the app and need not wait.
    return this.unaltered(id, { mode: 'for_no_key_update' });
  }

  async lockForDeletion(id: AppId): Promise<App> {
    const app = await this.find(id, { mode: 'pessimistic_write' });
    const mac = this.macs.verified(SETTINGS_MAC, settingsRow(app));
    // They stay with the app, so that what is stored of an altered one is altered too.
    return evolve<App & Partial<AppMacs>>(app, { mac, messagesMac: this.macs.verified(MESSAGES_MAC, app) });
  }

  async lockSigning(id: AppId): Promise<App> {
    const app = await this.lockForDeletion(id);
    const signing = { ...app, inForce: await this.lockInForce(app) };
    return evolve<App & Partial<AppMacs>>(app, { signingMac: this.macs.verified(SIGNING_MAC, signing) });
  }

  update(app: App): Promise<void> {
    return this.store(this.stored(app));
  }

  async updateSigning(app: App, { signingMac = null }: Locked = app): Promise<void> {
    const inForce = await this.lockInForce(app);
    await this.store({ ...this.stored(app), signingMac: this.signingMac({ ...app, signingMac }, inForce) });
  }

  assertUnaltered({ mac, messagesMac, signingMac }: Locked): void {
    for (const each of [mac, messagesMac, signingMac]) assertUnaltered({ mac: each });
  }

  async list(page: PageRequest, { name }: AppFilter = {}): Promise<Page<App>> {
    const where = { deletedAt: IsNull(), ...(name !== undefined && { name: ILike(`%${escaped(name)}%`) }) };
    return unalteredPage(
      page,
      (each) => pageOf(this.database.manager, AppSchema, where, each),
      (app) => this.macs.isUnaltered(SETTINGS_MAC, settingsRow(app)),
    );
  }

  async isEmpty(): Promise<boolean> {
    return !(await this.database.manager.existsBy(App, {}));
  }

  private async find(id: AppId, lock?: FindOneOptions<App>['lock']): Promise<App> {
    const where = { id, deletedAt: IsNull() };
    const app = await this.database.manager.findOne(AppSchema, { where, ...(lock && { lock }) });
    if (!app) throw new AppNotFound();
    return app;
  }

  private async unaltered(id: AppId, lock?: FindOneOptions<App>['lock']): Promise<App> {
    const app = await this.find(id, lock);
    for (const [table, row] of ownMacs(app)) this.macs.check(table, row);
    return app;
  }

  private async store({ id, ...changes }: Pick<App, 'id'> & Partial<DataOf<App> & AppMacs>): Promise<void> {
    // Citus does not let an update set the column that decides the node.
    await this.database.manager.update(AppSchema, { id }, changes);
    this.directory.changed();
  }

  /** Its `signingMac` stays as it is stored. */
  private stored(app: App): DataOf<App> & Omit<AppMacs, 'signingMac'> {
    const { signingMac: _, ...row } = app as App & Partial<AppMacs>;
    const mac = app.deletedAt ? null : this.macs.of(SETTINGS_MAC, settingsRow(app));
    return { ...row, mac, messagesMac: mac && this.macs.of(MESSAGES_MAC, app) };
  }

  private signingMac(app: DataOf<App> & Partial<AppMacs>, inForce: readonly string[]): Buffer {
    return this.macs.of(SIGNING_MAC, { ...app, inForce });
  }

  private async lockInForce({ id }: App): Promise<readonly string[]> {
    return (await this.database.write<{ ids: string[] }>(LOCK_IN_FORCE, [id]))[0]!.ids;
  }
}

/** Wildcards of LIKE stand for themselves. */
function escaped(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
