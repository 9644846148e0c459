import { randomInt, randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { runCall } from '../../kernel/current-call.js';
import { currentTracing, type RequestSpan } from '../../kernel/tracing.js';
import type { HttpMetrics } from '../../services/observability/metrics.js';
import type { AuthenticatedRequest } from './authenticated-request.js';
import type { OverloadDoor } from './overload-door.js';

declare module 'express-serve-static-core' {
  interface Request {
    /** The caller's id, or a new one. Every response, error body and log line contains it. */
    requestId: string;
    appId?: string;
    errorType?: string;
    /** The user who signed in, or whom the refusal is about; for the log only. */
    loggedUserId?: string | undefined;
    failure?: unknown;
    isOver?: boolean;
    isGone?: boolean;
  }
}

/** Events keep it longer than the data of a person: no address, and no telephone number. */
const SAFE_REQUEST_ID = /^(?!\+)[A-Za-z0-9._:/+=-]{1,128}$/;
/** The request id is logged, stored and published in events, so it must contain no part of a key. */
const HOLDS_KEY = /(?:[spr]k_(?:test|live)|mk|whsec)_[0-9a-z+/]{16}/i;

/** Asked every few seconds by balancers and orchestrators. Only their failures are logged. */
const PROBES: ReadonlySet<string> = new Set(['/livez', '/readyz', '/version', '/metrics']);

/** The first middleware: sets request id and no-store; one log line and one measurement for a request that the door lets pass. */
export function requestContext(logger: Logger, metrics: HttpMetrics, door: OverloadDoor, loggedReadsPercent: number) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const started = performance.now();
    let span: RequestSpan | undefined;
    request.requestId = requestIdOf(request);
    response.setHeader('X-Request-Id', request.requestId);
    response.setHeader('Cache-Control', 'no-store');
    response.once('close', () => {
      if (response.writableFinished) request.isOver = true;
      else request.isGone = true;
      door.note(request as AuthenticatedRequest);
      const milliseconds = performance.now() - started;
      // A path or query may contain ids, tokens and keys.
      const route = routeOf(request);
      const status = response.writableFinished ? response.statusCode : 499;
      metrics.observe(request.method, route, status, milliseconds / 1000, request.errorType);
      span?.end(`${request.method} ${route}`, status, {
        'http.request.method': request.method,
        'http.route': route,
        'app.id': request.appId,
        'request.id': request.requestId,
        'error.type': request.errorType,
      });
      const line = {
        request_id: request.requestId,
        trace_id: span?.traceId,
        app_id: request.appId,
        method: request.method,
        route,
        status,
        error_type: request.errorType,
        user_id: request.loggedUserId,
        duration_ms: Math.round(milliseconds * 100) / 100,
      };
      if (status >= 500 && request.failure !== undefined)
        logger.error({ ...line, err: describe(request.failure) }, 'request');
      else if (status >= 400 || (!PROBES.has(route) && (request.method !== 'GET' || isSampled(loggedReadsPercent))))
        logger.info(line, 'request');
    });
    const tracing = PROBES.has(request.path) ? undefined : currentTracing();
    const work = (): void => runCall(request, next);
    if (tracing) span = tracing.receive(request.headers, request.method, work);
    else work();
  };
}

function isSampled(percent: number): boolean {
  return percent === 100 || randomInt(100) < percent;
}

export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && SAFE_REQUEST_ID.test(given) && !HOLDS_KEY.test(given) ? given : randomUUID();
}

export function routeOf(request: Request): string {
  const route = request.route as { path?: unknown } | undefined;
  return typeof route?.path === 'string' ? route.path : 'unmatched';
}

/** `detail` is left out, because database drivers put parameters into it. */
function describe(failure: unknown): Record<string, unknown> {
  if (!(failure instanceof Error)) return { name: typeof failure };
  const { code } = failure as { code?: unknown };
  return { name: failure.name, code, message: failure.message, stack: failure.stack, cause: describeCause(failure) };
}

/** Drops the message of the cause: messages of chain nodes and their clients contain URLs, and with them keys. */
function describeCause({ cause }: Error): Record<string, unknown> | undefined {
  if (typeof cause !== 'object' || cause === null) return undefined;
  const { name, code } = cause as { name?: unknown; code?: unknown };
  return { name, code };
}
