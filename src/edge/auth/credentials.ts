import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiQuery, ApiSecurity } from '@nestjs/swagger';
import type { Request } from 'express';
import type { DomainErrorClass } from '../../kernel/domain-error.js';
import { Refuses } from '../http/error-catalogue.js';
import { TooManyRequests } from '../../kernel/errors.js';
import type { AuthenticatedApp, ManagementCaller } from './app-authenticator.js';
import { UnauthorizedCredentials, WrongKeyKind } from './errors.js';

/** What a route asks of its caller. A route that says nothing is closed. */
export type Credential =
  | { readonly kind: 'secret'; readonly alsoInQuery?: string }
  | { readonly kind: 'public' }
  | { readonly kind: 'management' }
  | { readonly kind: 'none'; readonly limited: boolean };

export const CREDENTIAL = 'credential';

function requires(
  credential: Credential,
  refusals: DomainErrorClass[],
  ...documented: MethodDecorator[]
): MethodDecorator {
  return applyDecorators(SetMetadata(CREDENTIAL, credential), Refuses(...refusals), ...documented);
}

/** The app's secret key as a bearer token; `alsoInQuery` names a query parameter that old clients send it in. */
export function SecretKey({ alsoInQuery }: { alsoInQuery?: string } = {}): MethodDecorator {
  const inQuery = alsoInQuery
    ? [ApiQuery({ name: alsoInQuery, required: false, description: 'The secret key, for old clients only.' })]
    : [];
  return requires(
    { kind: 'secret', ...(alsoInQuery && { alsoInQuery }) },
    [UnauthorizedCredentials, WrongKeyKind, TooManyRequests],
    ApiSecurity('secret_key'),
    ...inQuery,
  );
}

/** The app's public token in the query parameter `public_token`. */
export function PublicToken(): MethodDecorator {
  return requires(
    { kind: 'public' },
    [UnauthorizedCredentials, WrongKeyKind, TooManyRequests],
    ApiSecurity('public_token'),
  );
}

/** A management key as a bearer token. */
export function ManagementKey(): MethodDecorator {
  return requires(
    { kind: 'management' },
    [UnauthorizedCredentials, WrongKeyKind, TooManyRequests],
    ApiSecurity('management_key'),
  );
}

/** Open to everyone. `limited: false` also frees it of the call rate: health, documents, JWKS, the OAuth callback. */
export function NoCredential({ limited = true }: { limited?: boolean } = {}): MethodDecorator {
  return requires({ kind: 'none', limited }, limited ? [TooManyRequests] : []);
}

/** What the guard leaves on the request for `@App()` and `@Caller()`. */
export interface AuthenticatedRequest extends Request {
  app_?: AuthenticatedApp;
  managementCaller?: ManagementCaller;
}

/** The app whose key was given. */
export const App = createParamDecorator((_: unknown, context: ExecutionContext): AuthenticatedApp => {
  const { app_ } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!app_) throw new UnauthorizedCredentials();
  return app_;
});

/** Who calls the management API. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): ManagementCaller => {
  const { managementCaller } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!managementCaller) throw new UnauthorizedCredentials();
  return managementCaller;
});
