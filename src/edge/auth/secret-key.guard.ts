import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { CallRates } from '../limits/call-rates.js';
import { AppAuthenticator, type AuthenticatedRequest, type Credential, CREDENTIAL } from './credential.js';
import { bearerToken, queryParameter, refusalOf } from './refused-key.js';

/**
 * Looks up the secret key without Passport, because an app's backend sends it with every call: Passport's middleware adds 7 % to the
 * processor time of a session verification (profile on Node 20), and the limit is 3 %.
 */
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
    if (!app) {
      this.rates.takeForNetwork(request, response);
      throw await refusalOf(request, key, 'secret', this.keys);
    }
    request.app_ = app;
    request.appId = app.id;
    this.rates.takeForApp(app, response);
    return true;
  }
}
