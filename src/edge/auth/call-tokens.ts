import { Injectable } from '@nestjs/common';
import type { AuthenticatedApp } from './credential.js';

/** Access tokens are accepted on `/v1` like restricted keys. */
export interface TokenAuthenticator {
  /** Null for a text that is no access token for this service, or one that has ended. */
  find(token: string): Promise<AuthenticatedApp | null>;
  /** See `AppAuthenticator.commitOnlyIfValid`. */
  commitOnlyIfValid(app: AuthenticatedApp): void;
}

/** The module that issues access tokens registers when it starts. */
@Injectable()
export class CallTokens {
  private authenticator: TokenAuthenticator | undefined;

  register(authenticator: TokenAuthenticator): void {
    this.authenticator = authenticator;
  }

  async find(token: string): Promise<AuthenticatedApp | null> {
    return (await this.authenticator?.find(token)) ?? null;
  }

  commitOnlyIfValid(app: AuthenticatedApp): void {
    this.authenticator!.commitOnlyIfValid(app);
  }
}
