import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
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
    private readonly transactions: Transactions,
  ) {}

  /** `id` is given for the app of a development start, because the examples of the API document name it. */
  execute(by: Requester, id?: AppId): Promise<DemoApp> {
    const redirectUrl = `${ORIGIN}/login`;
    return this.transactions.run(async () => {
      const created = await this.createApp.execute(by, 'test', { name: 'Demo', allowedOrigins: [ORIGIN] }, id);
      for (const kind of REDIRECT_KINDS) {
        await this.registerRedirectUrl.execute(by, created.app.id, { url: redirectUrl, kind, isDefault: true });
      }
      return { ...created, redirectUrl };
    });
  }
}
