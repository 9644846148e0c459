import type { NestExpressApplication } from '@nestjs/platform-express';
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { CallRates } from '../limits/call-rates.js';
import { HttpMetrics } from '../observability/metrics.js';
import { serveDocument } from '../openapi/serve-document.js';
import { jsonBody } from './json-body.js';
import { InvalidRequest } from './errors.js';
import { ProblemFilter, problemOf } from './problem.filter.js';
import { requestContext } from './request-context.js';
import { requestTarget } from './request-target.js';
import { ValidationPipe } from './validation.pipe.js';

/** Everything every request passes, in the order it passes it. */
export function configureEdge(app: NestExpressApplication, config: Config, logger: Logger): void {
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', config.trustProxy);
  app.set('query parser', 'simple');
  app.use(requestContext(logger, app.get(HttpMetrics)));
  const documents = helmet({
    contentSecurityPolicy: {
      directives: { 'script-src': ["'self'", "'unsafe-inline'"], 'upgrade-insecure-requests': null },
    },
  });
  const answers = apiHeaders(config);
  const headers: RequestHandler = (request, response, next) =>
    (request.path.startsWith('/docs') ? documents : answers)(request, response, next);
  app.use(headers);
  app.use(requestTarget);
  app.use(jsonBody({ urlencodedPaths: ['/v1/auth/oauth/callback/'] }));
  app.useGlobalPipes(new ValidationPipe());
  app.useGlobalFilters(new ProblemFilter(app.get(CallRates)));
  serveDocument(app);
}

/** What helmet would set on JSON answers, as constants: on the hot path its dozen closures cost more than the guard. */
function apiHeaders(config: Config): RequestHandler {
  const strict = config.baseUrl.startsWith('https:');
  return (_request, response, next) => {
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('X-Frame-Options', 'DENY');
    response.setHeader('Referrer-Policy', 'no-referrer');
    response.setHeader(
      'Content-Security-Policy',
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    );
    if (strict) response.setHeader('Strict-Transport-Security', 'max-age=31536000; includeSubDomains');
    next();
  };
}

/**
 * What Node's parser refuses never becomes a request, so no middleware sees it; it is told in the same form all the same.
 * The connection closes: where one request ends and the next begins is no longer known.
 */
export function answerUnreadable(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
    const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW';
    const problem = problemOf(
      new InvalidRequest([
        { field: 'request', code: 'format', message: isTooLarge ? 'has too long headers' : 'is not HTTP' },
      ]),
      randomUUID(),
    );
    const body = JSON.stringify(problem);
    socket.end(
      `HTTP/1.1 400 Bad Request\r\nContent-Type: application/problem+json\r\nCache-Control: no-store\r\nX-Request-Id: ${problem.request_id}\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  });
}
