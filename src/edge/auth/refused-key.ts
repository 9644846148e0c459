import type { Request } from 'express';
import type { AppAuthenticator, AuthenticatedRequest } from './credential.js';
import { type KeyKind, UnauthorizedCredentials, WrongKeyKind } from '../errors/edge-errors.js';

/** The refusal of a key that is not valid for its route: 403 for a valid key of another kind, whose holder is noted, else 401. */
export async function refusalOf(
  request: AuthenticatedRequest,
  key: string | undefined,
  required: KeyKind,
  keys: AppAuthenticator,
): Promise<Error> {
  const holder =
    key === undefined
      ? null
      : ((await keys.bySecretKey(key)) ??
        (await keys.byRestrictedKey(key)) ??
        (await keys.byPublicToken(key)) ??
        (await keys.byManagementKey(key)));
  if (!holder) return new UnauthorizedCredentials(required);
  request.otherCaller = holder;
  return new WrongKeyKind(required);
}

const MAX_KEY_LENGTH = 200;
const BEARER = new RegExp(`^Bearer +([A-Za-z0-9_]{1,${MAX_KEY_LENGTH}})$`, 'i');

/**
 * The bearer token; undefined without an Authorization header. Empty, which is no key, for a header that is malformed or sent
 * twice: Node keeps only the first of several headers, and another place must not be tried instead.
 */
export function bearerToken({ headers, rawHeaders }: Request): string | undefined {
  if (headers.authorization === undefined) return undefined;
  let headerCount = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.toLowerCase() === 'authorization') headerCount++;
  }
  return (headerCount === 1 && BEARER.exec(headers.authorization)?.[1]) || '';
}

export function queryParameter({ query }: Request, name: string): string | undefined {
  const value = query[name];
  return typeof value === 'string' && value.length <= MAX_KEY_LENGTH ? value : undefined;
}
