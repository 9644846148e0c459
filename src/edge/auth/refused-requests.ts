import type { Request } from 'express';
import { type AppId, isId } from '../../kernel/ids.js';
import { clientNetwork, plainAddress } from '../../services/limits/client-network.js';
import type { AuthenticatedRequest } from './credential.js';
import { routeOf } from '../http/request-context.js';

/** A call that was refused with 401 or 403, be it the caller's key or the end user's session that was refused. */
export interface RefusedRequest {
  /** The app that the path or the key names. The path of a caller without a valid key may name an app that does not exist. */
  readonly appId: AppId | null;
  /** The id of the key in the request; null when it is not valid. */
  readonly keyId: string | null;
  readonly errorType: string;
  readonly method: string;
  /** The pattern of the route, never the URL, which may contain tokens. */
  readonly route: string;
  readonly requestId: string;
  readonly ip: string | null;
  readonly network: string;
}

/** Learns of every refused call. The audit module implements it. */
export abstract class RefusedRequests {
  /** Returns at once. */
  abstract note(call: RefusedRequest): void;
}

export function refusedRequestOf(request: Request, errorType: string): RefusedRequest {
  const { app_, managementCaller, otherCaller } = request as AuthenticatedRequest;
  const named: unknown = request.params?.['app_id'];
  const caller = app_ ?? managementCaller ?? otherCaller;
  return {
    appId: isId('app', named) ? named : (app_?.id ?? otherCaller?.id ?? null),
    keyId: caller?.keyId ?? null,
    errorType,
    method: request.method,
    route: routeOf(request),
    requestId: request.requestId,
    ip: addressOf(request.ip),
    network: clientNetwork(request),
  };
}

/** The caller's address as the audit log keeps it; null when it is not known. */
export function addressOf(ip: string | undefined): string | null {
  return plainAddress(ip) ?? null;
}
