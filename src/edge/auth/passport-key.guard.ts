import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { Response } from 'express';
import { rolesFor } from '../../kernel/management-role.js';
import { CallRates } from '../limits/call-rates.js';
import { StepUpRequired } from '../../kernel/step-up-required.js';
import { AppAuthenticator, type Credential, CREDENTIAL } from './credential.js';
import type { AuthenticatedRequest, ManagementCaller } from '../http/authenticated-request.js';
import { MissingRole } from '../errors/edge-errors.js';
import { bearerToken, queryParameter, refusalOf } from './refused-key.js';
import { ManagementCookie } from './management-cookie.js';
import type { PassedByGuard } from './passport-key.strategy.js';

const PROOF_SECONDS = 600;

@Injectable()
export class PublicTokenGuard extends AuthGuard('public-token') {
  constructor(
    private readonly keys: AppAuthenticator,
    private readonly rates: CallRates,
  ) {
    super({ property: 'app_' });
  }

  override getAuthenticateOptions(): Pick<PassedByGuard, 'keys'> {
    return { keys: this.keys };
  }

  /** A public token is no secret, so every call counts for the caller's network. */
  override async canActivate(context: ExecutionContext): Promise<true> {
    const request = requestOf(context);
    this.rates.takeForNetwork(request, responseOf(context));
    await super.canActivate(context);
    if (!request.app_) throw await refusalOf(request, queryParameter(request, 'public_token'), 'public', this.keys);
    request.appId = request.app_.id;
    return true;
  }

  override handleRequest = callerOrNone;
}

@Injectable()
export class ManagementKeyGuard extends AuthGuard('management-key') {
  constructor(
    private readonly keys: AppAuthenticator,
    private readonly cookie: ManagementCookie,
    private readonly rates: CallRates,
    private readonly reflector: Reflector,
  ) {
    super({ property: 'managementCaller' });
  }

  override getAuthenticateOptions(context: ExecutionContext): PassedByGuard {
    return { keys: this.keys, cookie: this.cookie, isSignIn: this.requiredBy(context).isSignIn ?? false };
  }

  override async canActivate(context: ExecutionContext): Promise<true> {
    const request = requestOf(context);
    await super.canActivate(context);
    if (!request.managementCaller) {
      this.rates.takeForNetwork(request, responseOf(context));
      throw await refusalOf(request, bearerToken(request), 'management', this.keys);
    }
    const { role, needsProof } = this.requiredBy(context);
    if (!rolesFor(role).includes(request.managementCaller.role)) throw new MissingRole(role);
    if (needsProof) this.requireProof(request.managementCaller);
    return true;
  }

  override handleRequest = callerOrNone;

  /** A call with the key itself is a new proof. */
  private requireProof({ session }: ManagementCaller): void {
    if (session === null) return;
    if ((session.provedSecondsAgo ?? Infinity) > PROOF_SECONDS)
      throw new StepUpRequired('Prove again who you are: sign in at the OpenID provider, or send the management key.');
  }

  private requiredBy(context: ExecutionContext): Credential & { kind: 'management' } {
    return this.reflector.get(CREDENTIAL, context.getHandler());
  }
}

/** `canActivate` refuses an unknown key: Passport's own refusal would not say whether the key is of another kind. */
function callerOrNone<Caller>(error: unknown, caller: Caller): Caller {
  if (error) throw error as Error;
  return (caller || undefined) as Caller;
}

function requestOf(context: ExecutionContext): AuthenticatedRequest {
  return context.switchToHttp().getRequest<AuthenticatedRequest>();
}

function responseOf(context: ExecutionContext): Response {
  return context.switchToHttp().getResponse<Response>();
}
