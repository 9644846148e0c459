import type { Client } from './client.js';
import { ApiError, NetworkError } from './errors.js';
import { RevocationFeed, type RevocationOptions } from './revocations.js';
import {
  InvalidJwt,
  type JwtFault,
  KeysUnavailable,
  type SessionClaims,
  SessionVerifier,
  type SessionVerifierOptions,
} from './session-jwt.js';

export interface SessionGuardOptions extends SessionVerifierOptions {
  /** The cookie with the session token or the session JWT: `session` by default. */
  readonly cookie?: string;
  /** A client with the secret key of the app: for session tokens, `immediate` and `followRevocations`. */
  readonly client?: Client;
  /** Asks the service about the session of every request, so that an ended session is refused at once. */
  readonly immediate?: boolean;
  /** Reads the feed for ended sessions, so that they are refused within seconds without a call per request. */
  readonly followRevocations?: boolean | Omit<RevocationOptions, 'now'>;
}

/** The headers `Cookie` and `Authorization` of a request. */
export interface SessionCredentials {
  readonly cookie?: string | null | undefined;
  readonly authorization?: string | null | undefined;
}

export interface SessionCheck {
  /** Asks the service about this session, for instance before a payment. */
  readonly immediate?: boolean;
}

export type SessionFault = JwtFault | 'missing' | 'invalid' | 'ended' | 'unavailable';

/** The request has no valid session (401), or the session could not be checked (503). `problem` is the body of the response. */
export class SessionRefused extends Error {
  override readonly name = 'SessionRefused';
  readonly status: 401 | 503;
  readonly headers: Readonly<Record<string, string>>;
  readonly problem: Readonly<Record<string, string | number>>;

  constructor(
    readonly fault: SessionFault,
    baseUrl: string,
    options?: ErrorOptions,
  ) {
    const isUnavailable = fault === 'unavailable';
    const detail = DETAILS[fault] ?? 'The session is not valid. Sign in again.';
    super(detail, options);
    this.status = isUnavailable ? 503 : 401;
    this.headers = {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...(isUnavailable
        ? { 'retry-after': '5' }
        : { 'www-authenticate': fault === 'missing' ? 'Bearer' : 'Bearer error="invalid_token"' }),
    };
    this.problem = {
      type: isUnavailable ? 'about:blank' : `${baseUrl}/errors/invalid_session`,
      title: isUnavailable ? 'Service unavailable' : 'Invalid session',
      status: this.status,
      detail,
      error_type: isUnavailable ? 'session_check_unavailable' : 'invalid_session',
      reason: fault,
    };
  }

  toResponse(): Response {
    return new Response(JSON.stringify(this.problem), { status: this.status, headers: this.headers });
  }
}

const DETAILS: Partial<Record<SessionFault, string>> = {
  missing: 'The request has no session. Send it as a Bearer token or in the session cookie.',
  expired: 'The session JWT has expired. Get a new one, or sign in again.',
  ended: 'The session has ended. Sign in again.',
  unavailable: 'The session cannot be checked at the moment. Try again later.',
};

const CALL_TIMEOUT_MS = 5_000;
/** Session tokens are letters, digits, `-` and `_`; a JWT has two dots. Other text costs no call. */
const TOKEN = /^[\w-]{20,200}$/;
const MAX_TOKENS = 10_000;

const admitted = new WeakMap<object, SessionClaims>();

/** The session of a request that `requireSession` of an adapter has admitted. */
export function sessionOf(request: object): SessionClaims {
  const session = admitted.get(request);
  if (!session) throw new Error('requireSession has not admitted this request.');
  return session;
}

/** Finds and verifies the session of a request. Keep one per process. */
export class SessionGuard {
  private readonly verifier: SessionVerifier;
  private readonly baseUrl: string;
  private readonly feed: RevocationFeed | undefined;
  /** The JWT of each session token, until it expires. */
  private readonly jwts = new Map<string, Promise<string>>();

  constructor(private readonly options: SessionGuardOptions) {
    const { client, followRevocations, immediate, now } = options;
    if (!client && (followRevocations || immediate))
      throw new TypeError('A session guard needs a client with the secret key to ask the service.');
    this.verifier = new SessionVerifier(options);
    this.baseUrl = options.baseUrl.replace(/\/$/, '');
    if (client && followRevocations)
      this.feed = new RevocationFeed(client, {
        ...(followRevocations !== true && followRevocations),
        ...(now && { now }),
      });
  }

