import {
  applyDecorators,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  SetMetadata,
  type Type,
  UseGuards,
} from '@nestjs/common';
import { ApiExtension, ApiQuery, ApiSecurity } from '@nestjs/swagger';
import type { DomainErrorClass } from '../../kernel/domain-error.js';
import { Refuses } from '../errors/error-catalogue.js';
import { BodyGuard } from '../http/json-body.js';
import { TooManyRequests } from '../../kernel/errors.js';
import { OutsideBinding } from '../../kernel/key-restriction.js';
import type { ManagementRole } from '../../kernel/management-role.js';
import { type Credential, CREDENTIAL, type PublicRate, type SecretKeyOptions } from './credential.js';
import type {
  AuthenticatedApp,
  ManagementCaller,
  AuthenticatedRequest,
  RestrictedCaller,
} from '../http/authenticated-request.js';
import {
  IpNotAllowed,
  MissingRole,
  MissingScope,
  UnauthorizedCredentials,
  WrongKeyKind,
} from '../errors/edge-errors.js';
import { ManagementKeyGuard, PublicTokenGuard } from './passport-key.guard.js';
import { PublicRateGuard } from './public-rate.guard.js';
import { SecretKeyGuard } from './secret-key.guard.js';
import type { KeyId } from '../../kernel/ids.js';
import type { KeyScope } from '../../kernel/key-restriction.js';
import type { Requester } from '../../kernel/requester.js';
import { StepUpRequired } from '../../kernel/step-up-required.js';
import { addressOf } from './refused-requests.js';

/** In the document until it is complete: this POST ignores `Idempotency-Key`. */
export const TAKES_NO_IDEMPOTENCY_KEY = 'x-takes-no-idempotency-key';

/** The body is read after the guard, so that the body of a caller without a key is never kept in memory. */
function requires(
  credential: Credential,
  guard: Type<CanActivate>,
  refusals: DomainErrorClass[],
  ...documented: MethodDecorator[]
): MethodDecorator {
  return applyDecorators(
    SetMetadata(CREDENTIAL, credential),
    UseGuards(guard, BodyGuard),
    Refuses(...refusals),
    ...documented,
  );
}

export function SecretKey(options: SecretKeyOptions = {}): MethodDecorator {
  const { alsoInQuery, scopes = [] } = options;
  const alternatives = [scopes].flat();
  const inQuery = alsoInQuery
    ? [
        ApiQuery({
          name: alsoInQuery,
          type: String,
          required: false,
          description: 'The secret key. For existing clients only; new clients send it as a bearer token.',
        }),
      ]
    : [];
  const ofRestrictedKeys = alternatives.length > 0 ? [MissingScope, IpNotAllowed, OutsideBinding] : [];
  return requires(
    { kind: 'secret', ...options },
    SecretKeyGuard,
    [UnauthorizedCredentials, WrongKeyKind, TooManyRequests, ...ofRestrictedKeys],
    ApiSecurity('secret_key'),
    ...alternatives.map((scope) => ApiSecurity('restricted_key', [scope])),
    ...inQuery,
  );
}

export function PublicToken(): MethodDecorator {
  return requires(
    { kind: 'public' },
    PublicTokenGuard,
    [UnauthorizedCredentials, WrongKeyKind, TooManyRequests],
    ApiSecurity('public_token'),
  );
}

/**
 * `owner`: apps, keys, redirect URLs, connections. `support`: users, their sessions and messages. `auditor`: reading. `operator`: all else.
 * A page of this service may send a session cookie instead, except with `isSignIn`; with `needsProof` only if the operator proved who they
 * are in the last ten minutes.
 */
export function ManagementKey(role: ManagementRole, { isSignIn = false, needsProof = false } = {}): MethodDecorator {
  return requires(
    { kind: 'management', role, isSignIn, needsProof },
    ManagementKeyGuard,
    [
      UnauthorizedCredentials,
      WrongKeyKind,
      TooManyRequests,
      ...(role === 'auditor' ? [] : [MissingRole]),
      ...(needsProof ? [StepUpRequired] : []),
    ],
    // The cookie is not documented as a scheme: a field for it would invite users to paste one.
    ...(isSignIn ? [ApiExtension(TAKES_NO_IDEMPOTENCY_KEY, true)] : []),
    ApiSecurity('management_key', [role]),
  );
}

/** Health, metrics, key sets, pages and the OAuth callback are `unlimited`. */
export function NoCredential(rate: PublicRate = 'calls'): MethodDecorator {
  return requires({ kind: 'none', rate }, PublicRateGuard, rate === 'unlimited' ? [] : [TooManyRequests]);
}

export const App = createParamDecorator((_: unknown, context: ExecutionContext): AuthenticatedApp => {
  const { app_ } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!app_) throw new UnauthorizedCredentials('secret');
  return app_;
});

/** Null for a call with another key. */
export const RestrictedKey = createParamDecorator((_: unknown, context: ExecutionContext): RestrictedCaller | null => {
  const { app_ } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  return app_?.restriction ? { keyId: app_.keyId as KeyId, scopes: app_.restriction.scopes } : null;
});

export function requireScope(key: RestrictedCaller | null, scope: KeyScope): void {
  if (key && !key.scopes.includes(scope)) throw new MissingScope([scope]);
}

export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): ManagementCaller => {
  const { managementCaller } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!managementCaller) throw new UnauthorizedCredentials('management');
  return managementCaller;
});

export const RequestedBy = createParamDecorator((_: unknown, context: ExecutionContext): Requester => {
  const { managementCaller, app_, requestId, ip } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  const key = managementCaller ?? app_;
  if (!key) throw new UnauthorizedCredentials('secret');
  return { actor: key.keyId, requestId, ip: addressOf(ip) };
});
