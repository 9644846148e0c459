import { Injectable } from '@nestjs/common';
import { type AppId, newId, type SessionId, type UserId } from '../../../kernel/ids.js';
import { type KeyBinding, requireUserWithin } from '../../../kernel/key-restriction.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { AppsFacade } from '../../apps/index.js';
import { type CallerSession, IdentityFacade, UserInactive, UserNotFound } from '../../identity/index.js';
import { type Factor, factorKey, FactorTypes } from '../domain/factor.js';
import { InvalidSession } from '../../../kernel/errors.js';
import { AddressOfOtherAccount, SigningKeyUnavailable } from '../domain/session.errors.js';
import { FactorAdded, SessionCreated, SessionRevoked } from '../domain/session.events.js';
import {
  type DeviceFingerprint,
  FRESH_SECONDS,
  type LiveSession,
  type NoSession,
  type OwnerState,
  type SealedSession,
  SESSION_IDLE_MINUTES,
  SESSION_MAX_MINUTES,
  type SessionBound,
  SessionRepository,
} from '../domain/session.js';
import { isSignedBy, readJwt, type UnverifiedJwt } from '../domain/session-jwt.js';
import { type KeySet, SigningKeys } from './signing-keys.js';
import { type IssuedSession, type SessionSecret, SessionSecrets } from './session-secrets.js';
import { UserClaims } from './user-claims.js';

export interface SessionArguments {
  readonly minutes?: number;
  readonly token?: string;
  readonly jwt?: string;
  readonly deviceFingerprint?: Partial<DeviceFingerprint>;
  readonly expectedUserId?: UserId | undefined;
  /** Only the user to whom the calling key is bound may be signed in. */
  readonly binding?: KeyBinding | null;
}

/** Decides whether `addFactor` starts a session, joins one or does neither. `userId` is the user of the session that the call named. */
export type SessionIntent = Resolved & {
  readonly binding: KeyBinding | null;
  readonly expectedUserId?: UserId | undefined;
};

type Resolved =
  | { readonly kind: 'none'; readonly userId: null }
  | {
      readonly kind: 'start';
      readonly userId: null;
      readonly minutes: number;
      readonly sessionsPerUser: number;
      readonly idleMinutes: number | null;
      readonly deviceFingerprint: DeviceFingerprint;
      readonly keys: KeySet;
    }
  | {
      readonly kind: 'join';
      readonly userId: UserId;
      readonly session: LiveSession;
      readonly token: string;
      readonly minutes: number | null;
      readonly keys: KeySet;
    };

export type TokenKeys = Pick<KeySet, 'current' | 'publicKeys' | 'etag'>;

export interface ProvenMethod {
  /** Whether this call gives an existing user a sign-in method that they did not have. */
  readonly isAdded: boolean;
}

/** A verify call resolves its session arguments, spends the proof and adds the factor in one transaction, and answers after COMMIT. */
@Injectable()
export class SessionFacade {
  /** Each sign-in may be refused for these, for any proof. */
  static readonly refusals = [AddressOfOtherAccount, InvalidSession, SigningKeyUnavailable, UserInactive, UserNotFound];

  constructor(
    private readonly sessions: SessionRepository,
    private readonly secrets: SessionSecrets,
    private readonly keys: SigningKeys,
    private readonly apps: AppsFacade,
    private readonly identity: IdentityFacade,
    private readonly tokens: SecretTokens,
    private readonly events: DomainEvents,
    private readonly factorTypes: FactorTypes,
    private readonly userClaims: UserClaims,
  ) {}

  /** Call it before anything is spent or counted, and outside any transaction. A token and a JWT must be of one session. */
  async resolve(appId: AppId, given: SessionArguments): Promise<SessionIntent> {
    const { binding = null, expectedUserId } = given;
    const resolved = await this.resolved(appId, given);
    // The session of a user whom the key does not see is treated as unknown.
    if (binding && resolved.userId !== null && resolved.userId !== binding.userId) throw new InvalidSession();
    return { ...resolved, binding, expectedUserId };
  }

