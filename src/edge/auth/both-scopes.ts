import {
  Body,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  type PipeTransform,
  SetMetadata,
  type Type,
} from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { DomainError, DomainErrorClass } from '../../kernel/domain-error.js';
import type { ManagementRole } from '../../kernel/management-role.js';
import { PathId } from '../http/path-id.js';
import type { AuthenticatedApp, AuthenticatedRequest, SecretKeyOptions } from './credential.js';
import { ManagementKey, SecretKey } from './credentials.js';

// Each scope gets a subclass with handlers of its own, because Nest keeps path, credential and refusals as metadata of class and handler.

/** `client` takes the app's secret key. `management` takes a management key, and the app is in the path. */
type Scope = 'client' | 'management';

const ROUTE = 'route in both scopes';
const PARAMETERS = 'parameters that differ between scopes';

interface Route {
  readonly role: ManagementRole;
  readonly client?: MethodDecorator;
  readonly scopes?: SecretKeyOptions['scopes'];
}

type Parameter = Readonly<Record<Scope, ParameterDecorator>>;

/** `role` is the least role of a management key; `client` is another method or path for the app itself. */
export function InScopes(
  role: ManagementRole,
  { client, scopes }: Pick<Route, 'client' | 'scopes'> = {},
): MethodDecorator {
  return SetMetadata(ROUTE, { role, client, scopes } satisfies Route);
}

/** The app of the secret key, or for a management key the one in the path. */
export function OfApp(NotFound: DomainErrorClass & (new () => DomainError)): ParameterDecorator {
  return differing({ client: AppOfKey(), management: PathId('app_id', 'app', NotFound) });
}

/** `null` clears a value for a management key and means that the field is absent for the app itself. */
export function Changes(): ParameterDecorator {
  return differing({ client: Body(WITHOUT_NULLS), management: Body() });
}

/** The app calls `path`, in the group `tag`; management keys call `resource` of an app. `scopes` opens the first to restricted keys. */
export function BothScopes(at: {
  readonly path: string;
  readonly tag: string;
  readonly resource: string;
  readonly scopes?: SecretKeyOptions['scopes'];
}) {
  return (controller: Type): void =>
    void scopes.set(controller, [
      mounted(
        controller,
        'management',
        controller.name,
        `management/v1/apps/:app_id/${at.resource}`,
        `management: ${at.tag}`,
      ),
      mounted(controller, 'client', `Client${controller.name}`, at.path, at.tag, at.scopes),
    ]);
}

const scopes = new WeakMap<Type, readonly Type[]>();

export function inBothScopes(controller: Type): readonly Type[] {
  return scopes.get(controller)!;
}

function mounted(
  controller: Type,
  scope: Scope,
  name: string,
  path: string,
  tag: string,
  ofAll?: SecretKeyOptions['scopes'],
): Type {
  const subclass: Type = { [name]: class extends controller {} }[name]!;
  const inherited = controller.prototype as Record<string, (...args: unknown[]) => unknown>;
  for (const method of Object.getOwnPropertyNames(inherited)) {
    const route = Reflect.getMetadata(ROUTE, inherited[method]!) as Route | undefined;
    if (!route) continue;
    const handler = function (this: object, ...args: unknown[]): unknown {
      return inherited[method]!.apply(this, args);
    };
    for (const key of Reflect.getMetadataKeys(inherited[method]!))
      Reflect.defineMetadata(key, Reflect.getMetadata(key, inherited[method]!), handler);
    Object.defineProperty(handler, 'name', { value: method });
    const descriptor: PropertyDescriptor = { value: handler, writable: true, configurable: true };
    const prototype = Object.defineProperty(subclass.prototype as object, method, descriptor);
    const parameters = Reflect.getMetadata(PARAMETERS, inherited, method) as Map<number, Parameter> | undefined;
    for (const [index, parameter] of parameters ?? []) parameter[scope](prototype, method, index);
    if (scope === 'client') route.client?.(prototype, method, descriptor);
    const scopes = route.scopes ?? ofAll;
    const credential = scope === 'client' ? SecretKey(scopes && { scopes }) : ManagementKey(route.role);
    credential(prototype, method, descriptor);
  }
  Controller(path)(subclass);
  ApiTags(tag)(subclass);
  return subclass;
}

function differing(parameter: Parameter): ParameterDecorator {
  return (prototype, method, index) => {
    const known = Reflect.getMetadata(PARAMETERS, prototype, method!) as Map<number, Parameter> | undefined;
    Reflect.defineMetadata(PARAMETERS, new Map(known).set(index, parameter), prototype, method!);
  };
}

const AppOfKey = createParamDecorator(
  (_: unknown, context: ExecutionContext): AuthenticatedApp['id'] =>
    context.switchToHttp().getRequest<AuthenticatedRequest>().app_!.id,
);

const WITHOUT_NULLS: PipeTransform<object> = {
  transform: (body) => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)),
};
