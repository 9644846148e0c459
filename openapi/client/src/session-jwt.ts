import { decodeBase64 } from './bytes.js';

export interface SessionVerifierOptions {
  /** The service as its JWTs name it: `BASE_URL`. */
  readonly baseUrl: string;
  readonly appId: string;
  /** Where the keys are, if the service is reached at another address than `baseUrl`. */
  readonly jwksUrl?: string;
  /** JWTs of the service have no `aud`. A JWT with one is refused unless it contains this audience. */
  readonly audience?: string;
  /** Difference between the clocks that is accepted: 5 s by default. */
  readonly clockToleranceSeconds?: number;
  /** The keys are fetched again when they are older: 300 s by default. */
  readonly cacheSeconds?: number;
  /** At most one fetch in this time, also for JWTs with unknown keys: 30 s by default. */
  readonly refetchSeconds?: number;
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** The time in milliseconds since 1970. */
  readonly now?: () => number;
}

export interface SessionClaims {
  readonly iss: string;
  /** The user. */
  readonly sub: string;
  /** The session. */
  readonly jti: string;
  readonly iat: number;
  readonly nbf: number;
  readonly exp: number;
  /** The session object is in the claim that `SESSION_CLAIM` of the service names. */
  readonly [claim: string]: unknown;
}

export type JwtFault =
  'malformed' | 'algorithm' | 'unknown_key' | 'signature' | 'issuer' | 'audience' | 'expired' | 'not_yet_valid';

/** The JWT is not a valid session of the app: answer 401. */
export class InvalidJwt extends Error {
  override readonly name = 'InvalidJwt';
  constructor(readonly fault: JwtFault) {
    super(`The session JWT is not valid: ${fault}.`);
  }
}

/** The keys could not be fetched, so the JWT was not checked: answer 503. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const RS256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
const MAX_LENGTH = 8_192;
const FETCH_TIMEOUT_MS = 10_000;
/** A key stays published for an hour after its last JWT, so older copies of the key set are of no use. */
const MAX_STALE_SECONDS = 3_600;

/** Verifies session JWTs without a call of the service. A revoked session is accepted until its JWT expires (minutes). */
export class SessionVerifier {
  private readonly issuer: string;
  private readonly keys: KeySet;

  constructor(private readonly options: SessionVerifierOptions) {
    const baseUrl = options.baseUrl.replace(/\/$/, '');
    this.issuer = `${baseUrl}/${options.appId}`;
    this.keys = new KeySet(options.jwksUrl ?? `${baseUrl}/v1/auth/jwks/${options.appId}`, options);
  }

  /** The claims of a valid JWT. Throws `InvalidJwt`, or `KeysUnavailable` if the service is unreachable. */
  async verify(jwt: string): Promise<SessionClaims> {
    const { header, claims, input, signature } = parse(jwt);
    // The algorithm is fixed here and never taken from the JWT, which an attacker writes.
    if (header['alg'] !== 'RS256' || 'crit' in header || 'b64' in header) throw new InvalidJwt('algorithm');
    const { kid } = header;
    const key = typeof kid === 'string' ? await this.keys.find(kid) : null;
    if (!key) throw new InvalidJwt('unknown_key');
    if (!(await crypto.subtle.verify(RS256, key, signature, input))) throw new InvalidJwt('signature');
    this.check(claims);
    return claims;
  }

  private check(claims: Record<string, unknown>): asserts claims is SessionClaims & Record<string, unknown> {
    const { iss, sub, jti, iat, nbf, exp, aud } = claims;
    if (iss !== this.issuer) throw new InvalidJwt('issuer');
    if (aud !== undefined && !(this.options.audience && [aud].flat().includes(this.options.audience))) {
      throw new InvalidJwt('audience');
    }
    if (typeof sub !== 'string' || typeof jti !== 'string') throw new InvalidJwt('malformed');
    if (typeof iat !== 'number' || typeof nbf !== 'number' || typeof exp !== 'number')
      throw new InvalidJwt('malformed');
    const now = (this.options.now?.() ?? Date.now()) / 1_000;
    const tolerance = this.options.clockToleranceSeconds ?? 5;
    if (exp <= now - tolerance) throw new InvalidJwt('expired');
    if (nbf > now + tolerance) throw new InvalidJwt('not_yet_valid');
  }
}

/** The published keys of an app. */
class KeySet {
  private keys: ReadonlyMap<string, Key> = new Map();
  private fetchedAt = -Infinity;
  private triedAt = -Infinity;
  private fetching: Promise<void> | null = null;

  constructor(
    private readonly url: string,
    private readonly options: SessionVerifierOptions,
  ) {}

  async find(kid: string): Promise<Key | null> {
    const { cacheSeconds = 300, refetchSeconds = 30 } = this.options;
    const isFresh = this.age(this.fetchedAt) < cacheSeconds;
    if (!isFresh || !this.keys.has(kid)) {
      if (this.age(this.triedAt) >= refetchSeconds) this.fetching ??= this.fetch();
      await this.fetching;
    }
    if (this.age(this.fetchedAt) > MAX_STALE_SECONDS) throw new KeysUnavailable(`No keys from ${this.url}.`);
    return this.keys.get(kid) ?? null;
  }

  /** Keeps the keys if it fails: the service may restart. */
  private async fetch(): Promise<void> {
    const startedAt = this.now();
    this.triedAt = startedAt;
    try {
      const get = this.options.fetch ?? ((url, init) => globalThis.fetch(url, init));
      const response = await get(this.url, { redirect: 'manual', signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
      if (!response.ok) return;
      const { keys } = (await response.json()) as { keys: JsonWebKeyOfSet[] };
      this.keys = new Map(await Promise.all(keys.filter(isForSessions).map(imported)));
      this.fetchedAt = startedAt;
    } catch {
      // find() decides whether the keys it has are recent enough.
    } finally {
      this.fetching = null;
    }
  }

  private now(): number {
    return this.options.now?.() ?? Date.now();
  }

  private age(at: number): number {
    return (this.now() - at) / 1_000;
  }
}

interface JsonWebKeyOfSet {
  readonly kid: string;
  readonly kty: string;
  readonly alg?: string;
  readonly use?: string;
  readonly n: string;
  readonly e: string;
}

function isForSessions({ kty, alg, use }: JsonWebKeyOfSet): boolean {
  return kty === 'RSA' && (alg ?? 'RS256') === 'RS256' && (use ?? 'sig') === 'sig';
}

async function imported({ kid, n, e }: JsonWebKeyOfSet): Promise<[string, Key]> {
  return [kid, await crypto.subtle.importKey('jwk', { kty: 'RSA', n, e }, RS256, false, ['verify'])];
}

function parse(jwt: string) {
  const parts = jwt.length <= MAX_LENGTH ? jwt.split('.') : [];
  const [header, claims, signature] = parts.map((part) => decodeBase64(part, 'base64url'));
  if (parts.length !== 3 || !header || !claims || !signature) throw new InvalidJwt('malformed');
  const input = new TextEncoder().encode(jwt.slice(0, jwt.lastIndexOf('.')));
  return { header: objectOf(header), claims: objectOf(claims), input, signature };
}

function objectOf(bytes: Uint8Array): Record<string, unknown> {
  let value: unknown = null;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // Refused below.
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new InvalidJwt('malformed');
  return value as Record<string, unknown>;
}