  private async resolved(
    appId: AppId,
    { minutes, token, jwt, deviceFingerprint }: SessionArguments,
  ): Promise<Resolved> {
    if (token === undefined && jwt === undefined && minutes === undefined) return { kind: 'none', userId: null };
    const keys = await this.keys.of(appId);
    const secrets: SessionSecret[] = [
      ...(token === undefined ? [] : [{ token }]),
      ...(jwt === undefined ? [] : [{ jwt }]),
    ];
    const [session, ...further] = await Promise.all(secrets.map((secret) => this.live(appId, secret)));
    if (further.some(({ id }) => id !== session?.id)) throw new InvalidSession();
    if (session)
      return { kind: 'join', userId: session.userId, session, token: token ?? '', minutes: minutes ?? null, keys };
    const { ip = '', userAgent = '' } = deviceFingerprint ?? {};
    const { limits, moduleSettings } = await this.apps.settings(appId);
    const [idle, bound] = [SESSION_IDLE_MINUTES, SESSION_MAX_MINUTES].map(
      (name) => moduleSettings[name] as SessionBound | undefined,
    );
    return {
      kind: 'start',
      userId: null,
      minutes: Math.min(minutes!, bound?.minutes ?? Infinity),
      sessionsPerUser: limits.sessionsPerUser,
      idleMinutes: idle?.minutes ?? null,
      deviceFingerprint: { ip, userAgent },
      keys,
    };
  }

  /** Last in the transaction that spends the proof: an error rolls that back. Refuses users who are not active, and ended sessions. */
  async addFactor(
    appId: AppId,
    intent: SessionIntent,
    userId: UserId,
    proven: Factor,
    { isAdded }: ProvenMethod = { isAdded: false },
  ): Promise<IssuedSession | null> {
    requireUserWithin(intent.binding, userId);
    requireExpected(intent, userId);
    const factor = this.factorTypes.document(proven);
    if (isAdded) this.identity.limitUnverifiedAddresses(appId, userId);
    // A session that the factor joins publishes the event with its id.
    if (isAdded && intent.kind !== 'join') await this.announceFactor(appId, userId, proven);
    switch (intent.kind) {
      case 'none': {
        const unaltered = this.identity.requireUnaltered(appId, userId);
        const [owner] = await Promise.all([this.sessions.ownerState(appId, userId), unaltered]);
        refuseUnlessActive(owner);
        return null;
      }
      case 'start': {
        const id = newId('session');
        const token = this.tokens.mint();
        const { minutes, sessionsPerUser, idleMinutes, deviceFingerprint } = intent;
        const tokenHash = this.tokens.hash('session_token', token);
        const [started, claims] = await Promise.all([
          this.sessions.start(appId, {
            id,
            userId,
            tokenHash,
            minutes,
            sessionsPerUser,
            idleMinutes,
            factor,
            deviceFingerprint,
          }),
          this.userClaims.of(appId, userId),
          this.identity.requireUnaltered(appId, userId),
        ]);
        const session = heldBy(started);
        await this.events.publish(new SessionCreated(appId, id, userId, factor));
        return this.secrets.issue(intent.keys, session, token, claims);
      }
      case 'join': {
        const { id, factors } = intent.session;
        if (isAdded || !Object.hasOwn(factors, factorKey(factor)))
          await this.events.publish(new FactorAdded(appId, id, userId, factor, isAdded));
        const [joined, claims] = await Promise.all([
          this.sessions.join(appId, id, userId, factor, intent.minutes),
          this.userClaims.of(appId, userId),
          this.identity.requireUnaltered(appId, userId),
        ]);
        const session = heldBy(joined);
        return this.secrets.issue(intent.keys, session, intent.token, claims);
      }
    }
  }

