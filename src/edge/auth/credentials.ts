import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiExtension, ApiQuery, ApiSecurity } from '@nestjs/swagger';
import type { Request } from 'express';
import type { DomainErrorClass } from '../../kernel/domain-error.js';
import { Refuses } from '../http/error-catalogue.js';
import { TooManyRequests } from '../../kernel/errors.js';
import type { ManagementRole } from '../../kernel/management-role.js';
import type { AuthenticatedApp, ManagementCaller } from './app-authenticator.js';
import { MissingRole, UnauthorizedCredentials, WrongKeyKind } from './errors.js';

/** The credential that a route requires. A route without one refuses every request. */
export type Credential =
  | { readonly kind: 'secret'; readonly alsoInQuery?: string }
  | { readonly kind: 'public' }
  | { readonly kind: 'management'; readonly role: ManagementRole; readonly isSignIn?: boolean }
  | { readonly kind: 'none'; readonly rate: PublicRate };

/** `pages`: ten times the rate of `calls`, counted apart. */
export type PublicRate = 'calls' | 'pages' | 'unlimited';

export const CREDENTIAL = 'credential';

/** In the document until it is complete: this POST ignores `Idempotency-Key`. */
export const TAKES_NO_IDEMPOTENCY_KEY = 'x-takes-no-idempotency-key';

function requires(
  credential: Credential,
  refusals: DomainErrorClass[],
  ...documented: MethodDecorator[]
): MethodDecorator {
  return applyDecorators(SetMetadata(CREDENTIAL, credential), Refuses(...refusals), ...documented);
}

/** Requires the app's secret key as a bearer token. `alsoInQuery` names a query parameter in which previous clients send it. */
export function SecretKey({ alsoInQuery }: { alsoInQuery?: string } = {}): MethodDecorator {
  const inQuery = alsoInQuery
    ? [
        ApiQuery({
          name: alsoInQuery,
          required: false,
          description: 'The secret key. For existing clients only; new clients send it as a bearer token.',
        }),
      ]
    : [];
  return requires(
    { kind: 'secret', ...(alsoInQuery && { alsoInQuery }) },
    [UnauthorizedCredentials, WrongKeyKind, TooManyRequests],
    ApiSecurity('secret_key'),
    ...inQuery,
  );
}

/** Requires the app's public token in the query parameter `public_token`. */
export function PublicToken(): MethodDecorator {
  return requires(
    { kind: 'public' },
    [UnauthorizedCredentials, WrongKeyKind, TooManyRequests],
    ApiSecurity('public_token'),
  );
}

/**
 * Requires a management key whose role includes `role`. `owner`: changes of apps, keys, redirect URLs, connections and
 * management keys; `operator`: every other change; `auditor`: reading.
 * Instead of the key, a call from a page of this service may carry the cookie of a session that the key began; `isSignIn` begins it
 * and so takes the key only.
 */
export function ManagementKey(role: ManagementRole, { isSignIn = false } = {}): MethodDecorator {
  return requires(
    { kind: 'management', role, isSignIn },
    [UnauthorizedCredentials, WrongKeyKind, TooManyRequests, ...(role === 'auditor' ? [] : [MissingRole])],
    // Decorators of a method run from the last to the first, and the document lists the last one first.
    ...(isSignIn ? [ApiExtension(TAKES_NO_IDEMPOTENCY_KEY, true)] : [ApiSecurity('management_session')]),
    ApiSecurity('management_key'),
  );
}

/** Requires no credential. Health and key sets are `unlimited`; pages, metrics and the OAuth callback count as `pages`. */
export function NoCredential(rate: PublicRate = 'calls'): MethodDecorator {
  return requires({ kind: 'none', rate }, rate === 'unlimited' ? [] : [TooManyRequests]);
}

/** The request after its key was recognised. `@App()` and `@Caller()` read these properties. */
export interface AuthenticatedRequest extends Request {
  // Express itself uses `app`.
  app_?: AuthenticatedApp;
  managementCaller?: ManagementCaller;
  /** The holder of a valid key of another kind than the route requires. The request is refused. */
  otherCaller?: { readonly keyId: string; readonly id?: AuthenticatedApp['id'] };
}

/** The app whose key the request carries. */
export const App = createParamDecorator((_: unknown, context: ExecutionContext): AuthenticatedApp => {
  const { app_ } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!app_) throw new UnauthorizedCredentials('secret');
  return app_;
});

/** The caller of a management endpoint. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): ManagementCaller => {
  const { managementCaller } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!managementCaller) throw new UnauthorizedCredentials('management');
  return managementCaller;
});
