import { Injectable } from '@nestjs/common';
import { exampleId } from '../../../kernel/examples.js';
import type { AppId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import type { AppChanges } from '../domain/app.js';
import { DemoData } from '../domain/demo-data.js';
import { REDIRECT_KINDS } from '../domain/redirect-url.js';
import { CreateApp, type CreatedApp } from './create-app.js';
import { RegisterRedirectUrl } from './register-redirect-url.js';

/** An app to try things with, ready to send browsers back to a program on port 3001. */
export interface DemoApp extends CreatedApp {
  readonly redirectUrl: string;
}

const ORIGIN = 'http://localhost:3001';

/** Makes an app in test mode with everything set for a program on port 3001 of this machine. */
@Injectable()
export class CreateDemoApp {
  constructor(
    private readonly createApp: CreateApp,
    private readonly registerRedirectUrl: RegisterRedirectUrl,
    private readonly demoData: DemoData,
    private readonly transactions: Transactions,
  ) {}

  execute(by: Requester): Promise<DemoApp> {
    return this.create(by, {});
  }

  /** With the objects that the examples of the API document name, for an empty database in development. */
  withExamples(by: Requester): Promise<DemoApp> {
    return this.transactions.run(async () => {
      const id = exampleId('app');
      const demo = await this.create(by, { moduleSettings: this.demoData.moduleSettings }, id);
      await this.demoData.addTo(id);
      return demo;
    });
  }

  private create(by: Requester, settings: AppChanges, id?: AppId): Promise<DemoApp> {
    const redirectUrl = `${ORIGIN}/login`;
    return this.transactions.run(async () => {
      const demo = { name: 'Demo', allowedOrigins: [ORIGIN], ...settings };
      const created = await this.createApp.execute(by, 'test', demo, id);
      for (const kind of REDIRECT_KINDS) {
        await this.registerRedirectUrl.execute(by, created.app.id, { url: redirectUrl, kind, isDefault: true });
      }
      return { ...created, redirectUrl };
    });
  }
}
