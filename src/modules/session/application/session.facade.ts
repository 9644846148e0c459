import { Injectable } from '@nestjs/common';
import { type AppId, newId, type SessionId, type UserId } from '../../../kernel/ids.js';
import { type KeyBinding, requireUserWithin } from '../../../kernel/key-restriction.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { AppsFacade } from '../../apps/index.js';
import { UserInactive, UserNotFound } from '../../identity/index.js';
import { type Factor, factorKey, FactorTypes } from '../domain/factor.js';
import { InvalidSession } from '../domain/session.errors.js';
import { FactorAdded, SessionCreated } from '../domain/session.events.js';
import {
  type DeviceFingerprint,
  type LiveSession,
  type NoSession,
  type OwnerState,
  refreshes,
  SessionRepository,
} from '../domain/session.js';
import { type KeySet, SigningKeys } from './signing-keys.js';
import { type IssuedSession, type SessionSecret, SessionSecrets } from './session-secrets.js';

/** The session arguments of a verify call. */
export interface SessionArguments {
  readonly minutes?: number;
  readonly token?: string;
  readonly jwt?: string;
  readonly deviceFingerprint?: Partial<DeviceFingerprint>;
  /** The binding of the key that calls. Only its user is signed in. */
  readonly binding?: KeyBinding | null;
}

/**
 * Checked session arguments: they decide whether `addFactor` starts a session, joins one or does neither. `userId` is the user of the
 * live session that the call named.
 */
export type SessionIntent = Resolved & { readonly binding: KeyBinding | null };

type Resolved =
  | { readonly kind: 'none'; readonly userId: null }
  | {
      readonly kind: 'start';
      readonly userId: null;
      readonly minutes: number;
      readonly sessionsPerUser: number;
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

/** The method of a factor, e.g. an authenticator or an address, as the module that checked the factor knows it. */
export interface ProvenMethod {
  /** When the method was proved for the first time; null if this call proves it for the first time, or proves no method. */
  readonly provedAt: Date | null;
  /** Whether this call gives an existing user a sign-in method that they did not have. */
  readonly isAdded?: boolean;
}

/**
 * Sessions for the modules that check factors. A verify call resolves its session arguments first. It then spends
 * the proof and adds the factor in one transaction, and returns `SessionFieldsResponse` after COMMIT.
 */
@Injectable()
export class SessionFacade {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly secrets: SessionSecrets,
    private readonly keys: SigningKeys,
    private readonly apps: AppsFacade,
    private readonly tokens: SecretTokens,
    private readonly events: DomainEvents,
    private readonly factorTypes: FactorTypes,
  ) {}

  /**
   * Checks the session arguments of a verify call before anything is spent or counted. Throws `InvalidSession` for a
   * token or JWT that is not live; given both, they must be of one session. Call it outside any transaction.
   */
  async resolve(appId: AppId, given: SessionArguments): Promise<SessionIntent> {
    const { binding = null } = given;
    const resolved = await this.resolved(appId, given);
    // The session of a user whom the key does not see is treated as unknown.
    if (binding && resolved.userId !== null && resolved.userId !== binding.userId) throw new InvalidSession();
    return { ...resolved, binding };
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
    const { sessionsPerUser } = (await this.apps.settings(appId)).limits;
    return {
      kind: 'start',
      userId: null,
      minutes: minutes!,
      sessionsPerUser,
      deviceFingerprint: { ip, userAgent },
      keys,
    };
  }

  /**
   * Applies the arguments to a proven factor: no session (null), a new session, or one more factor in the named session.
   * Throws `UserInactive` or `UserNotFound` for a deactivated or deleted user, `InvalidSession` if the session belongs
   * to another user or has ended since, and `OutsideBinding` if the key that calls is bound to another user. Call it last in the transaction that spends the proof: an error rolls that back,
   * and the events published before are written in the same round trip as the session and COMMIT.
   */
  async addFactor(
    appId: AppId,
    intent: SessionIntent,
    userId: UserId,
    proven: Factor,
    { provedAt, isAdded = false }: ProvenMethod = { provedAt: null },
  ): Promise<IssuedSession | null> {
    requireUserWithin(intent.binding, userId);
    const factor = this.factorTypes.document(proven);
    // A session that the factor joins publishes the event with its id.
    if (isAdded && intent.kind !== 'join') await this.announceFactor(appId, userId, proven);
    switch (intent.kind) {
      case 'none':
        refuseUnlessActive(await this.sessions.ownerState(appId, userId));
        return null;
      case 'start': {
        const id = newId('session');
        const token = this.tokens.mint();
        const { minutes, sessionsPerUser, deviceFingerprint } = intent;
        const tokenHash = this.tokens.hash('session_token', token);
        const session = heldBy(
          await this.sessions.start(appId, {
            id,
            userId,
            tokenHash,
            minutes,
            sessionsPerUser,
            factor,
            deviceFingerprint,
          }),
        );
        await this.events.publish(new SessionCreated(appId, id, userId, factor));
        return this.secrets.issue(intent.keys, session, token);
      }
      case 'join': {
        const { id, factors } = intent.session;
        if (!Object.hasOwn(factors, factorKey(factor)))
          await this.events.publish(new FactorAdded(appId, id, userId, factor));
        const options = { minutes: intent.minutes, refreshes: refreshes(intent.session, provedAt) };
        const session = heldBy(await this.sessions.join(appId, id, userId, factor, options));
        return this.secrets.issue(intent.keys, session, intent.token);
      }
    }
  }

  /**
   * The session of an earlier response as it is now, for its repetition. `over` once it has ended, or without a session once the user is not
   * active.
   */
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

  /** Publishes that the user has gained a factor outside a session, in the caller's transaction. */
  announceFactor(appId: AppId, userId: UserId, factor: Factor): Promise<void> {
    return this.events.publish(new FactorAdded(appId, null, userId, this.factorTypes.document(factor)));
  }

  /**
   * Whether the call named a session that is fresh: in the last `seconds` a factor was proved that began the session, or whose method
   * was proved before it began. A factor that was enrolled through the session never makes it fresh. The only place that decides it.
   */
  async isFresh(appId: AppId, intent: SessionIntent, seconds: number): Promise<boolean> {
    if (intent.kind !== 'join') return false;
    const age = await this.sessions.secondsSinceProof(appId, intent.session.id);
    return age !== null && age <= seconds;
  }

  /**
   * Makes the app's next signing key the current one; JWTs signed before stay valid. Returns false and changes nothing if
   * the last rotation was only minutes ago.
   */
  rotateSigningKeys(appId: AppId): Promise<boolean> {
    return this.keys.rotate(appId);
  }

  private async live(appId: AppId, secret: SessionSecret): Promise<LiveSession> {
    const session = await this.sessions.find(appId, await this.secrets.read(appId, secret));
    if (!session) throw new InvalidSession();
    return session;
  }
}

const REFUSALS = { unknown: UserNotFound, inactive: UserInactive, over: InvalidSession } as const;

function refuseUnlessActive(owner: OwnerState): void {
  if (owner !== 'active') throw new REFUSALS[owner]();
}

function heldBy(held: LiveSession | NoSession): LiveSession {
  if (typeof held === 'string') throw new REFUSALS[held]();
  return held;
}
