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
import {
  type AuthenticatedApp,
  type ManagementCaller,
  type AuthenticatedRequest,
  type Credential,
  CREDENTIAL,
  type PublicRate,
  type RestrictedCaller,
  type SecretKeyOptions,
} from './credential.js';
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

/** The body is read after the guard has passed, so that the body of a caller without a key is never kept in memory. */
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

/** Requires the app's secret key as a bearer token, or a restricted key with one of the scopes. */
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

/** Requires the app's public token in the query parameter `public_token`. */
export function PublicToken(): MethodDecorator {
  return requires(
    { kind: 'public' },
    PublicTokenGuard,
    [UnauthorizedCredentials, WrongKeyKind, TooManyRequests],
    ApiSecurity('public_token'),
  );
}

/**
 * Requires a management key whose role includes `role`. `owner`: changes of apps, keys, redirect URLs, connections and
 * management keys; `support`: changes of users, their sessions and messages, and the search for users; `auditor`: reading; `operator`:
 * every other call. The document shows the role as the scope of the key.
 * Instead of the key, a call from a page of this service may carry the cookie of a session that the key began; `isSignIn` begins it
 * and so takes the key only. `needsProof`: a session is enough only if the operator has proved who they are in the last ten minutes.
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
    // The cookie is not documented as a scheme: only pages of this service send it, and a field for it would invite to paste one.
    ...(isSignIn ? [ApiExtension(TAKES_NO_IDEMPOTENCY_KEY, true)] : []),
    ApiSecurity('management_key', [role]),
  );
}

/** Requires no credential. Health and key sets are `unlimited`; pages, metrics and the OAuth callback count as `pages`. */
export function NoCredential(rate: PublicRate = 'calls'): MethodDecorator {
  return requires({ kind: 'none', rate }, PublicRateGuard, rate === 'unlimited' ? [] : [TooManyRequests]);
}

/** The app whose key the request carries. */
export const App = createParamDecorator((_: unknown, context: ExecutionContext): AuthenticatedApp => {
  const { app_ } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!app_) throw new UnauthorizedCredentials('secret');
  return app_;
});

/** The restricted key of the call; null for a call with another key. */
export const RestrictedKey = createParamDecorator((_: unknown, context: ExecutionContext): RestrictedCaller | null => {
  const { app_ } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  return app_?.restriction ? { keyId: app_.keyId as KeyId, scopes: app_.restriction.scopes } : null;
});

/** Throws `MissingScope` for a restricted key without the scope, which only a part of the call's uses needs. */
export function requireScope(key: RestrictedCaller | null, scope: KeyScope): void {
  if (key && !key.scopes.includes(scope)) throw new MissingScope([scope]);
}

/** The caller of a management endpoint. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): ManagementCaller => {
  const { managementCaller } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!managementCaller) throw new UnauthorizedCredentials('management');
  return managementCaller;
});

/** The requester that the audit log stores: the key of the request, its id and the caller's address. */
export const RequestedBy = createParamDecorator((_: unknown, context: ExecutionContext): Requester => {
  const { managementCaller, app_, requestId, ip } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  const key = managementCaller ?? app_;
  if (!key) throw new UnauthorizedCredentials('secret');
  return { actor: key.keyId, requestId, ip: addressOf(ip) };
});
