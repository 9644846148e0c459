import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { CallRates } from '../limits/call-rates.js';
import { type Credential, CREDENTIAL } from './credentials.js';
import { UnauthorizedCredentials } from './errors.js';
import { ManagementKeyGuard, PublicTokenGuard, SecretKeyGuard } from './passport-key.guard.js';

/** Closed by default: passes a request only with the credential that its route declares, and none without a declaration. */
@Injectable()
export class CredentialGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly secretKey: SecretKeyGuard,
    private readonly publicToken: PublicTokenGuard,
    private readonly managementKey: ManagementKeyGuard,
    private readonly rates: CallRates,
  ) {}

  canActivate(context: ExecutionContext): true | Promise<true> {
    const required = this.reflector.get<Credential | undefined>(CREDENTIAL, context.getHandler());
    switch (required?.kind) {
      case 'secret':
        return this.secretKey.canActivate(context);
      case 'public':
        return this.publicToken.canActivate(context);
      case 'management':
        return this.managementKey.canActivate(context);
      case 'none':
        if (required.rate !== 'unlimited') {
          const http = context.switchToHttp();
          const call = [http.getRequest<Request>(), http.getResponse<Response>()] as const;
          if (required.rate === 'pages') this.rates.takeForPages(...call);
          else this.rates.takeForNetwork(...call);
        }
        return true;
      default:
        throw new UnauthorizedCredentials('secret');
    }
  }
}
