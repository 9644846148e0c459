import { Injectable } from '@nestjs/common';
import { exampleId } from '../../../kernel/examples.js';
import type { AppId } from '../../../kernel/ids.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { Transactions } from '../../../kernel/transactions.js';
import { PURPOSES } from '../domain/api-key.js';
import { AppRepository } from '../domain/app.js';
import { AppNotFound } from '../domain/apps.errors.js';
import { FirstStartSettings } from '../domain/first-start-settings.js';
import { ManagementKeyRepository } from '../domain/management-key.repository.js';
import { type DemoApp, ManageApps } from './manage-apps.js';
import { ManagementKeys } from './management-keys.js';

const NEW_KEYS = [
  '# The keys were shown at the first start. For new ones:',
  '#   npm run cli -- create-key --app app_…',
  '#   npm run cli -- create-management-key',
];
const DEVELOPMENT = [
  '# First login:  README.md, "The shortest login: two calls"',
  '# Demo data as it was at first:        npm run cli -- demo reset',
  '# Fund a wallet on the local Ethereum: npm run cli -- fund <address> <amount>',
];
const BY_FIRST_START = { actor: 'first_start', requestId: null, ip: null };

/** Prints the first keys once on standard output, because their text is stored nowhere. */
@Injectable()
export class FirstStart {
  constructor(
    private readonly settings: FirstStartSettings,
    private readonly storedKeys: ManagementKeyRepository,
    private readonly apps: AppRepository,
    private readonly managementKeys: ManagementKeys,
    private readonly manageApps: ManageApps,
    private readonly tokens: SecretTokens,
    private readonly transactions: Transactions,
  ) {}

  /** Call it at every start. The credentials of the demo user are public, so production must not have the demo app. */
  async refuseDemoApp(): Promise<void> {
    if (this.settings.nodeEnv !== 'production') return;
    const id = exampleId('app');
    try {
      await this.apps.get(id);
    } catch (error) {
      if (error instanceof AppNotFound) return;
      throw error;
    }
    throw new Error(
      `The database has the demo app of a development start (${id}), and the credentials of its user are public. ` +
        'Delete the app with NODE_ENV=development, or use another database.',
    );
  }

  /** Call it at every start, after the migrations. */
  async adoptKey(): Promise<void> {
    const { managementKey } = this.settings;
    if (!managementKey) return;
    await this.transactions.run(async () => {
      await this.storedKeys.lockFirstStart();
      await this.storedKeys.adopt(this.tokens.hash(PURPOSES.management, managementKey));
    });
  }

  /** Call it once the service listens, so that a start that fails spends no keys. `addObjects` runs in the demo app's transaction. */
  async run(addObjects?: (appId: AppId) => Promise<void>): Promise<void> {
    const { managementKey, nodeEnv } = this.settings;
    const made = await this.transactions.run(async () => {
      await this.storedKeys.lockFirstStart();
      const own =
        !managementKey && (await this.storedKeys.isEmpty())
          ? await this.managementKeys.create(BY_FIRST_START, { name: 'First start', role: 'owner', expiresAt: null })
          : undefined;
      const demo =
        nodeEnv === 'development' && (await this.apps.isEmpty())
          ? await this.manageApps.createDemo(BY_FIRST_START, exampleId('app'))
          : undefined;
      if (demo) await addObjects?.(demo.app.id);
      return { own: own?.key, demo };
    });
    if (made.own || made.demo || nodeEnv === 'development') process.stdout.write(this.announcement(made));
  }

  private announcement({ own, demo }: { own?: string; demo?: DemoApp }): string {
    const { baseUrl } = this.settings;
    const keys = [];
    if (demo) keys.push(`export APP=${demo.app.id} SECRET=${demo.secretKey} PUBLIC=${demo.publicToken}`);
    if (own) keys.push(`export MANAGEMENT=${own}`);
    const rule = `# ${'-'.repeat(78)}`;
    return [
      '',
      rule,
      ...(keys.length > 0 ? ['# Keep these keys: they are shown this once. Paste the lines into a shell.'] : []),
      `export S=${baseUrl}`,
      ...keys,
      ...(keys.length > 0 ? [] : NEW_KEYS),
      ...(this.settings.nodeEnv === 'development' ? [`# See it:       ${baseUrl}/demo`] : []),
      `# Try a call:   ${baseUrl}/docs`,
      `# Guide:        ${baseUrl}/guide`,
      `# Reference:    ${baseUrl}/reference`,
      `# Console:      ${baseUrl}/console (its password is the management key)`,
      ...(this.settings.nodeEnv === 'development' ? DEVELOPMENT : []),
      ...(demo ? [`# The demo app sends browsers to ${demo.redirectUrl}`] : []),
      rule,
      '',
      '',
    ].join('\n');
  }
}