  /** The session of an earlier response as it is now. `over` once it has ended, or without a session once the user is not active. */
  async again(
    appId: AppId,
    userId: UserId,
    session: { readonly id: SessionId; readonly token: string } | null,
  ): Promise<IssuedSession | null | 'over'> {
    if (!session) return (await this.sessions.ownerState(appId, userId)) === 'active' ? null : 'over';
    const [keys, live] = await Promise.all([
      this.keys.of(appId),
      this.sessions.find(appId, { by: 'id', sessionId: session.id }),
    ]);
    return live ? this.secrets.issue(keys, live, session.token) : 'over';
  }

  announceFactor(appId: AppId, userId: UserId, factor: Factor): Promise<void> {
    return this.events.publish(new FactorAdded(appId, null, userId, this.factorTypes.document(factor), true));
  }

  carriedBy(appId: AppId, intent: SessionIntent): CallerSession | null {
    if (intent.kind !== 'join') return null;
    const { id, userId } = intent.session;
    return { userId, isFresh: (adding) => this.isFresh(appId, id, userId, adding) };
  }

  /** The session saw a proof in the last 10 minutes, by a method that was itself proved long enough ago, or the account's first proof. */
  private async isFresh(appId: AppId, id: SessionId, userId: UserId, adding?: string): Promise<boolean> {
    const factors = await this.sessions.provedWithin(appId, id, FRESH_SECONDS);
    const proofs = factors.flatMap((factor) => this.factorTypes.credentialOf(factor) ?? []);
    if (proofs.length > 0 && (await this.identity.hasAged(appId, userId, proofs))) return true;
    const types = factors.map(({ type }) => type);
    return adding !== undefined && this.identity.mayAddFirst(appId, userId, adding, types);
  }

  /** JWTs signed before stay valid. Returns false and changes nothing if the last rotation was only minutes ago. */
  rotateSigningKeys(appId: AppId): Promise<boolean> {
    return this.keys.rotate(appId);
  }

  /** The id proves nothing about the caller. */
  liveOf(appId: AppId, sessionId: SessionId): Promise<LiveSession | null> {
    return this.sessions.find(appId, { by: 'id', sessionId });
  }

  /** For a live session that the SQL of another module has joined. Throws `SealAltered` if SQL has altered it. */
  requireUnaltered(appId: AppId, sealed: SealedSession): void {
    this.sessions.requireUnaltered(appId, sealed);
  }

  async end(appId: AppId, sessionId: SessionId): Promise<void> {
    const ended = await this.sessions.revoke(appId, { by: 'id', sessionId });
    if (ended) await this.events.publish(new SessionRevoked(appId, ended.id, ended.userId));
  }

  tokenKeys(appId: AppId): Promise<TokenKeys> {
    return this.keys.of(appId);
  }

  /** Null unless a key of the app has signed the text. The JWT may have expired, or be of another issuer. */
  async readSigned(appId: AppId, jwt: string): Promise<Pick<UnverifiedJwt, 'type' | 'claims'> | null> {
    const unverified = readJwt(jwt);
    const key = unverified && (await this.keys.publicKey(appId, unverified.kid));
    return key && isSignedBy(unverified, key) ? unverified : null;
  }

  private async live(appId: AppId, secret: SessionSecret): Promise<LiveSession> {
    const session = await this.sessions.find(appId, await this.secrets.read(appId, secret));
    if (!session) throw new InvalidSession();
    return session;
  }
}

export function requireExpected({ expectedUserId }: SessionIntent, userId: UserId): void {
  if (expectedUserId !== undefined && expectedUserId !== userId) throw new AddressOfOtherAccount();
}

const REFUSALS = { unknown: UserNotFound, inactive: UserInactive, over: InvalidSession } as const;

function refuseUnlessActive(owner: OwnerState): void {
  if (owner !== 'active') throw new REFUSALS[owner]();
}

function heldBy(held: LiveSession | NoSession): LiveSession {
  if (typeof held === 'string') throw new REFUSALS[held]();
  return held;
}
