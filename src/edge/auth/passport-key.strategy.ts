import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import passport from 'passport';
import { AppAuthenticator, type AuthenticatedApp, type ManagementCaller } from './app-authenticator.js';
import { bearerToken, queryParameter } from './key-in-request.js';
import { ManagementCookie } from './management-cookie.js';

type Verify = (request: Request, options: unknown, done: (error: unknown, caller?: object | null) => void) => void;
type Recognised<Caller> = Caller | null | Promise<Caller | null>;

let instances = 0;

class RequestStrategy extends passport.Strategy {
  // Passport's registry is global to the process, and tests run several applications in one process.
  override readonly name = `key-${++instances}`;

  constructor(readonly verify: Verify) {
    super();
  }

  override authenticate(this: passport.StrategyCreated<this>, request: Request, options: unknown): void {
    this.verify(request, options, (error, caller) => {
      if (error) this.error(error);
      else if (caller) this.success(caller);
      else this.fail();
    });
  }
}

/** Where a secret key may be sent besides the Authorization header. */
export interface KeyOptions {
  readonly alsoInQuery?: string;
  /** Whether the call begins a session, for which a session is not enough. */
  readonly isSignIn?: boolean;
}

/** Recognises the caller by the key in the request. An unknown key fails; a failed lookup is an error. */
export abstract class KeyStrategy extends PassportStrategy(RequestStrategy) implements OnModuleDestroy {
  override validate(request: Request, options: KeyOptions): Recognised<object> {
    const key = this.keyIn(request, options);
    return key === undefined ? null : this.callerOf(key);
  }

  abstract keyIn(request: Request, options: KeyOptions): string | undefined;

  protected abstract callerOf(key: string): Recognised<object>;

  onModuleDestroy(): void {
    passport.unuse(this.name);
  }
}

@Injectable()
export class SecretKeyStrategy extends KeyStrategy {
  constructor(private readonly keys: AppAuthenticator) {
    super();
  }

  override keyIn(request: Request, { alsoInQuery }: KeyOptions): string | undefined {
    return bearerToken(request) ?? (alsoInQuery === undefined ? undefined : queryParameter(request, alsoInQuery));
  }

  protected override callerOf(key: string): Recognised<AuthenticatedApp> {
    return this.keys.bySecretKey(key);
  }
}

@Injectable()
export class PublicTokenStrategy extends KeyStrategy {
  constructor(private readonly keys: AppAuthenticator) {
    super();
  }

  override keyIn(request: Request): string | undefined {
    return queryParameter(request, 'public_token');
  }

  protected override callerOf(key: string): Recognised<AuthenticatedApp> {
    return this.keys.byPublicToken(key);
  }
}

@Injectable()
export class ManagementKeyStrategy extends KeyStrategy {
  constructor(
    private readonly keys: AppAuthenticator,
    private readonly cookie: ManagementCookie,
  ) {
    super();
  }

  /** With an Authorization header the cookie counts for nothing, so a wrong key is never replaced by a session. */
  override validate(request: Request, options: KeyOptions): Recognised<object> {
    if (request.headers.authorization !== undefined || options.isSignIn) return super.validate(request, options);
    const token = this.cookie.tokenIn(request);
    return token === undefined ? null : this.keys.byManagementSession(token);
  }

  override keyIn(request: Request): string | undefined {
    return bearerToken(request);
  }

  protected override callerOf(key: string): Recognised<ManagementCaller> {
    return this.keys.byManagementKey(key);
  }
}
