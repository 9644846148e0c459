import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, NotFoundException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DomainError, type ErrorKind } from '../kernel/domain-error.js';
import type { AppId } from '../kernel/ids.js';
import { type Refusals, refusedUserOf } from '../kernel/refusals.js';
import { clientNetwork } from '../services/limits/client-network.js';
import { isDatabaseUnavailable } from '../postgres/database-unavailable.js';
import type { CallRates } from './limits/call-rates.js';
import {
  InternalError,
  MethodNotAllowed,
  MissingScope,
  PayloadTooLarge,
  RouteNotFound,
  UnauthorizedCredentials,
} from './errors/edge-errors.js';
import {
  DatabaseUnavailable,
  InvalidRequest,
  Overloaded,
  SealedValueAltered,
  SealedValueUnavailable,
  TooManyRequests,
} from '../kernel/errors.js';
import { SealAltered, SealBroken } from '../kernel/vault.js';
import { hasLongBodyUnread } from './http/json-body.js';
import { routeOf } from './http/request-context.js';
import type { AuthenticatedRequest } from './http/authenticated-request.js';
import { refusedRequestOf, type RefusedRequests } from './auth/refused-requests.js';
import { problemOf, STATUS } from './errors/problem.js';

const ABOUT_THE_REQUEST: ReadonlySet<ErrorKind> = new Set([
  'invalid',
  'unauthenticated',
  'forbidden',
  'not_found',
  'too_large',
  'unsupported_media_type',
]);

@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    private readonly rates: Pick<CallRates, 'takeForNetwork'>,
    private readonly methodsAt: (path: string) => readonly string[],
    private readonly baseUrl: string,
    private readonly refusals: Pick<Refusals, 'report'>,
    private readonly refusedRequests: RefusedRequests,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const [request, response] = [http.getRequest<Request>(), http.getResponse<Response>()];
    const problem = this.counted(this.precise(thrown, request), request, response);
    const status = sendProblem(problem, request, response, this.baseUrl);
    if (problem instanceof DomainError && request.appId !== undefined) {
      request.loggedUserId = refusedUserOf(problem);
      const { app_: app } = request as AuthenticatedRequest;
      this.refusals.report({
        appId: request.appId as AppId,
        network: clientNetwork(request),
        requestId: request.requestId,
        ...(app?.restriction && { actor: app.keyId }),
        refusal: problem,
      });
    }
    if (status < 500) this.refusedRequests.note(refusedRequestOf(request, status));
  }

  /** Nest reports a missing method as not found. `GET /users/search`, where only POST exists, reaches `GET /users/:id`. */
  private precise(thrown: unknown, request: Request): unknown {
    const isRefused =
      request.route === undefined
        ? thrown instanceof NotFoundException
        : thrown instanceof DomainError && ABOUT_THE_REQUEST.has(thrown.kind) && routeOf(request).includes(':');
    if (!isRefused) return thrown;
    const allowed = this.methodsAt(request.path);
    return allowed.length > 0 && !allowed.includes(request.method) ? new MethodNotAllowed(allowed) : thrown;
  }

  /** A request without a route has passed no guard that counts it. */
  private counted(thrown: unknown, request: Request, response: Response): unknown {
    if (request.route !== undefined || response.headersSent) return thrown;
    try {
      this.rates.takeForNetwork(request, response);
      return thrown;
    } catch (tooMany) {
      return tooMany;
    }
  }
}

function sendProblem(thrown: unknown, request: Request, response: Response, baseUrl: string): number {
  const error = refusalBehind(thrown);
  const status = STATUS[error.kind];
  request.errorType = error.code;
  // Under overload the lines alone are many; a stack would say nothing more.
  if (status >= 500 && !(thrown instanceof Overloaded)) request.failure = thrown;
  if (response.headersSent) {
    response.destroy();
    return status;
  }
  if (error.retryAfterSeconds !== undefined)
    response.setHeader('Retry-After', String(Math.ceil(error.retryAfterSeconds)));
  if (error instanceof TooManyRequests && error.policy) {
    const { name, quota, windowSeconds } = error.policy;
    response.appendHeader('RateLimit-Policy', `"${name}";q=${quota};w=${windowSeconds}`);
    response.appendHeader('RateLimit', `"${name}";r=0;t=${Math.ceil(error.retryAfterSeconds)}`);
  }
  if (error instanceof MethodNotAllowed) response.setHeader('Allow', error.allowed.join(', '));
  if (hasLongBodyUnread(request)) response.setHeader('Connection', 'close');
  const challenge = challengeOf(error, request);
  if (challenge !== null) response.setHeader('WWW-Authenticate', challenge);
  response.status(status).setHeader('Content-Type', 'application/problem+json');
  response.end(JSON.stringify(problemOf(error, request.requestId, baseUrl)));
  return status;
}

/** The challenge of RFC 6750, section 3, or of RFC 9449, section 7.1; null where there is none. */
function challengeOf(error: DomainError, { headers: { authorization = '' } }: Request): string | null {
  const scheme = /^dpop /i.test(authorization) ? 'DPoP' : 'Bearer';
  if (error instanceof MissingScope) return `${scheme} error="insufficient_scope", scope="${error.needed.join(' ')}"`;
  if (error.kind !== 'unauthenticated') return null;
  const hasToken = error instanceof UnauthorizedCredentials && /^(bearer|dpop) [^.]+\./i.test(authorization);
  return hasToken ? `${scheme} error="invalid_token"` : scheme;
}

function refusalBehind(thrown: unknown): DomainError {
  if (thrown instanceof DomainError) return thrown;
  if (isDatabaseUnavailable(thrown)) return new DatabaseUnavailable();
  if (thrown instanceof SealAltered) return new SealedValueAltered({ cause: thrown });
  if (thrown instanceof SealBroken) return new SealedValueUnavailable({ cause: thrown });
  if (thrown instanceof URIError)
    return new InvalidRequest([{ field: 'path', rule: 'format', message: 'is not valid percent-encoding' }]);
  const status = thrown instanceof HttpException ? thrown.getStatus() : (thrown as { status?: unknown } | null)?.status;
  if (status === 404) return new RouteNotFound();
  if (status === 413) return new PayloadTooLarge();
  if (status === 400) return new InvalidRequest([{ field: 'request', rule: 'format', message: 'is not well-formed' }]);
  return new InternalError();
}
