import type { Request } from 'express';
import type { AppAuthenticator } from './credential.js';
import type { AuthenticatedRequest } from '../http/authenticated-request.js';
import { type Arrived, type KeyKind, KEYS, UnauthorizedCredentials, WrongKeyKind } from '../errors/edge-errors.js';

/** 403 for a valid key of another kind, whose holder is noted, else 401. */
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
        (await keys.byRestrictedKey(key, request)) ??
        (await keys.byPublicToken(key)) ??
        (await keys.byManagementKey(key)));
  if (!holder) return new UnauthorizedCredentials(required, arrivedIn(request, key, required));
  request.otherCaller = holder;
  return new WrongKeyKind(required);
}

const SCHEMES = /^(basic|digest|token|apikey|negotiate)\b/i;
const PREFIX = /^(?:sk|rk|pk|mk)_/;

/** `key` is empty for a malformed Authorization header. */
function arrivedIn(
  { headers: { authorization }, rawHeaders }: Request,
  key: string | undefined,
  required: KeyKind,
): Arrived {
  if (key === undefined) return ['nothing'];
  const isInHeader = required !== 'public' && authorization !== undefined;
  if (isInHeader && key === '') {
    if (countOf('authorization', rawHeaders) > 1) return ['twice'];
    const [, scheme] = SCHEMES.exec(authorization) ?? [];
    if (scheme !== undefined) return ['other_scheme', `${scheme[0]!.toUpperCase()}${scheme.slice(1).toLowerCase()}`];
    if (PREFIX.test(authorization)) return ['without_bearer'];
  }
  if (key.includes('.')) return ['token'];
  const [prefix] = PREFIX.exec(key) ?? [];
  if (prefix === undefined) return [key === '' && !isInHeader ? 'nothing' : 'no_key'];
  const isOther = prefix !== KEYS[required].prefix && !(required === 'secret' && prefix === 'rk_');
  return isOther ? ['other_prefix', `${prefix}…`] : ['unknown'];
}

const MAX_KEY_LENGTH = 200;
const JWT = '[\\w-]+\\.[\\w-]+\\.[\\w-]+';
/** A key, or an access token, which is a JWT. Only a token is sent with a proof. */
const BEARER = new RegExp(`^(?:Bearer +(\\w{1,${MAX_KEY_LENGTH}}|${JWT})|DPoP +(${JWT}))$`, 'i');

/** Empty, which is no key, for a malformed or repeated header: Node keeps only the first of several, and no other place must be tried. */
export function bearerToken({ headers, rawHeaders }: Request): string | undefined {
  if (headers.authorization === undefined) return undefined;
  if (countOf('authorization', rawHeaders) !== 1) return '';
  const [, bearer, bound] = BEARER.exec(headers.authorization) ?? [];
  return bearer ?? bound ?? '';
}

function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]!.toLowerCase() === name) count++;
  return count;
}

export function queryParameter({ query }: Request, name: string): string | undefined {
  const value = query[name];
  return typeof value === 'string' && value.length <= MAX_KEY_LENGTH ? value : undefined;
}
