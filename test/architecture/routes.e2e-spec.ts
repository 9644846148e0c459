import { DiscoveryService, MetadataScanner, ModulesContainer, Reflector } from '@nestjs/core';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { CREDENTIAL } from '../../src/edge/auth/credentials.js';
import { startApp, type TestApp } from '../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

interface Handler {
  readonly name: string;
  readonly path: string;
  readonly credential: { kind: string } | undefined;
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
          path: `/${base}/${own}`.replace(/\/+/g, '/'),
          credential: reflector.get(CREDENTIAL, handler) as { kind: string } | undefined,
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
