import { epochSeconds } from '../../../kernel/clock.js';
import type { AppId, SessionId, UserId } from '../../../kernel/ids.js';
import type { Lifetime } from '../../../kernel/lifetime.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import type { FactorDocument, UnstampedFactor } from './factor.js';

/** The names in the API and in storage. */
export const SESSION_IDLE_MINUTES = 'session_idle_minutes';
export const SESSION_MAX_MINUTES = 'session_max_minutes';

export interface SessionBound {
  readonly minutes: number;
}

/** In minutes. Without a duration there is no session, or no extension. */
export const SESSION_LIFETIME = { min: 5, max: 525_600 } as const satisfies Lifetime;

/** As reported by the app's backend. Either field may be empty. */
export interface DeviceFingerprint {
  readonly ip: string;
  readonly userAgent: string;
}

/** Factors are only added, and the end only moves later. */
export class Session {
  declare readonly appId: AppId;
  declare readonly id: SessionId;
  declare readonly userId: UserId;
  declare readonly tokenHash: TokenHash;
  declare readonly startedAt: Date;
  declare readonly expiresAt: Date;
  /** Kept to the minute. */
  declare readonly lastActiveAt: Date;
  /** By factor key, so that the same factor verified again replaces itself. */
  declare readonly factors: Readonly<Record<string, FactorDocument>>;
  declare readonly userAgent: string;
  declare readonly ip: string;
  declare readonly revokedAt: Date | null;
  /** Counts the changes of the session object in a JWT: an added factor or a later end. */
  declare readonly version: number;
  declare readonly updatedAt: Date;
  declare readonly createdAt: Date;
}

/** As the database saw the session at `asOf`, by the database's clock. */
export type LiveSession = Omit<Session, 'appId' | 'tokenHash' | 'revokedAt'> & {
  readonly asOf: Date;
  /** The session ends after so long without use; null: it does not. */
  readonly idleSeconds: number | null;
};

export function endOf({ expiresAt, lastActiveAt, idleSeconds }: LiveSession): Date {
  if (idleSeconds === null) return expiresAt;
  return new Date(Math.min(expiresAt.getTime(), lastActiveAt.getTime() + idleSeconds * 1_000));
}

export type KeptSession = LiveSession & Pick<Session, 'revokedAt'>;

/** What the MAC of a session covers, as the view `live_session_macs` has it. */
export interface SealedSession {
  readonly tokenHash: string;
  readonly expiresAt: number;
  readonly mac: string | null;
}

/** A caller may demand these proofs of a session. */
export interface RequiredProofs {
  /** The greatest age of the last proof, or of the last proof of each kind in `factors`. */
  readonly maxAgeSeconds?: number | undefined;
  readonly factors?: readonly string[] | undefined;
}

/** The greatest `maxAgeSeconds`. */
export const OLDEST_PROOF_SECONDS = SESSION_LIFETIME.max * 60;

export const SESSION_STATES = ['active', 'expired', 'revoked'] as const;

export function stateOf(session: KeptSession): (typeof SESSION_STATES)[number] {
  if (session.revokedAt) return 'revoked';
  return endOf(session) <= session.asOf ? 'expired' : 'active';
}

export interface SessionDocument {
  readonly id: string;
  readonly user_id: string;
  readonly started_at: number;
  readonly expires_at: number;
  readonly last_active_at: number;
  readonly factors: FactorDocument[];
  readonly device_fingerprint: { readonly user_agent: string; readonly ip: string };
  readonly updated_at: number;
  readonly created_at: number;
}

export function sessionDocument(session: Omit<LiveSession, 'asOf' | 'idleSeconds'>): SessionDocument {
  return {
    id: session.id,
    user_id: session.userId,
    started_at: epochSeconds(session.startedAt),
    expires_at: epochSeconds(session.expiresAt),
    last_active_at: epochSeconds(session.lastActiveAt),
    // The order of jsonb's keys means nothing; the order of verification does.
    factors: Object.values(session.factors).sort((a, b) => a.method.last_verified_at - b.method.last_verified_at),
    device_fingerprint: { user_agent: session.userAgent, ip: session.ip },
    updated_at: epochSeconds(session.updatedAt),
    created_at: epochSeconds(session.createdAt),
  };
}

