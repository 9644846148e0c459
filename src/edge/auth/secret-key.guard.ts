import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { OutsideBinding } from '../../kernel/key-restriction.js';
import { isInNetworks } from '../../services/limits/client-network.js';
import { IpNotAllowed, MissingScope, UnauthorizedCredentials } from '../errors/edge-errors.js';
import { CallRates } from '../limits/call-rates.js';
import { AppAuthenticator, type Credential, CREDENTIAL } from './credential.js';
import type { AuthenticatedRequest } from '../http/authenticated-request.js';
import { bearerToken, queryParameter, refusalOf } from './refused-key.js';
import { isConfined } from './restricted-calls.js';

/** Passport's middleware would add 7 % to the processor time of a session verification, and the limit is 3 %. */
@Injectable()
export class SecretKeyGuard implements CanActivate {
  constructor(
    private readonly keys: AppAuthenticator,
    private readonly rates: CallRates,
    private readonly reflector: Reflector,
  ) {}

  /** Refusals count for the caller's network, so that guessed keys do not use up the rate of an app. */
  async canActivate(context: ExecutionContext): Promise<true> {
    const http = context.switchToHttp();
    const [request, response] = [http.getRequest<AuthenticatedRequest>(), http.getResponse<Response>()];
    const { alsoInQuery } = this.reflector.get<Credential & { kind: 'secret' }>(CREDENTIAL, context.getHandler());
    const key = bearerToken(request) ?? (alsoInQuery === undefined ? undefined : queryParameter(request, alsoInQuery));
    const app = key === undefined ? null : await this.keys.bySecretKey(key);
    if (!app) return this.admitRestricted(key, context, request, response);
    request.app_ = app;
    request.appId = app.id;
    this.rates.takeForApp(app, response);
    return true;
  }

  private async admitRestricted(
    key: string | undefined,
    context: ExecutionContext,
    request: AuthenticatedRequest,
    response: Response,
  ): Promise<true> {
    const { scopes, keepsBinding } = this.reflector.get<Credential & { kind: 'secret' }>(
      CREDENTIAL,
      context.getHandler(),
    );
    const app = key === undefined || scopes === undefined ? null : await this.keys.byRestrictedKey(key, request);
    if (!app?.restriction) {
      this.rates.takeForNetwork(request, response);
      throw await refusalOf(request, key, 'secret', this.keys);
    }
    const { restriction } = app;
    if (!isInNetworks(request.ip, restriction.ipRanges)) {
      // A stolen key does not use up the rate of its app.
      this.rates.takeForNetwork(request, response);
      request.otherCaller = app;
      throw new IpNotAllowed();
    }
    request.app_ = app;
    request.appId = app.id;
    this.rates.takeForApp(app, response);
    if (app.isFirstUse && !(await app.isFirstUse())) {
      // A copy of a proof does not use up the rate of its key.
      this.rates.chargeApp(app, -1);
      this.rates.takeForNetwork(request, response);
      throw new UnauthorizedCredentials('secret', ['token']);
    }
    const needed = [scopes!].flat();
    if (!needed.some((scope) => restriction.scopes.includes(scope))) throw new MissingScope(needed);
    // A handler that was not wrapped would see the ids of any user.
    if (restriction.binding && !(keepsBinding && isConfined(context.getHandler()))) throw new OutsideBinding();
    return true;
  }
}
