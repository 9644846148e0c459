import type { NextFunction, Request, Response } from 'express';
import { randomUUID } from 'node:crypto';
import {
  createServer,
  type OutgoingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { DomainError } from '../../kernel/domain-error.js';
import { type ConnectionLimits, OpenConnections } from './connections.js';
import { mostConnections } from '../../services/open-files.js';
import { ExpectationFailed, RequestTimeout, TooManyConnections } from '../errors/edge-errors.js';
import { InvalidRequest, Overloaded } from '../../kernel/errors.js';
import type { OverloadDoor } from './overload-door.js';
import { problemOf } from '../errors/problem.js';
import { requestIdOf } from './request-context.js';

const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  /** Proxies keep idle connections for 60 s commonly, and would otherwise use a connection that was just closed. */
  keepAliveTimeout: 75_000,
  /** `oneHost` checks it: Node's own refusal has no body. */
  requireHostHeader: false,
} as const;
/** Its stack would cost more than the rest of a refusal. */
const OVERLOADED = new Overloaded();
const NO_TARGET = new InvalidRequest([{ field: 'path', rule: 'format', message: 'must be a path or a URL' }]);

/** Express answers other request targets (RFC 9112, section 3.2) before any middleware. */
const isTarget = (url: string): boolean => url.startsWith('/') || url === '*' || URL.canParse(url);
/** The connections reserved for health, and for closed ones that are still counted. */
const RESERVE = 100;

interface ServerSettings {
  readonly baseUrl: string;
  /** Behind a proxy all clients may come from one network. */
  readonly trustsProxy: boolean;
}

export function connectionLimits(
  { trustsProxy }: Pick<ServerSettings, 'trustsProxy'>,
  most = mostConnections(),
): ConnectionLimits {
  const total = most - RESERVE;
  return { total, perNetwork: trustsProxy ? total : Math.floor(most / 4), reserve: RESERVE / 2 };
}

/** Malformed requests never reach the application; they are refused in the form of all other errors. */
export function httpServer(
  listener: RequestListener,
  { baseUrl, ...settings }: ServerSettings,
  limits = connectionLimits(settings),
): { readonly server: Server; readonly connections: OpenConnections } {
  const serve: RequestListener = (request, response) => {
    if (connections.admits(request, response)) listener(request, response);
    else answerRefusal(new TooManyConnections(), response, baseUrl, { Connection: 'close', 'Retry-After': '1' });
  };
  const server = createServer(LIMITS, serve);
  server.maxConnections = limits.total + RESERVE;
  const connections = new OpenConnections(server, limits);
  server
    .on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => answerUnreadable(error, socket, baseUrl))
    // `BodyGuard` sends 100 Continue when it reads the body. Node would send it to a client without a valid key too.
    .on('checkContinue', serve)
    .on('checkExpectation', (_request, response) => answerRefusal(new ExpectationFailed(), response, baseUrl));
  return { server, connections };
}

/** Closes the connection, because the boundary to the next request is unknown. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket, baseUrl: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = answerOf(refusalBehind(error), randomUUID(), baseUrl);
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
}

function refusalBehind({ code }: NodeJS.ErrnoException): DomainError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new RequestTimeout();
  const message = code === 'HPE_HEADER_OVERFLOW' ? 'has too long headers' : 'is not HTTP';
  return new InvalidRequest([{ field: 'request', rule: 'format', message }]);
}

function answerRefusal(error: DomainError, response: ServerResponse, baseUrl: string, more: OutgoingHttpHeaders = {}) {
  const { status, headers, body } = answerOf(error, requestIdOf(response.req), baseUrl);
  response.writeHead(status, { ...headers, ...more }).end(body);
}

function answerOf(error: DomainError, requestId: string, baseUrl: string) {
  const problem = problemOf(error, requestId, baseUrl);
  const body = JSON.stringify(problem);
  const headers = {
    'Content-Type': 'application/problem+json',
    'Cache-Control': 'no-store',
    'X-Request-Id': problem.request_id,
    'Content-Length': Buffer.byteLength(body),
  };
  return { status: problem.status, headers, body };
}

/** A proxy and the service behind it may choose different ones of two Host headers. */
export function oneHost(request: Request, _response: Response, next: NextFunction): void {
  let hosts = 0;
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    const name = request.rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts !== 1 && (hosts > 1 || request.httpVersion !== '1.0'))
    throw new InvalidRequest([{ field: 'Host', rule: 'exactly_one', message: 'must be given exactly once' }]);
  next();
}

/** `response.json` of Express also reads settings, parses media types and checks freshness, none of which is used: 5 % of a read. */
export class JsonExpressAdapter extends ExpressAdapter {
  connections?: OpenConnections;
  /** Asked before Express, whose work costs more than a refusal. */
  door?: OverloadDoor;

  constructor(private readonly settings: ServerSettings) {
    super();
  }

  override initHttpServer(): void {
    const listener = this.getInstance<RequestListener>();
    const { server, connections } = httpServer((request, response) => {
      if (this.door?.refuses(request))
        answerRefusal(OVERLOADED, response, this.settings.baseUrl, { 'Retry-After': '2' });
      else if (!isTarget(request.url!)) answerRefusal(NO_TARGET, response, this.settings.baseUrl);
      else listener(request, response);
    }, this.settings);
    this.httpServer = server;
    this.connections = connections;
  }

  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (typeof body !== 'object' || body === null || Object.getPrototypeOf(body) !== Object.prototype)
      return super.reply(response, body, statusCode);
    if (statusCode !== undefined) response.statusCode = statusCode;
    const text = JSON.stringify(body);
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    const bytes = Buffer.byteLength(text);
    response.setHeader('Content-Length', bytes);
    // As many bytes as characters means ASCII, which Node copies faster as `latin1`.
    return response.end(text, bytes === text.length ? 'latin1' : 'utf8');
  }
}
