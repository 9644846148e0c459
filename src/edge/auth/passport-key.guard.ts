import { type ExecutionContext, Injectable, UnauthorizedException } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { Response } from 'express';
import { CallRates } from '../limits/call-rates.js';
import { AppAuthenticator } from './app-authenticator.js';
import { type AuthenticatedRequest, CREDENTIAL } from './credentials.js';
import { UnauthorizedCredentials, WrongKeyKind } from './errors.js';
import {
  type KeyOptions,
  type KeyStrategy,
  ManagementKeyStrategy,
  PublicTokenStrategy,
  SecretKeyStrategy,
} from './passport-key.strategy.js';

/** Passport's guard for one strategy: leaves the caller in `property` of the request. */
abstract class KeyGuard extends AuthGuard() {
  constructor(
    private readonly strategy: KeyStrategy,
    property: keyof AuthenticatedRequest,
    private readonly keys: AppAuthenticator,
    private readonly reflector: Reflector,
  ) {
    super({ defaultStrategy: strategy.name, property });
  }

  override getAuthenticateOptions(context: ExecutionContext): KeyOptions {
    return this.reflector.get<KeyOptions>(CREDENTIAL, context.getHandler());
  }

  /** Whether the key in the request is valid for this guard. Throws when the key is malformed or cannot be looked up. */
  protected async recognises(context: ExecutionContext): Promise<boolean> {
    try {
      await super.canActivate(context);
      return true;
    } catch (error) {
      if (error instanceof UnauthorizedException) return false;
      throw error;
    }
  }

  /** 403 for a valid key of another kind, else 401. */
  protected async refusal(context: ExecutionContext, accepted: string): Promise<Error> {
    const key = this.strategy.keyIn(requestOf(context), this.getAuthenticateOptions(context));
    return key !== undefined && (await this.isValid(key)) ? new WrongKeyKind(accepted) : new UnauthorizedCredentials();
  }

  private async isValid(key: string): Promise<boolean> {
    return (
      (await this.keys.bySecretKey(key)) !== null ||
      (await this.keys.byPublicToken(key)) !== null ||
      (await this.keys.byManagementKey(key)) !== null
    );
  }
}

@Injectable()
export class SecretKeyGuard extends KeyGuard {
  constructor(
    strategy: SecretKeyStrategy,
    keys: AppAuthenticator,
    reflector: Reflector,
    private readonly rates: CallRates,
  ) {
    super(strategy, 'app_', keys, reflector);
  }

  /** Refusals count for the caller's network, so that guessed keys do not use up the rate of an app. */
  override async canActivate(context: ExecutionContext): Promise<true> {
    const [request, response] = [requestOf(context), responseOf(context)];
    if (!(await this.recognises(context))) {
      this.rates.takeForNetwork(request, response);
      throw await this.refusal(context, 'a secret key (sk_…)');
    }
    const app = request.app_!;
    request.appId = app.id;
    this.rates.takeForApp(app, response);
    return true;
  }
}

@Injectable()
export class PublicTokenGuard extends KeyGuard {
  constructor(
    strategy: PublicTokenStrategy,
    keys: AppAuthenticator,
    reflector: Reflector,
    private readonly rates: CallRates,
  ) {
    super(strategy, 'app_', keys, reflector);
  }

  /** Every call counts for the caller's network, because a public token is no secret. */
  override async canActivate(context: ExecutionContext): Promise<true> {
    const request = requestOf(context);
    this.rates.takeForNetwork(request, responseOf(context));
    if (!(await this.recognises(context))) throw await this.refusal(context, 'a public token (pk_…)');
    request.appId = request.app_!.id;
    return true;
  }
}

@Injectable()
export class ManagementKeyGuard extends KeyGuard {
  constructor(
    strategy: ManagementKeyStrategy,
    keys: AppAuthenticator,
    reflector: Reflector,
    private readonly rates: CallRates,
  ) {
    super(strategy, 'managementCaller', keys, reflector);
  }

  override async canActivate(context: ExecutionContext): Promise<true> {
    if (await this.recognises(context)) return true;
    this.rates.takeForNetwork(requestOf(context), responseOf(context));
    throw await this.refusal(context, 'a management key (mk_…)');
  }
}

function requestOf(context: ExecutionContext): AuthenticatedRequest {
  return context.switchToHttp().getRequest<AuthenticatedRequest>();
}

function responseOf(context: ExecutionContext): Response {
  return context.switchToHttp().getResponse<Response>();
}
