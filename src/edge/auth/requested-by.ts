import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Requester } from '../../kernel/requester.js';
import { addressOf } from './refused-requests.js';
import type { AuthenticatedRequest } from './credential.js';
import { UnauthorizedCredentials } from './errors.js';

/** The requester that the audit log stores: the key of the request, its id and the caller's address. */
export const RequestedBy = createParamDecorator((_: unknown, context: ExecutionContext): Requester => {
  const { managementCaller, app_, requestId, ip } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  const key = managementCaller ?? app_;
  if (!key) throw new UnauthorizedCredentials('secret');
  return { actor: key.keyId, requestId, ip: addressOf(ip) };
});
