import { type KeyObject, sign, verify } from 'node:crypto';
import { epochSeconds } from '../../../kernel/clock.js';
import { isId, type SessionId, type SigningKeyId, type UserId } from '../../../kernel/ids.js';
import { endOf, type LiveSession, sessionDocument } from './session.js';

/** The lifetime of a JWT, unless its session ends earlier. A JWT stays valid after its session is deleted. */
export const JWT_LIFE_SECONDS = 300;

/** How far the clock of a verifier may be behind that of the database. */
const CLOCK_LAG_SECONDS = 60;

/** Longer tokens are refused. A usual one has 1.5 kB. */
const MAX_LENGTH = 8_192;

/** The JSON that fits into `MAX_LENGTH` as base64url, between a header and a signature. */
const MAX_CLAIMS_BYTES = 5_700;

export interface RequiredClaims {
  readonly iss: string;
  readonly sub: UserId;
  readonly jti: SessionId;
  /** Epoch seconds of the database's clock, like all times here. */
  readonly iat: number;
  /** Before `iat`, because clocks of verifiers lag. */
  readonly nbf: number;
  readonly exp: number;
}

export function timesOf(session: LiveSession): Pick<RequiredClaims, 'iat' | 'nbf' | 'exp'> {
  const iat = epochSeconds(session.asOf);
  const exp = Math.min(iat + JWT_LIFE_SECONDS, epochSeconds(endOf(session)));
  return { iat, nbf: iat - CLOCK_LAG_SECONDS, exp };
}

/** `further` claims replace none of the session. If the factors do not all fit into a JWT, only the latest are included. */
export function claimsOf(
  session: LiveSession,
  issuer: string,
  sessionClaim: string,
  further: Readonly<Record<string, unknown>> = {},
): RequiredClaims {
  const document = sessionDocument(session);
  const claims: RequiredClaims & Record<string, unknown> = {
    ...further,
    iss: issuer,
    sub: session.userId,
    jti: session.id,
    ...timesOf(session),
    [sessionClaim]: document,
  };
  let { factors } = document;
  while (factors.length > 1 && Buffer.byteLength(JSON.stringify(claims)) > MAX_CLAIMS_BYTES) {
    factors = factors.slice(1);
    claims[sessionClaim] = { ...document, factors };
  }
  return claims;
}

/** Signs on libuv's thread pool: an RSA signature would block the event loop for a quarter of a millisecond. */
export function signJwt(claims: RequiredClaims, kid: SigningKeyId, privateKey: KeyObject): Promise<string> {
  const input = `${encode({ alg: 'RS256', kid, typ: 'JWT' })}.${encode(claims)}`;
  return new Promise((resolve, reject) => {
    sign('sha256', Buffer.from(input), privateKey, (error, signature) => {
      if (error) reject(error);
      else resolve(`${input}.${signature.toString('base64url')}`);
    });
  });
}

/** Not trusted before `isSignedBy`: until then, it only says which key to try. */
export interface UnverifiedJwt {
  readonly kid: SigningKeyId;
  /** Which kind of JWT it is (RFC 8725, section 3.11). */
  readonly type: unknown;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly input: string;
  readonly signature: Buffer;
}

/** Null if the JWS cannot be of this service: only RS256 and a `kid` are accepted, no key or key's URL in the header is ever used. */
export function readJwt(jwt: string): UnverifiedJwt | null {
  if (jwt.length > MAX_LENGTH) return null;
  const parts = jwt.split('.');
  if (parts.length !== 3) return null;
  const [header, payload, signature] = parts.map(decode);
  if (!header || !payload || !signature) return null;
  const { alg, kid, typ, crit, b64 } = parse(header) ?? {};
  const claims = parse(payload);
  if (alg !== 'RS256' || crit !== undefined || b64 !== undefined || !isId('signingKey', kid) || !claims) return null;
  return { kid, type: typ, claims, input: jwt.slice(0, jwt.lastIndexOf('.')), signature };
}

export function isSignedBy({ input, signature }: UnverifiedJwt, publicKey: KeyObject): boolean {
  return verify('sha256', Buffer.from(input), publicKey, signature);
}

/** Null unless complete and of this issuer. The database decides whether the times are valid now. */
export function sessionClaims({ claims }: UnverifiedJwt, issuer: string): RequiredClaims | null {
  const { iss, sub, jti, iat, nbf, exp } = claims;
  if (iss !== issuer || !isId('user', sub) || !isId('session', jti)) return null;
  if (!isTime(iat) || !isTime(nbf) || !isTime(exp)) return null;
  return { iss, sub, jti, iat, nbf, exp };
}

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= 253_402_300_799;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Node's decoder skips characters that are not base64url. Only the spelling that Node would write is accepted. */
function decode(part: string): Buffer | null {
  const bytes = Buffer.from(part, 'base64url');
  return bytes.length > 0 && bytes.toString('base64url') === part ? bytes : null;
}

function parse(bytes: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
