import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { CallRates } from '../limits/call-rates.js';
import { AppAuthenticator } from './app-authenticator.js';
import { type AuthenticatedRequest, type Credential, CREDENTIAL } from './credentials.js';
import { UnauthorizedCredentials, WrongKeyKind } from './errors.js';

/** Lets a request through only with the credential its route declares. A route without a declaration lets nobody through. */
@Injectable()
export class CredentialGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly keys: AppAuthenticator,
    private readonly rates: CallRates,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<AuthenticatedRequest>();
    const response = http.getResponse<Response>();
    const required = this.reflector.get<Credential | undefined>(CREDENTIAL, context.getHandler());
    switch (required?.kind) {
      case 'none':
        if (required.limited) this.rates.takeForNetwork(request, response);
        return true;
      case 'secret':
        await this.secret(request, response, bearer(request) ?? fromQuery(request, required.alsoInQuery));
        return true;
      case 'public':
        await this.publicToken(request, response, fromQuery(request, 'public_token'));
        return true;
      case 'management':
        await this.management(request, response, bearer(request));
        return true;
      default:
        throw new UnauthorizedCredentials();
    }
  }

  private async secret(request: AuthenticatedRequest, response: Response, key: string | undefined): Promise<void> {
    const app = key?.startsWith('sk_') ? await this.keys.bySecretKey(key) : null;
    if (!app) return this.refuse(request, response, key, 'a secret key (sk_…)');
    request.app_ = app;
    request.appId = app.id;
    this.rates.takeForApp(app, response);
  }

  private async publicToken(
    request: AuthenticatedRequest,
    response: Response,
    token: string | undefined,
  ): Promise<void> {
    this.rates.takeForNetwork(request, response);
    const app = token?.startsWith('pk_') ? await this.keys.byPublicToken(token) : null;
    if (!app) return this.refuse(null, response, token, 'a public token (pk_…)');
    request.app_ = app;
    request.appId = app.id;
  }

  private async management(request: AuthenticatedRequest, response: Response, key: string | undefined): Promise<void> {
    const caller = key?.startsWith('mk_') ? await this.keys.byManagementKey(key) : null;
    if (!caller) return this.refuse(request, response, key, 'a management key (mk_…)');
    request.managementCaller = caller;
  }

  /** Guesses are paid for by the network they come from, so they cannot use up an app's own rate. */
  private async refuse(
    unpaid: Request | null,
    response: Response,
    key: string | undefined,
    wanted: string,
  ): Promise<never> {
    if (unpaid) this.rates.takeForNetwork(unpaid, response);
    if (key !== undefined && (await this.isAnyKey(key))) throw new WrongKeyKind(wanted);
    throw new UnauthorizedCredentials();
  }

  private async isAnyKey(key: string): Promise<boolean> {
    if (key.startsWith('sk_')) return (await this.keys.bySecretKey(key)) !== null;
    if (key.startsWith('pk_')) return (await this.keys.byPublicToken(key)) !== null;
    return key.startsWith('mk_') && (await this.keys.byManagementKey(key)) !== null;
  }
}

const BEARER = /^Bearer +([A-Za-z0-9_]{1,200})$/i;

/** The bearer token, if there is exactly one Authorization header: node itself would silently keep the first of several. */
function bearer(request: Request): string | undefined {
  const { authorization } = request.headers;
  if (authorization === undefined) return undefined;
  let seen = 0;
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    if (request.rawHeaders[i]?.toLowerCase() === 'authorization') seen++;
  }
  const token = seen === 1 ? BEARER.exec(authorization)?.[1] : undefined;
  // A header that is there but not understood must not fall back to another place.
  if (token === undefined) throw new UnauthorizedCredentials();
  return token;
}

function fromQuery(request: Request, name: string | undefined): string | undefined {
  const value = name === undefined ? undefined : request.query[name];
  return typeof value === 'string' && value.length <= 200 ? value : undefined;
}
