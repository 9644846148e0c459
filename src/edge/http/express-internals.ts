import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';
import { requireVersion } from '../../postgres/written-for.js';

// The only file that uses private parts of Express and of its router. test/edge/http/express-internals.spec.ts is its contract test.
requireVersion('express', '5.3');
requireVersion('router', '2.3');

/** The router's own record of a route, which its types lack. */
interface Layer {
  readonly route?: { readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): boolean;
}

/** The methods of the routes at this path, for `Allow`. Empty for an unknown path. */
export function methodsAt(app: NestExpressApplication, path: string): string[] {
  const { stack } = (app.getHttpAdapter().getInstance() as Express).router as unknown as { readonly stack: Layer[] };
  const methods = stack.flatMap((layer) =>
    layer.route && layer.match(path) ? Object.keys(layer.route.methods).map((method) => method.toUpperCase()) : [],
  );
  return [...new Set(methods.includes('GET') ? [...methods, 'HEAD'] : methods)].toSorted();
}
