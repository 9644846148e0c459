import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { CREDENTIAL } from './credential.js';
import { UnauthorizedCredentials } from '../errors/edge-errors.js';

/** Refuses every request of a route that declares no credential. The declaration brings the guard that checks it. */
@Injectable()
export class CredentialGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): true {
    if (this.reflector.get<unknown>(CREDENTIAL, context.getHandler()) === undefined)
      throw new UnauthorizedCredentials('secret');
    return true;
  }
}
