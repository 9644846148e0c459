import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { DomainError } from '../../../kernel/domain-error.js';
import type { AppId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import { ApiKeyRepository } from '../domain/api-key.js';
import { App, type AppChanges, AppRepository } from '../domain/app.js';
import type { AppMode } from '../domain/app-mode.js';
import { AppCreated, AppUpdated, AppDeleted } from '../domain/apps.events.js';
import { AuditLog } from '../domain/audit-log.js';
import { type AskedChange, ModuleSettings } from '../domain/module-settings.js';
import { REDIRECT_KINDS } from '../domain/redirect-url.js';
import { ManageApiKeys } from './manage-api-keys.js';
import { ManageRedirectUrls } from './manage-redirect-urls.js';

/** An app with the plaintext of its first keys, which are shown only once. */
export interface CreatedApp {
  readonly app: App;
  readonly secretKey: string;
  readonly publicToken: string;
}

export interface DemoApp extends CreatedApp {
  readonly redirectUrl: string;
}

const ORIGIN = 'http://localhost:3001';
const DEMO_REDIRECT_URL = `${ORIGIN}/login`;
const DEMO = { name: 'Demo', allowedOrigins: [ORIGIN], approverPasskeyHours: 0 };

@Injectable()
export class ManageApps {
  constructor(
    private readonly apps: AppRepository,
    private readonly keys: ApiKeyRepository,
    private readonly manageKeys: ManageApiKeys,
    private readonly manageRedirectUrls: ManageRedirectUrls,
    private readonly auditLog: AuditLog,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    private readonly moduleSettings: ModuleSettings,
  ) {}

  /** `id` is for the demo app, because the examples of the API document name it. */
  async create(
    by: Requester,
    mode: AppMode,
    settings: AppChanges & { readonly name: string },
    id?: AppId,
  ): Promise<CreatedApp> {
    const app = App.create(mode, settings, this.clock.now(), id);
    const secret = this.manageKeys.prepare(app, { kind: 'secret', name: 'First secret key', expiresAt: null });
    const publicToken = this.manageKeys.prepare(app, { kind: 'public', name: 'First public token', expiresAt: null });
    await this.transactions.run(async () => {
      const refusal = await this.moduleSettings.refusalOf({ by, appId: app.id }, null, app);
      if (refusal) throw refusal;
      await this.apps.insert(app);
      await this.keys.insert(secret.key, publicToken.key);
      await this.auditLog.add(by, app.id, 'app.created', app.id);
      await this.events.publish(new AppCreated(app.id, app.mode));
    });
    return { app, secretKey: secret.text, publicToken: publicToken.text };
  }

  createDemo(by: Requester, id?: AppId): Promise<DemoApp> {
    return this.transactions.run(async () => {
      const created = await this.create(by, 'test', DEMO, id);
      await this.addDemoRedirectUrls(by, created.app.id);
      return { ...created, redirectUrl: DEMO_REDIRECT_URL };
    });
  }

  /** Gives the demo app, whose objects were removed, its first settings again. If it was deleted, it and its keys are valid again. */
  renewDemo(by: Requester, id: AppId): Promise<void> {
    return this.transactions.run(async () => {
      await this.apps.updateSigning(App.create('test', DEMO, this.clock.now(), id));
      await this.addDemoRedirectUrls(by, id);
      await this.auditLog.add(by, id, 'app.updated', id);
      await this.events.publish(new AppUpdated(id));
    });
  }

  private async addDemoRedirectUrls(by: Requester, appId: AppId): Promise<void> {
    for (const kind of REDIRECT_KINDS)
      await this.manageRedirectUrls.register(by, appId, { url: DEMO_REDIRECT_URL, kind, isDefault: true });
  }

  async update(asked: AskedChange, changes: AppChanges): Promise<App> {
    const { by, appId } = asked;
    const changed = await this.transactions.run(async () => {
      const before = await this.apps.lock(appId);
      const app = before.change(changes, this.clock.now());
      const refusal = await this.moduleSettings.refusalOf(asked, before, app);
      if (refusal) return refusal;
      await this.apps.update(app);
      const { moduleSettings = {}, ...own } = changes;
      await this.auditLog.add(by, appId, 'app.updated', appId, [...Object.keys(own), ...Object.keys(moduleSettings)]);
      await this.events.publish(new AppUpdated(appId));
      return app;
    });
    if (changed instanceof DomainError) throw changed;
    return changed;
  }

  /** Sealed values stay behind a tombstone. A module that still needs the app refuses the deletion. */
  delete(by: Requester, appId: AppId): Promise<void> {
    return this.transactions.run(
      async () => {
        const app = await this.apps.lockForDeletion(appId);
        await this.events.publish(new AppDeleted(appId));
        await this.apps.update(app.delete(this.clock.now()));
        await this.auditLog.add(by, appId, 'app.deleted', appId);
      },
      // The deletion holds the lock of the app, for which its confirmations wait.
      { signs: true },
    );
  }
}
