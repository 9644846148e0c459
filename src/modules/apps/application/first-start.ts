import { Injectable } from '@nestjs/common';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { Transactions } from '../../../kernel/transactions.js';
import { PURPOSES } from '../domain/api-key.js';
import { AppRepository } from '../domain/app.repository.js';
import type { Requester } from '../domain/audit-log.js';
import { FirstStartSettings } from '../domain/first-start-settings.js';
import { ManagementKeyRepository } from '../domain/management-key.repository.js';
import { CreateApp, type CreatedApp } from './create-app.js';
import { CreateManagementKey } from './create-management-key.js';
import { RegisterRedirectUrl } from './register-redirect-url.js';

/** An app to try things with, ready to send browsers back to a program on port 3001. */
export interface DemoApp extends CreatedApp {
  readonly redirectUrl: string;
}

const DEMO_ORIGIN = 'http://localhost:3001';

/** Makes what an empty database lacks, and tells the new keys once on standard output: they are stored nowhere. */
@Injectable()
export class FirstStart {
  constructor(
    private readonly settings: FirstStartSettings,
    private readonly managementKeys: ManagementKeyRepository,
    private readonly apps: AppRepository,
    private readonly createManagementKey: CreateManagementKey,
    private readonly createApp: CreateApp,
    private readonly registerRedirectUrl: RegisterRedirectUrl,
    private readonly tokens: SecretTokens,
    private readonly transactions: Transactions,
  ) {}

  /**
   * To be called at every start, after the migrations. The environment's management key becomes the valid one; without
   * one, the first replica of a new installation makes one. In development an installation without apps gets a demo app.
   */
  async run(): Promise<void> {
    const { managementKey, nodeEnv } = this.settings;
    const made = await this.transactions.run(async () => {
      await this.managementKeys.lockFirstStart();
      const isNew = await this.managementKeys.isEmpty();
      if (managementKey) await this.managementKeys.adopt(this.tokens.hash(PURPOSES.management, managementKey));
      const own = isNew && !managementKey ? (await this.createManagementKey.execute('First start')).key : undefined;
      const demo =
        nodeEnv === 'development' && (await this.apps.isEmpty()) ? await this.makeDemoApp('first_start') : undefined;
      return { own, demo };
    });
    if (made.own || made.demo) process.stdout.write(this.announcement(made));
  }

  /** Makes a demo app and its redirect URLs. */
  makeDemoApp(actor: string): Promise<DemoApp> {
    const by: Requester = { actor, requestId: null };
    const redirectUrl = `${DEMO_ORIGIN}/login`;
    return this.transactions.run(async () => {
      const created = await this.createApp.execute(by, 'test', { name: 'Demo', allowedOrigins: [DEMO_ORIGIN] });
      for (const kind of ['login', 'registration', 'invite'] as const) {
        await this.registerRedirectUrl.execute(by, created.app.id, { url: redirectUrl, kind, isDefault: true });
      }
      return { ...created, redirectUrl };
    });
  }

  private announcement({ own, demo }: { own?: string; demo?: DemoApp }): string {
    const lines: [string, string][] = [];
    if (demo) {
      lines.push(['App', demo.app.id], ['Secret key', demo.secretKey], ['Public token', demo.publicToken]);
      lines.push(['Redirect URL', demo.redirectUrl]);
    }
    if (own) lines.push(['Management key', own]);
    lines.push(['Try it', `${this.settings.baseUrl}/docs`]);
    const rows = lines.map(([label, value]) => `  ${label.padEnd(16)}${value}`);
    const rule = '-'.repeat(Math.max(...rows.map(({ length }) => length)) + 2);
    return `\n${rule}\n  Keep these keys: they are shown this once.\n\n${rows.join('\n')}\n${rule}\n\n`;
  }
}
