import { Injectable } from '@nestjs/common';
import { hash } from 'node:crypto';
import { epochSeconds } from '../../../kernel/clock.js';
import type { AppId, SessionId, SigningKeyId } from '../../../kernel/ids.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { InvalidSession } from '../../../kernel/errors.js';
import { claimsOf, isSignedBy, readJwt, sessionClaims, signJwt, timesOf } from '../domain/session-jwt.js';
import {
  endOf,
  type LiveSession,
  type SessionDocument,
  sessionDocument,
  type SessionProof,
} from '../domain/session.js';
import { RecentlyUsed } from '../../../kernel/recently-used.js';
import { type KeySet, SigningKeys } from './signing-keys.js';
import { type ClaimsOfUser, UserClaims } from './user-claims.js';

export type SessionSecret = { readonly token: string } | { readonly jwt: string };

export interface IssuedSession {
  readonly document: SessionDocument;
  /** Empty if a JWT named the session, because only the hash of its token is stored. */
  readonly token: string;
  /** Signed only on request, after the transaction that changed the session; with an `Idempotency-Key`, before that commits. */
  jwt(): Promise<string>;
}

export abstract class JwtSettings {
  abstract readonly baseUrl: string;
  abstract readonly sessionClaim: string;
}

interface RememberedJwt {
  readonly version: number;
  /** A version number is used again after a rollback, and under an `Idempotency-Key` a JWT is signed before COMMIT. */
  readonly updatedAt: number;
  readonly life: number;
  readonly expiresAt: number;
  readonly text: Promise<string>;
}

/** Signature and claims are checked once and never change; only the validity does. */
interface CheckedJwt {
  readonly appId: AppId;
  readonly kid: SigningKeyId;
  readonly proof: SessionProof;
}

/** Each JWT has about 1.5 kB. */
const REMEMBERED = 20_000;

/** Each entry has about 0.4 kB. */
const CHECKED = 20_000;

/** Issued JWTs are kept only in memory, so that the database contains no usable secret. */
@Injectable()
export class SessionSecrets {
  private readonly remembered = new RecentlyUsed<SessionId, RememberedJwt>(REMEMBERED);
  /** By the hash of the JWT; saves the RSA check, a sixth of a verify call. Only valid JWTs get in: no attacker can fill it. */
  private readonly checked = new RecentlyUsed<string, CheckedJwt>(CHECKED);

  constructor(
    private readonly keys: SigningKeys,
    private readonly tokens: SecretTokens,
    private readonly settings: JwtSettings,
    private readonly userClaims: UserClaims,
  ) {}

  async read(appId: AppId, secret: SessionSecret): Promise<SessionProof> {
    if ('token' in secret) return { by: 'token', tokenHash: this.tokens.hash('session_token', secret.token) };
    const name = hash('sha256', secret.jwt, 'base64');
    const known = this.checked.get(name);
    // The JWTs of a deleted key are invalid, even if they were checked before.
    if (known?.appId === appId && (await this.keys.publicKey(appId, known.kid))) return known.proof;
    const checked = await this.check(appId, secret.jwt);
    this.checked.set(name, checked);
    return checked.proof;
  }

  private async check(appId: AppId, jwt: string): Promise<CheckedJwt> {
    const unverified = readJwt(jwt);
    const publicKey = unverified && (await this.keys.publicKey(appId, unverified.kid));
    const claims = publicKey && isSignedBy(unverified, publicKey) && sessionClaims(unverified, this.issuer(appId));
    if (!claims) throw new InvalidSession();
    const { jti: sessionId, sub: userId, nbf: notBefore, exp: expiresAt } = claims;
    return { appId, kid: unverified.kid, proof: { by: 'jwt', sessionId, userId, notBefore, expiresAt } };
  }

  /** A transaction that spends a proof reads the claims: the answer after it needs the database no more. */
  issue(keys: KeySet, session: LiveSession, token: string, claims?: ClaimsOfUser): IssuedSession {
    return { document: sessionDocument(session), token, jwt: () => this.jwt(keys, session, claims) };
  }

  /** The last issued JWT is reused while at least half of its lifetime is left. */
  private jwt(keys: KeySet, session: LiveSession, claims?: ClaimsOfUser): Promise<string> {
    const known = this.remembered.get(session.id);
    const updatedAt = session.updatedAt.getTime();
    const isSame = known?.version === session.version && known.updatedAt === updatedAt;
    // The app may have set an earlier end since.
    const isWithin = isSame && known.expiresAt <= epochSeconds(endOf(session));
    if (isWithin && 2 * (known.expiresAt - epochSeconds(session.asOf)) >= known.life) return known.text;
    const text = this.signed(keys, session, claims);
    const { iat, exp } = timesOf(session);
    this.remembered.set(session.id, {
      version: session.version,
      updatedAt,
      life: exp - iat,
      expiresAt: exp,
      text,
    });
    text.catch(() => this.remembered.delete(session.id));
    return text;
  }

  private async signed({ appId, current }: KeySet, session: LiveSession, read?: ClaimsOfUser): Promise<string> {
    const further = read ?? (await this.userClaims.of(appId, session.userId));
    const claims = claimsOf(session, this.issuer(appId), this.settings.sessionClaim, further);
    return signJwt(claims, current.kid, current.privateKey);
  }

  private issuer(appId: AppId): string {
    return `${this.settings.baseUrl}/${appId}`;
  }
}
