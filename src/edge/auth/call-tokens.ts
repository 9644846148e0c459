import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { AuthenticatedApp } from '../http/authenticated-request.js';

/** The proof that a caller has the key to which its token is bound (RFC 9449), with the call for which it must be made. */
export interface Proof {
  readonly jwt: string;
  readonly method: string;
  /** Below the base URL. */
  readonly path: string;
}

function proofIn({ headers, method, originalUrl }: Request): Proof | null {
  if (!/^dpop /i.test(headers.authorization ?? '')) return null;
  return { jwt: String(headers['dpop'] ?? ''), method, path: originalUrl };
}

/** Access tokens are accepted on `/v1` like restricted keys. */
export interface TokenAuthenticator {
  /** Null for a text that is no access token for this service, one that has ended, or one that came without the proof that it needs. */
  find(token: string, proof: Proof | null): Promise<AuthenticatedApp | null>;
  commitOnlyIfValid(app: AuthenticatedApp): void;
}

/** The module that issues access tokens registers when it starts. */
@Injectable()
export class CallTokens {
  private authenticator: TokenAuthenticator | undefined;

  register(authenticator: TokenAuthenticator): void {
    this.authenticator = authenticator;
  }

  async find(token: string, request: Request): Promise<AuthenticatedApp | null> {
    return (await this.authenticator?.find(token, proofIn(request))) ?? null;
  }

  commitOnlyIfValid(app: AuthenticatedApp): void {
    this.authenticator!.commitOnlyIfValid(app);
  }
}
