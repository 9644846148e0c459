import { epochSeconds } from '../../../kernel/clock.js';
import type { AppId, SessionId, UserId } from '../../../kernel/ids.js';
import type { Lifetime } from '../../../kernel/lifetime.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import type { FactorDocument } from './factor.js';

/** The permitted duration of a session, in minutes. Without a duration there is no session, or no extension. */
export const SESSION_LIFETIME = { min: 5, max: 525_600 } as const satisfies Lifetime;

/** The device that started a session, as reported by the app's backend. Either field may be empty. */
export interface DeviceFingerprint {
  readonly ip: string;
  readonly userAgent: string;
}

/** The signed-in state of a user until it expires or is revoked. Factors are only added, and its end only moves later. */
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
  /** The keys of the factors that count for step-up, see `refreshes`. Null in a session from before the column. */
  declare readonly freshFactors: readonly string[] | null;
  declare readonly userAgent: string;
  declare readonly ip: string;
  declare readonly revokedAt: Date | null;
  /** Counts the changes of the session object in a JWT: an added factor or a later end. */
  declare readonly version: number;
  declare readonly updatedAt: Date;
  declare readonly createdAt: Date;
}

/** A live session as the database saw it at `asOf`, by the database's clock. */
export type LiveSession = Omit<Session, 'appId' | 'tokenHash' | 'revokedAt' | 'freshFactors'> & { readonly asOf: Date };

/** A session that may have ended; it is kept for a while. */
export type KeptSession = LiveSession & Pick<Session, 'revokedAt'>;

export const SESSION_STATES = ['active', 'expired', 'revoked'] as const;

export function stateOf({ revokedAt, expiresAt, asOf }: KeptSession): (typeof SESSION_STATES)[number] {
  if (revokedAt) return 'revoked';
  return expiresAt <= asOf ? 'expired' : 'active';
}

/** The public form of a session: the same object in responses and in JWTs. */
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

export function sessionDocument(session: Omit<LiveSession, 'asOf'>): SessionDocument {
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
