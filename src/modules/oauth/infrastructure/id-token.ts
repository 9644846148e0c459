import { errors, jwtVerify, type JWTPayload, type RemoteJWKSet } from 'jose';
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

export interface IdTokenExpectation {
  /** The provider's own keys. A key or key address in the token's header is never looked at. */
  readonly keys: RemoteJWKSet;
  /** `{tenantid}` stands for the token's `tid`. */
  readonly issuer: string;
  readonly clientId: string;
  readonly nonce: string;
  readonly now: Date;
}

/** The claims of an id_token that passes every check of OpenID Connect Core 3.1.3.7. Throws `ProviderRejected` otherwise. */
export async function verifyIdToken(
  idToken: string,
  { keys, issuer, clientId, nonce, now }: IdTokenExpectation,
): Promise<JWTPayload & { sub: string }> {
  const claims = await verified(idToken, keys, clientId, now);
  if (claims.iss !== issuer.replace('{tenantid}', tenantOf(claims)))
    throw new ProviderRejected('the id_token is of another issuer');
  if (claims['nonce'] !== nonce) throw new ProviderRejected('the id_token has another nonce');
  const { azp } = claims;
  const isSharedAudience = Array.isArray(claims.aud) && claims.aud.length > 1;
  if ((azp !== undefined || isSharedAudience) && azp !== clientId)
    throw new ProviderRejected('the id_token was made for another party');
  if (typeof claims.sub !== 'string') throw new ProviderRejected('the id_token has no subject');
  return { ...claims, sub: claims.sub };
}

async function verified(idToken: string, keys: RemoteJWKSet, clientId: string, now: Date): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(idToken, keys, {
      algorithms: ALGORITHMS,
      audience: clientId,
      requiredClaims: ['iss', 'sub', 'exp', 'iat'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: now,
    });
    return payload;
  } catch (cause) {
    // jose's messages name claims and algorithms, never their values.
    if (cause instanceof errors.JOSEError)
      throw new ProviderRejected(`the id_token does not verify: ${cause.message}`, { cause });
    throw cause;
  }
}

function tenantOf({ tid }: JWTPayload): string {
  return typeof tid === 'string' && TENANT.test(tid) ? tid : '';
}
