import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { AuthenticatedRequest } from '../../../edge/auth/credentials.js';
import { UnauthorizedCredentials } from '../../../edge/auth/errors.js';
import { addressOf } from '../../../edge/http/refused-requests.js';
import type { Requester } from '../domain/audit-log.js';

/** Whose key the request came with, and which request it was: what the audit log keeps. */
export const RequestedBy = createParamDecorator((_: unknown, context: ExecutionContext): Requester => {
  const { managementCaller, app_, requestId, ip } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  const key = managementCaller ?? app_;
  if (!key) throw new UnauthorizedCredentials('secret');
  return { actor: key.keyId, requestId, ip: addressOf(ip) };
});
