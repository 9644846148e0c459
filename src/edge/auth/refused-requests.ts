import type { Request } from 'express';
import { type AppId, isId } from '../../kernel/ids.js';
import { clientNetwork, plainAddress } from '../../services/limits/client-network.js';
import type { AuthenticatedRequest } from '../http/authenticated-request.js';
import { routeOf } from '../http/request-context.js';

export interface RefusedRequest {
  readonly status: number;
  /** The app of the path or the key. The path of a caller without a valid key may name an app that does not exist. */
  readonly appId: AppId | null;
  /** Null when the key is not valid or belongs to no app. */
  readonly appOfKey: AppId | null;
  readonly keyId: string | null;
  readonly errorType: string;
  readonly method: string;
  /** The pattern of the route: the URL may contain tokens. */
  readonly route: string;
  readonly requestId: string;
  readonly ip: string | null;
  readonly network: string;
}

/** The audit module implements it. */
export abstract class RefusedRequests {
  abstract note(call: RefusedRequest): void;
}

export function refusedRequestOf(request: Request, status: number): RefusedRequest {
  const { app_, managementCaller, otherCaller } = request as AuthenticatedRequest;
  const named: unknown = request.params?.['app_id'];
  const caller = app_ ?? managementCaller ?? otherCaller;
  const appOfKey = app_?.id ?? otherCaller?.id ?? null;
  return {
    status,
    appId: isId('app', named) ? named : appOfKey,
    appOfKey,
    keyId: caller?.keyId ?? null,
    errorType: request.errorType!,
    method: request.method,
    route: routeOf(request),
    requestId: request.requestId,
    ip: addressOf(request.ip),
    network: clientNetwork(request),
  };
}

export function addressOf(ip: string | undefined): string | null {
  return plainAddress(ip) ?? null;
}
