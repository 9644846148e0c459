import { Injectable } from '@nestjs/common';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { Transactions } from '../../../kernel/transactions.js';
import { PURPOSES } from '../domain/api-key.js';
import { AppRepository } from '../domain/app.repository.js';
import { FirstStartSettings } from '../domain/first-start-settings.js';
import { ManagementKeyRepository } from '../domain/management-key.repository.js';
import { CreateDemoApp, type DemoApp } from './create-demo-app.js';
import { CreateManagementKey } from './create-management-key.js';

/**
 * Creates the first keys and the demo app in an empty database, and prints the keys once on standard output: they are
 * stored nowhere.
 */
@Injectable()
export class FirstStart {
  constructor(
    private readonly settings: FirstStartSettings,
    private readonly managementKeys: ManagementKeyRepository,
    private readonly apps: AppRepository,
    private readonly createManagementKey: CreateManagementKey,
    private readonly createDemoApp: CreateDemoApp,
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
        nodeEnv === 'development' && (await this.apps.isEmpty())
          ? await this.createDemoApp.execute({ actor: 'first_start', requestId: null })
          : undefined;
      return { own, demo };
    });
    if (made.own || made.demo) process.stdout.write(this.announcement(made));
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
