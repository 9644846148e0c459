import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { CallRates } from '../limits/call-rates.js';
import { type Credential, CREDENTIAL } from './credential.js';

@Injectable()
export class PublicRateGuard implements CanActivate {
  constructor(
    private readonly rates: CallRates,
    private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): true {
    const { rate } = this.reflector.get<Credential & { kind: 'none' }>(CREDENTIAL, context.getHandler());
    const http = context.switchToHttp();
    const call = [http.getRequest<Request>(), http.getResponse<Response>()] as const;
    if (rate === 'calls') this.rates.takeForNetwork(...call);
    return true;
  }
}
