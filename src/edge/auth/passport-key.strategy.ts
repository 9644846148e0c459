import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import passport from 'passport';
import type { AppAuthenticator } from './credential.js';
import type { AuthenticatedApp, ManagementCaller } from '../http/authenticated-request.js';
import { bearerToken, queryParameter } from './refused-key.js';
import type { ManagementCookie } from './management-cookie.js';

/** Passport knows strategies by name in the whole process: one that kept these objects would serve another application. */
export interface PassedByGuard {
  readonly keys: AppAuthenticator;
  readonly cookie: ManagementCookie;
  /** A session is not enough to begin a session. */
  readonly isSignIn: boolean;
}

type Verify = (request: Request, passed: PassedByGuard, done: (error: unknown, caller?: object | null) => void) => void;
type Recognised<Caller> = Caller | null | Promise<Caller | null>;

/** An unknown key fails, a failed lookup is an error. */
class KeyStrategy extends passport.Strategy {
  constructor(readonly verify: Verify) {
    super();
  }

  override authenticate(this: passport.StrategyCreated<this>, request: Request, passed: PassedByGuard): void {
    this.verify(request, passed, (error, caller) => {
      if (error) this.error(error);
      else if (caller) this.success(caller);
      else this.fail();
    });
  }
}

@Injectable()
export class PublicTokenStrategy extends PassportStrategy(KeyStrategy, 'public-token') {
  override validate(request: Request, { keys }: PassedByGuard): Recognised<AuthenticatedApp> {
    const token = queryParameter(request, 'public_token');
    return token === undefined ? null : keys.byPublicToken(token);
  }
}

@Injectable()
export class ManagementKeyStrategy extends PassportStrategy(KeyStrategy, 'management-key') {
  /** With an Authorization header the cookie counts for nothing: a session must never replace a wrong key. */
  override validate(request: Request, { keys, cookie, isSignIn }: PassedByGuard): Recognised<ManagementCaller> {
    const key = bearerToken(request);
    if (key !== undefined) return keys.byManagementKey(key);
    const token = isSignIn ? undefined : cookie.tokenIn(request);
    return token === undefined ? null : keys.byManagementSession(token);
  }
}
