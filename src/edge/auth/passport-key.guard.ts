import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { mayActAs } from '../../kernel/management-role.js';
import { CallRates } from '../limits/call-rates.js';
import { AppAuthenticator } from './app-authenticator.js';
import { type AuthenticatedRequest, type Credential, CREDENTIAL } from './credentials.js';
import { type KeyKind, MissingRole, UnauthorizedCredentials, WrongKeyKind } from './errors.js';
import {
  type KeyOptions,
  type KeyStrategy,
  ManagementKeyStrategy,
  PublicTokenStrategy,
  SecretKeyStrategy,
} from './passport-key.strategy.js';

/**
 * Leaves the caller that the strategy recognises in `property` of the request. The strategy is asked directly: Passport's
 * middleware around it adds 7 % to the processor time of a session verification.
 */
abstract class KeyGuard implements CanActivate {
  constructor(
    private readonly strategy: KeyStrategy,
    private readonly property: 'app_' | 'managementCaller',
    private readonly keys: AppAuthenticator,
    private readonly reflector: Reflector,
  ) {}

  abstract canActivate(context: ExecutionContext): Promise<true>;

  /** Whether the key in the request is valid for this guard. Throws when it cannot be looked up. */
  protected async recognises(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    const caller = await this.strategy.validate(request, this.optionsOf(context));
    if (caller) Object.assign(request, { [this.property]: caller });
    return Boolean(caller);
  }

  protected optionsOf(context: ExecutionContext): Credential & KeyOptions {
    return this.reflector.get<Credential & KeyOptions>(CREDENTIAL, context.getHandler());
  }

  /** 403 for a valid key of another kind, else 401. */
  protected async refusal(context: ExecutionContext, required: KeyKind): Promise<Error> {
    const request = requestOf(context);
    const key = this.strategy.keyIn(request, this.optionsOf(context));
    const caller = key === undefined ? null : await this.holderOf(key);
    if (!caller) return new UnauthorizedCredentials(required);
    request.otherCaller = caller;
    return new WrongKeyKind(required);
  }

  private async holderOf(key: string): Promise<NonNullable<AuthenticatedRequest['otherCaller']> | null> {
    return (
      (await this.keys.bySecretKey(key)) ??
      (await this.keys.byPublicToken(key)) ??
      (await this.keys.byManagementKey(key))
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
  async canActivate(context: ExecutionContext): Promise<true> {
    const [request, response] = [requestOf(context), responseOf(context)];
    if (!(await this.recognises(context))) {
      this.rates.takeForNetwork(request, response);
      throw await this.refusal(context, 'secret');
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
  async canActivate(context: ExecutionContext): Promise<true> {
    const request = requestOf(context);
    this.rates.takeForNetwork(request, responseOf(context));
    if (!(await this.recognises(context))) throw await this.refusal(context, 'public');
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

  async canActivate(context: ExecutionContext): Promise<true> {
    const request = requestOf(context);
    if (!(await this.recognises(context))) {
      this.rates.takeForNetwork(request, responseOf(context));
      throw await this.refusal(context, 'management');
    }
    const { role } = this.optionsOf(context) as Extract<Credential, { kind: 'management' }>;
    if (!mayActAs(request.managementCaller!.role, role)) throw new MissingRole(role);
    return true;
  }
}

function requestOf(context: ExecutionContext): AuthenticatedRequest {
  return context.switchToHttp().getRequest<AuthenticatedRequest>();
}

function responseOf(context: ExecutionContext): Response {
  return context.switchToHttp().getResponse<Response>();
}