  /**
   * The claims of the session. A Bearer token has precedence over the cookie. Throws `SessionRefused`, and `ApiError` if the key of the
   * client is wrong.
   */
  async verifySession({ cookie, authorization }: SessionCredentials, check?: SessionCheck): Promise<SessionClaims> {
    const credential = bearerIn(authorization) ?? valueIn(cookie, this.options.cookie ?? 'session');
    if (!credential) throw new SessionRefused('missing', this.baseUrl);
    try {
      const claims = await this.claimsOf(credential, check?.immediate ?? this.options.immediate ?? false);
      const hasEnded = this.feed ? await this.feed.hasEnded(claims.jti) : false;
      // Null: the feed could not be read lately.
      if (hasEnded === null) throw new SessionRefused('unavailable', this.baseUrl);
      if (hasEnded) throw new SessionRefused('ended', this.baseUrl);
      return claims;
    } catch (error) {
      throw this.refusalFor(error);
    }
  }

  /** Verifies the session and keeps it for `sessionOf(request)`; returns the refusal instead of throwing it. For adapters. */
  async admit(request: object, sent: SessionCredentials, check?: SessionCheck): Promise<SessionRefused | null> {
    try {
      admitted.set(request, await this.verifySession(sent, check));
      return null;
    } catch (error) {
      if (error instanceof SessionRefused) return error;
      throw error;
    }
  }

  /** Stops reading the feed. */
  close(): void {
    this.feed?.close();
  }

  private async claimsOf(credential: string, immediate: boolean): Promise<SessionClaims> {
    const isJwt = credential.includes('.');
    if (isJwt && !immediate) return this.verifier.verify(credential);
    // Ask no service about a text that is no credential, or about a forged or expired JWT.
    if (isJwt) await this.verifier.verify(credential);
    else if (!this.options.client || !TOKEN.test(credential)) throw new InvalidJwt('malformed');
    if (immediate) return this.verifier.verify(await this.ask(credential));
    const kept = this.jwtOf(credential);
    try {
      return await this.verifier.verify(await kept);
    } catch (error) {
      if (!(error instanceof InvalidJwt && error.fault === 'expired')) throw error;
      // Of several requests that find it expired, the first one asks for the next.
      if (this.jwts.get(credential) === kept) this.jwts.delete(credential);
      return this.verifier.verify(await this.jwtOf(credential));
    }
  }

  /** Simultaneous requests with one token share one call. */
  private jwtOf(token: string): Promise<string> {
    let jwt = this.jwts.get(token);
    if (!jwt) {
      jwt = this.ask(token);
      this.jwts.set(token, jwt);
      jwt.catch(() => this.jwts.delete(token));
      const [oldest] = this.jwts.keys();
      if (this.jwts.size > MAX_TOKENS) this.jwts.delete(oldest!);
    }
    return jwt;
  }

  private async ask(credential: string): Promise<string> {
    const { client } = this.options;
    if (!client) throw new TypeError('An immediate check needs a client with the secret key.');
    const body = credential.includes('.') ? { session_jwt: credential } : { session_token: credential };
    return (await client.sessions.verify(body, { signal: AbortSignal.timeout(CALL_TIMEOUT_MS) })).session_jwt;
  }

  private refusalFor(error: unknown): unknown {
    const refusedAs = (fault: SessionFault): SessionRefused =>
      new SessionRefused(fault, this.baseUrl, { cause: error });
    if (error instanceof InvalidJwt) return refusedAs(error.fault);
    if (ApiError.is(error, 'invalid_session')) return refusedAs('invalid');
    const isUnavailable =
      error instanceof KeysUnavailable ||
      error instanceof NetworkError ||
      (error instanceof ApiError && (error.status === 429 || error.status >= 500)) ||
      (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError'));
    return isUnavailable ? refusedAs('unavailable') : error;
  }
}

function bearerIn(authorization: string | null | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}

function valueIn(cookies: string | null | undefined, name: string): string | undefined {
  for (const cookie of cookies?.split(';') ?? []) {
    const [key, ...value] = cookie.split('=');
    if (key!.trim() === name)
      return (
        value
          .join('=')
          .trim()
          .replace(/^"(.*)"$/, '$1') || undefined
      );
  }
  return undefined;
}
