import { RequestMethod } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, ModulesContainer, Reflector } from '@nestjs/core';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { type Credential, CREDENTIAL } from '../../src/edge/auth/credential.js';
import { LOGIN_FIELDS } from '../../src/edge/idempotency/post-routes.js';
import { MANAGEMENT_ROLES } from '../../src/kernel/management-role.js';
import { startApp, type TestApp } from '../support/app.js';
import { postsWithJwt } from '../support/document.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

interface Handler {
  readonly name: string;
  readonly path: string;
  readonly method: string;
  readonly credential: Credential | undefined;
  readonly signsIn: boolean;
}

function handlers(): Handler[] {
  const discovery = new DiscoveryService(app.nest.get(ModulesContainer));
  const scanner = new MetadataScanner();
  const reflector = new Reflector();
  return discovery.getControllers().flatMap(({ instance, metatype }) => {
    const prototype = Object.getPrototypeOf(instance) as object;
    return scanner.getAllMethodNames(prototype).flatMap((method) => {
      const handler = (prototype as Record<string, () => unknown>)[method] as () => unknown;
      if (Reflect.getMetadata(METHOD_METADATA, handler) === undefined) return [];
      const base = String(Reflect.getMetadata(PATH_METADATA, metatype as object));
      const own = String(Reflect.getMetadata(PATH_METADATA, handler));
      return [
        {
          name: `${metatype?.name}.${method}`,
          method: RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as number]!,
          path: `/${base}/${own}`.replace(/\/+/g, '/'),
          credential: reflector.get(CREDENTIAL, handler) as Credential | undefined,
          signsIn: Reflect.hasMetadata(LOGIN_FIELDS, handler),
        },
      ];
    });
  });
}

describe('every route', () => {
  it('is found by this test at all', () => {
    expect(handlers().length).toBeGreaterThan(20);
  });

  it('declares the credential it takes', () => {
    expect(handlers().filter(({ credential }) => credential === undefined)).toEqual([]);
  });

  it('takes a management key exactly below /management', () => {
    for (const { name, path, credential } of handlers()) {
      expect([name, credential?.kind === 'management']).toEqual([name, path.startsWith('/management/')]);
    }
  });

  it('below /v1 takes the secret key, but for OAuth begin and callback and the public JWKS', () => {
    const open = handlers().filter(({ path, credential }) => path.startsWith('/v1/') && credential?.kind !== 'secret');
    expect(new Set(open.map(({ path }) => path))).toEqual(
      new Set(['/v1/auth/oauth/:provider/begin', '/v1/auth/oauth/callback/:connection_id', '/v1/auth/jwks/:app_id']),
    );
  });
});

describe('every POST', () => {
  it('whose response has a JWT is marked by SignsIn, so that the response is not stored as it is', () => {
    const paths = postsWithJwt().map((path) => path.replaceAll(/\{(\w+)\}/g, ':$1'));
    expect(paths.length).toBeGreaterThan(9);
    const marked = handlers().filter(({ method, signsIn }) => method === 'POST' && signsIn);
    expect(marked.map(({ path }) => path).toSorted()).toEqual(paths.toSorted());
  });
});

/** Changes of these need an owner: what follows `/management/v1/`, with or without the id of the app before it. */
const OF_OWNERS =
  /^(apps|apps\/:app_id|apps\/:app_id\/users\/:user_id\/erase|(apps\/:app_id\/)?(keys|redirect_urls|oauth_connections|oauth_clients|resources)(\/:\w+(\/rotate_secret)?)?)$/;

/** Changes of these help a user. */
const OF_SUPPORT =
  /^apps\/:app_id\/(users|users\/:user_id|users\/search|users\/invite|users\/:user_id\/(deactivate|reactivate|unlock|freeze|recovery|sessions|emails|phone_numbers)|users\/:user_id\/(emails|phone_numbers|totps|webauthn_credentials)\/:\w+|wallets\/:wallet_id\/freeze|sessions\/:\w+|messages\/:\w+\/resend|jobs\/:\w+\/retry|oauth2\/grants\/:\w+)$/;

function roleOf({ method, path }: Handler): string {
  const resource = path.replace('/management/v1/', '').replace(/\/$/, '');
  // All users at once, on request with their secrets, or all about one person.
  if (/\/users\/(:user_id\/)?export$/.test(resource)) return 'owner';
  if (method === 'GET' || resource === 'session' || resource.endsWith('/policies/evaluate')) return 'auditor';
  if (OF_SUPPORT.test(resource)) return 'support';
  return OF_OWNERS.test(resource) ? 'owner' : 'operator';
}

describe('every management route', () => {
  it('declares the role that its method and resource need', () => {
    const management = handlers().filter(({ credential }) => credential?.kind === 'management');
    expect(management.length).toBeGreaterThan(20);
    for (const handler of management) {
      const { role } = handler.credential as Extract<Credential, { kind: 'management' }>;
      expect(MANAGEMENT_ROLES).toContain(role);
      expect([handler.name, role]).toEqual([handler.name, roleOf(handler)]);
    }
  });
});
