import type { AppId, SessionId, UserId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import type { DeviceFingerprint, KeptSession, LiveSession } from './session.js';
import type { UnstampedFactor } from './factor.js';

/** How a caller names a live session: by its secret, by the checked claims of its JWT, or (to revoke it only) by its id. */
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
  readonly factor: UnstampedFactor;
  readonly deviceFingerprint: DeviceFingerprint;
}

/** The user a session is for: only an active one may hold it. */
export type OwnerState = 'active' | 'inactive' | 'unknown';

/** Why there is no session: its owner is not active, or the session to join is not live or belongs to another user. */
export type NoSession = Exclude<OwnerState, 'active'> | 'over';

/** The sessions of all apps. Every method is one statement. Live means neither revoked nor expired, by the database's clock. */
export abstract class SessionRepository {
  /** The live session that the proof names, or null. */
  abstract find(appId: AppId, proof: SessionProof): Promise<LiveSession | null>;

  /** Like `find`, and moves the end to `minutes` from now unless the end is already later. */
  abstract extend(appId: AppId, proof: SessionProof, minutes: number): Promise<LiveSession | null>;

  /** Records that the session is in use now. */
  abstract touch(appId: AppId, id: SessionId): Promise<void>;

  /**
   * Starts a session of an active user, writes the transaction's events and commits, unless the transaction is nested. If
   * no session is returned, roll back. The user's row is locked against change until then, so a concurrent deactivation
   * either prevents or revokes the session. Sessions of a user start one after another: the oldest sessions above
   * `sessionsPerUser` end first, with their `session.revoked` events.
   */
  abstract start(appId: AppId, session: NewSession): Promise<LiveSession | NoSession>;

  /**
   * Adds the factor to a live session of an active user; the same factor again is replaced. Factors added at the same time
   * are all kept. `refreshes` is kept for the factor: proved again, it still makes the session fresh. `minutes` moves the end as `extend` does. Commits like `start`.
   */
  abstract join(
    appId: AppId,
    id: SessionId,
    userId: UserId,
    factor: UnstampedFactor,
    options: { readonly minutes: number | null; readonly refreshes: boolean },
  ): Promise<LiveSession | NoSession>;

  /** The seconds since the last proof of a factor that makes the session fresh, by the database's clock; null without one. */
  abstract secondsSinceProof(appId: AppId, id: SessionId): Promise<number | null>;

  /** Whether the user may sign in, for a login without a session. */
  abstract ownerState(appId: AppId, userId: UserId): Promise<OwnerState>;

  /** Ends the live session and returns it, or returns null. Of concurrent calls, only one gets the session. */
  abstract revoke(appId: AppId, reference: SessionReference): Promise<{ id: SessionId; userId: UserId } | null>;

  /** Ends all live sessions of a user whose row is locked, and writes their `session.revoked` events. */
  abstract revokeAllOf(appId: AppId, userId: UserId): Promise<void>;

  /** Lists the sessions of all users of the app, ended ones included, newest first. */
  abstract list(appId: AppId, page: PageRequest<SessionId>): Promise<Page<KeptSession>>;

  /** Lists live sessions of a user, newest first. Null when the app has no such user. */
  abstract listOf(appId: AppId, userId: UserId, page: PageRequest<SessionId>): Promise<Page<LiveSession> | null>;
}
