import {
  applyDecorators,
  Body,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  type PipeTransform,
  type Type,
} from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { DomainError, DomainErrorClass } from '../../kernel/domain-error.js';
import type { ManagementRole } from '../../kernel/management-role.js';
import { PathId } from '../http/path-id.js';
import type { SecretKeyOptions } from './credential.js';
import type { AuthenticatedApp, AuthenticatedRequest } from '../http/authenticated-request.js';
import { ManagementKey, SecretKey } from './credentials.js';

interface Resource {
  /** The app calls it with its secret key, in the group `tag`. */
  readonly path: string;
  readonly tag: string;
  /** Management keys call it below an app. */
  readonly resource: string;
  /** They open the calls of the app to restricted keys. */
  readonly scopes?: SecretKeyOptions['scopes'];
}

interface Scope {
  /** Instead of `@Controller`. */
  readonly Mounted: () => ClassDecorator;
  /** Above all others. `role` is the least role of a management key; `client` is another method or path for the app itself. */
  readonly InScopes: (
    role: ManagementRole,
    forApp?: Pick<SecretKeyOptions, 'scopes' | 'keepsBinding'> & { readonly client?: MethodDecorator },
  ) => MethodDecorator;
  /** The app of the secret key, or for a management key the one in the path. */
  readonly OfApp: (NotFound: DomainErrorClass & (new () => DomainError)) => ParameterDecorator;
  /** `null` clears a value for a management key and means that the field is absent for the app itself. */
  readonly Changes: () => ParameterDecorator;
}

/** Makes the controller twice, because Nest keeps path, credential and refusals as metadata of class and handler. */
export function inBothScopes({ path, tag, resource, scopes }: Resource, make: (scope: Scope) => Type): readonly Type[] {
  const management = make({
    Mounted: () => mounted(`management/v1/apps/:app_id/${resource}`, `management: ${tag}`),
    InScopes: (role) => ManagementKey(role),
    OfApp: (NotFound) => PathId('app_id', 'app', NotFound),
    Changes: () => Body(),
  });
  const client = make({
    Mounted: () => mounted(path, tag),
    InScopes: (_role, { client: route, scopes: own = scopes, keepsBinding = false } = {}) =>
      applyDecorators(...(route ? [route] : []), SecretKey(own && { scopes: own, keepsBinding })),
    OfApp: () => AppOfKey(),
    Changes: () => Body(WITHOUT_NULLS),
  });
  Object.defineProperty(client, 'name', { value: `Client${client.name}` });
  return [management, client];
}

function mounted(path: string, tag: string): ClassDecorator {
  return applyDecorators(Controller(path), ApiTags(tag));
}

const AppOfKey = createParamDecorator(
  (_: unknown, context: ExecutionContext): AuthenticatedApp['id'] =>
    context.switchToHttp().getRequest<AuthenticatedRequest>().app_!.id,
);

const WITHOUT_NULLS: PipeTransform<object> = {
  transform: (body) => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)),
};
