import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { AppId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/outbox.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { App, type AppChanges } from '../domain/app.js';
import type { AppMode } from '../domain/app-mode.js';
import { AppRepository } from '../domain/app.repository.js';
import { AppCreated } from '../domain/apps.events.js';
import { AuditLog } from '../domain/audit-log.js';
import { IssueKey } from './issue-key.js';

/** An app with the plaintext of its first keys, which are shown only once. */
export interface CreatedApp {
  readonly app: App;
  readonly secretKey: string;
  readonly publicToken: string;
}

/** Makes an app, its first secret key and its first public token. */
@Injectable()
export class CreateApp {
  constructor(
    private readonly apps: AppRepository,
    private readonly keys: ApiKeyRepository,
    private readonly issueKey: IssueKey,
    private readonly auditLog: AuditLog,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /** `id` is given for the demo app, because the examples of the API document name it. */
  async execute(
    by: Requester,
    mode: AppMode,
    settings: AppChanges & { readonly name: string },
    id?: AppId,
  ): Promise<CreatedApp> {
    const app = App.create(mode, settings, this.clock.now(), id);
    const secret = this.issueKey.prepare(app, { kind: 'secret', name: 'First secret key', expiresAt: null });
    const publicToken = this.issueKey.prepare(app, { kind: 'public', name: 'First public token', expiresAt: null });
    await this.transactions.run(async () => {
      await this.apps.insert(app);
      await this.keys.insert(secret.key, publicToken.key);
      await this.auditLog.add(by, app.id, 'app.created', app.id);
      await this.events.publish(new AppCreated(app.id, app.mode));
    });
    return { app, secretKey: secret.text, publicToken: publicToken.text };
  }
}
