import type { NestExpressApplication } from '@nestjs/platform-express';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { Refusals } from '../kernel/refusals.js';
import type { Config } from '../services/config/config.js';
import { confineRestrictedKeys } from './auth/restricted-calls.js';
import { takeIdempotencyKeys } from './idempotency/post-routes.js';
import { Database } from '../postgres/database.js';
import { CallRates } from './limits/call-rates.js';
import { OverloadDoor } from './http/overload-door.js';
import { HttpMetrics, scrapedGauge } from '../services/observability/metrics.js';
import { separateHealth } from './health/health-listener.js';
import { serveConsole } from './pages/serve-console.js';
import { serveGuide } from './pages/serve-guide.js';
import { serveDocument } from './openapi/serve-document.js';
import { refuseChanges } from './read-only.js';
import { type JsonExpressAdapter, oneHost } from './http/http-server.js';
import { methodsAt, trustProxies } from './http/express-internals.js';
import { ProblemFilter } from './problem.filter.js';
import { RefusedRequests } from './auth/refused-requests.js';
import { requestContext } from './http/request-context.js';
import { requestTarget } from './http/request-target.js';
import { ValidationPipe } from './http/validation.pipe.js';

/** Every request passes them in this order. */
export function configureEdge(app: NestExpressApplication, config: Config, logger: Logger): void {
  app.disable('x-powered-by');
  app.disable('etag');
  trustProxies(app, config.trustProxy);
  app.set('query parser', 'simple');
  const door = new OverloadDoor(app.get(Database), logger);
  const adapter = app.getHttpAdapter() as JsonExpressAdapter;
  adapter.door = door;
  const metrics = app.get(HttpMetrics);
  const connections = { name: 'http_connections', help: 'Connections of clients, by state.', label: 'state' };
  scrapedGauge(metrics.registry, connections, () => adapter.connections?.counts ?? { open: 0, beyond: 0 });
  app.use(requestContext(logger, metrics, door, config.loggedReadsPercent));
  app.use(securityHeaders(config));
  app.use(oneHost);
  app.use(requestTarget);
  if (config.healthPort !== undefined) app.use(separateHealth(config.metricsOn === 'both'));
  app.useGlobalPipes(new ValidationPipe());
  app.useGlobalFilters(
    new ProblemFilter(
      app.get(CallRates),
      (path) => methodsAt(app, path),
      config.baseUrl,
      app.get(Refusals),
      app.get(RefusedRequests, { strict: false }),
    ),
  );
  takeIdempotencyKeys(app);
  if (config.readOnly) refuseChanges(app);
  confineRestrictedKeys(app);
  serveDocument(app);
  serveConsole(app);
  serveGuide(app);
}

/** A library's dozen closures per request would cost more than the credential guard. */
function securityHeaders(config: Config): RequestHandler {
  const strict = config.baseUrl.startsWith('https:');
  return (_request, response, next) => {
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('X-Frame-Options', 'DENY');
    response.setHeader('Referrer-Policy', 'no-referrer');
    response.setHeader(
      'Content-Security-Policy',
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    if (strict) response.setHeader('Strict-Transport-Security', 'max-age=31536000; includeSubDomains');
    next();
  };
}
