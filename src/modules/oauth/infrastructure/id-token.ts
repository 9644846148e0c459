import { errors, jwtVerify, type JWTPayload, type RemoteJWKSet } from 'jose';
import { DomainError } from '../../../kernel/domain-error.js';
import { ProviderRejected } from '../domain/oauth.errors.js';

// Asymmetric only: an HMAC could be made by whoever knows the public key or the client secret, `none` by anybody.
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const CLOCK_TOLERANCE_SECONDS = 60;
const TENANT = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;

export interface TokenExpectation {
  /** The provider's own keys. A key or key address in the token's header is never looked at. */
  readonly keys: RemoteJWKSet;
  /** `{tenantid}` stands for the token's `tid`. */
  readonly issuer: string;
  /** A second spelling of the issuer that the provider documents. */
  readonly issuerAlias?: string;
  readonly clientId: string;
  readonly now: Date;
}

/** The claims of an id_token that passes every check of OpenID Connect Core 3.1.3.7. Throws `ProviderRejected` otherwise. */
export async function verifyIdToken(
  idToken: string,
  { nonce, ...expected }: TokenExpectation & { readonly nonce: string },
): Promise<JWTPayload & { sub: string }> {
  const claims = await verified('id_token', idToken, expected, ['iss', 'sub', 'exp', 'iat']);
  if (claims['nonce'] !== nonce) throw new ProviderRejected('the id_token has another nonce');
  const { azp } = claims;
  const isSharedAudience = Array.isArray(claims.aud) && claims.aud.length > 1;
  if ((azp !== undefined || isSharedAudience) && azp !== expected.clientId)
    throw new ProviderRejected('the id_token was made for another party');
  if (typeof claims.sub !== 'string') throw new ProviderRejected('the id_token has no subject');
  return { ...claims, sub: claims.sub };
}

/** The claims of a signed userinfo answer (OpenID Connect Core 5.3.2). Throws `ProviderRejected`. */
export function verifyUserinfo(userinfo: string, expected: TokenExpectation): Promise<JWTPayload> {
  return verified('userinfo JWT', userinfo, expected, ['iss', 'sub', 'aud']);
}

async function verified(
  what: string,
  jwt: string,
  { keys, issuer, issuerAlias, clientId, now }: TokenExpectation,
  requiredClaims: string[],
): Promise<JWTPayload> {
  const { payload } = await jwtVerify(jwt, keys, {
    algorithms: ALGORITHMS,
    audience: clientId,
    requiredClaims,
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    currentDate: now,
  }).catch((cause: unknown) => {
    if (cause instanceof DomainError) throw cause;
    // jose's messages name claims and algorithms, never their values. Other errors come from importing the provider's
    // keys (too short, members missing, a point off the curve), and their messages may quote them.
    const reason = cause instanceof errors.JOSEError ? cause.message : 'its key cannot be used';
    throw new ProviderRejected(`the ${what} does not verify: ${reason}`, { cause });
  });
  const issuers = [issuer.replace('{tenantid}', tenantOf(payload)), issuerAlias];
  if (payload.iss === undefined || !issuers.includes(payload.iss))
    throw new ProviderRejected(`the ${what} is of another issuer`);
  return payload;
}

function tenantOf({ tid }: JWTPayload): string {
  return typeof tid === 'string' && TENANT.test(tid) ? tid : '';
}
