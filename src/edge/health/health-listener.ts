import type { NextFunction, Request, Response } from 'express';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { RouteNotFound } from '../errors/edge-errors.js';

const PATHS: ReadonlySet<string> = new Set(['/livez', '/readyz', '/version', '/metrics']);
const received = new WeakSet<IncomingMessage>();

/** Connections of clients cannot fill this server, and a network policy can close it to them. */
export function healthServer(listener: RequestListener): Server {
  return createServer({ headersTimeout: 10_000, requestTimeout: 30_000 }, (request, response) => {
    received.add(request);
    listener(request, response);
  });
}

export function separateHealth(isMetricsOnMain: boolean) {
  return (request: Request, _response: Response, next: NextFunction): void => {
    const { path } = request;
    // Routes take no notice of letter case or of a slash at the end.
    const route = path.toLowerCase().replace(/\/$/, '');
    const isServed = received.has(request) ? PATHS.has(route) : isMetricsOnMain || route !== '/metrics';
    if (!isServed) throw new RouteNotFound();
    next();
  };
}