/** A `SessionReference` may also be an id, but only to revoke a session or to repeat a response. */
export type SessionProof =
  | { readonly by: 'token'; readonly tokenHash: TokenHash }
  | {
      readonly by: 'jwt';
      readonly sessionId: SessionId;
      readonly userId: UserId;
      /** The JWT's `nbf` in epoch seconds. The database's clock decides whether the JWT is valid now. */
      readonly notBefore: number;
      readonly expiresAt: number;
    };
export type SessionReference = SessionProof | { readonly by: 'id'; readonly sessionId: SessionId };

export interface NewSession {
  readonly id: SessionId;
  readonly userId: UserId;
  readonly tokenHash: TokenHash;
  readonly minutes: number;
  /** Includes the new session. The oldest sessions above the limit end. */
  readonly sessionsPerUser: number;
  /** After so long without use the session ends; null: it does not. */
  readonly idleMinutes: number | null;
  readonly factor: UnstampedFactor;
  readonly deviceFingerprint: DeviceFingerprint;
}

export type OwnerState = 'active' | 'inactive' | 'unknown';

/** Why there is no session: its owner is not active, or the session to join is not live or belongs to another user. */
export type NoSession = Exclude<OwnerState, 'active'> | 'over';

/** The sessions of all apps. Live means neither revoked nor expired, nor beyond the bounds of the app, by the database's clock. */
export abstract class SessionRepository {
  abstract find(appId: AppId, reference: SessionReference): Promise<LiveSession | null>;

  /** Throws `SealAltered` unless the service wrote the session that another module has joined. */
  abstract requireUnaltered(appId: AppId, sealed: SealedSession): void;

  /** The id of what `find` returns, also of a session that SQL has altered. */
  abstract idOf(appId: AppId, reference: SessionReference): Promise<SessionId | null>;

  /** Like `find`, and moves the end to `minutes` from now unless the end is already later. `permit` may throw before that. */
  abstract extend(
    appId: AppId,
    proof: SessionProof,
    minutes: number,
    permit: (session: LiveSession) => void,
  ): Promise<LiveSession | null>;

  abstract touch(appId: AppId, id: SessionId): Promise<void>;

  /** Commits, with the events, unless nested; without a session roll back. The user stays locked, so a deactivation sees the session. */
  abstract start(appId: AppId, session: NewSession): Promise<LiveSession | NoSession>;

  /** The same factor replaces itself, and factors added at the same time are all kept. Commits like `start`. */
  abstract join(
    appId: AppId,
    id: SessionId,
    userId: UserId,
    factor: UnstampedFactor,
    minutes: number | null,
  ): Promise<LiveSession | NoSession>;

  abstract provedWithin(appId: AppId, id: SessionId, seconds: number): Promise<readonly FactorDocument[]>;

  abstract ownerState(appId: AppId, userId: UserId): Promise<OwnerState>;

  /** Of concurrent calls, only one gets the session. */
  abstract revoke(appId: AppId, reference: SessionReference): Promise<{ id: SessionId; userId: UserId } | null>;

  /** The user's row must be locked. Also writes the `session.revoked` events. */
  abstract revokeAllOf(appId: AppId, userId: UserId): Promise<number>;

  /** Newest first, ended sessions included. */
  abstract list(appId: AppId, page: PageRequest<SessionId>): Promise<Page<KeptSession>>;

  /** Newest first. Null: the app has no such user. */
  abstract listOf(appId: AppId, userId: UserId, page: PageRequest<SessionId>): Promise<Page<LiveSession> | null>;
}

export const FRESH_SECONDS = 600;
