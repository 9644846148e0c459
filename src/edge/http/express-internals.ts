import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';
import { plainAddress } from '../../services/limits/client-network.js';
import { requireVersion } from '../../postgres/written-for.js';

requireVersion('express', '5.3');
requireVersion('router', '2.3');

/** Express would trust no entry of `X-Forwarded-For` with a port, and by a number of proxies would pass an entry that is no address. */
export function trustProxies(app: NestExpressApplication, proxies: number | string | false): void {
  app.set('trust proxy', proxies);
  const express = app.getHttpAdapter().getInstance() as Express;
  const trusts = express.get('trust proxy fn') as (address: string | undefined, hop: number) => boolean;
  app.set('trust proxy', (entry: string | undefined, hop: number) => {
    const address = plainAddress(entry);
    return (hop === 0 || address !== undefined) && trusts(address ?? entry, hop);
  });
}

const BEGINNING = /^(\/[^/?]+\/[^/?]+)(?:\/[^/?]+)?/;

/**
 * Express compares a path with all routes in turn, which was a fifth of a call. This compares it only with those that begin with the same
 * two or three segments. Call it once all routes are there.
 */
export function findRoutesByBeginning(app: NestExpressApplication): void {
  const router = routerOf(app);
  const { stack, handle } = router;
  const literals = stack.map(({ route }) => (route ? literalOf(route) : ''));
  const beginnings = literals.flatMap((literal) => {
    const segments = literal.split('/');
    return [3, 4].flatMap((length) => (segments.length >= length ? [segments.slice(0, length).join('/')] : []));
  });
  const routers = new Map(
    beginnings.map((beginning) => {
      const mayMatch = (literal: string): boolean =>
        `${beginning}/`.startsWith(`${literal}/`) || `${literal}/`.startsWith(`${beginning}/`);
      const some = stack.filter((layer, index) => !layer.route || mayMatch(literals[index]!));
      return [beginning, Object.create(router, { stack: { value: some } }) as Router];
    }),
  );
  // A later route would not be found.
  Object.freeze(stack);
  router.handle = (request, ...more) => {
    const [three = '', two = ''] = BEGINNING.exec(request.url) ?? [];
    handle.call(routers.get(three) ?? routers.get(two) ?? router, request, ...more);
  };
}

/** The segments of a path before its first parameter. */
function literalOf({ path }: Route): string {
  return typeof path === 'string' ? path.replace(/\/?[^/]*[:*{(].*$|\/$/, '') : '';
}

interface Router {
  readonly stack: readonly Layer[];
  handle: (this: Router, request: { readonly url: string }, ...more: readonly unknown[]) => void;
}

function routerOf(app: NestExpressApplication): Router {
  return (app.getHttpAdapter().getInstance() as Express).router as unknown as Router;
}

/** The types of the router lack it. */
interface Layer {
  readonly route?: Route;
  match(path: string): boolean;
}

interface Route {
  readonly path: string | readonly string[];
  readonly methods: Readonly<Record<string, boolean>>;
}

/** `/users/search` also matches `/users/:id`, so only routes with the fewest parameters count. Empty for an unknown path. */
export function methodsAt(app: NestExpressApplication, path: string): string[] {
  const routes = routerOf(app).stack.flatMap((layer) => (layer.route && layer.match(path) ? [layer.route] : []));
  const fewest = Math.min(...routes.map(parametersOf));
  const methods = routes
    .filter((route) => parametersOf(route) === fewest)
    .flatMap((route) => Object.keys(route.methods).map((method) => method.toUpperCase()));
  return [...new Set(methods.includes('GET') ? [...methods, 'HEAD'] : methods)].toSorted();
}

function parametersOf({ path }: Route): number {
  return [...String(path).matchAll(/[:*]/g)].length;
}
