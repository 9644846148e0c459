import { Injectable } from '@nestjs/common';
import { type AppId, newId, type UserId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/outbox.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { AppsFacade } from '../../apps/index.js';
import { UserInactive, UserNotFound } from '../../identity/index.js';
import { type Factor, factorKey } from '../domain/factor.js';
import { FactorTypes } from '../domain/factor-types.js';
import { InvalidSession } from '../domain/session.errors.js';
import { FactorAdded, SessionCreated } from '../domain/session.events.js';
import { type NoSession, type OwnerState, SessionRepository } from '../domain/session.repository.js';
import type { DeviceFingerprint, LiveSession } from '../domain/session.js';
import { RotateSigningKeys } from './rotate-signing-keys.js';
import { type IssuedSession, type SessionSecret, SessionSecrets } from './session-secrets.js';
import { type KeySet, SigningKeys } from './signing-keys.js';

/** What any verify call may say about sessions. */
export interface SessionArguments {
  readonly minutes?: number;
  readonly token?: string;
  readonly jwt?: string;
  readonly deviceFingerprint?: Partial<DeviceFingerprint>;
}

/** Session arguments found good: what `addFactor` is to do. `userId` is whose live session came along with the call. */
export type SessionIntent =
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

/**
 * Sessions for the modules that check factors. A verify call resolves its session arguments first, spends what it
 * spends and adds the factor in one transaction, and answers with `SessionFieldsResponse` after that.
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
    private readonly rotation: RotateSigningKeys,
    private readonly factorTypes: FactorTypes,
  ) {}

  /**
   * Checks the session arguments of a verify call before anything is spent or counted. Throws `InvalidSession` for a
   * token or JWT that is not live; given both, they must be of one session. Call it outside any transaction.
   */
  async resolve(appId: AppId, { minutes, token, jwt, deviceFingerprint }: SessionArguments): Promise<SessionIntent> {
    if (token === undefined && jwt === undefined && minutes === undefined) return { kind: 'none', userId: null };
    const keys = await this.keys.of(appId);
    const secrets: SessionSecret[] = [
      ...(token === undefined ? [] : [{ token }]),
      ...(jwt === undefined ? [] : [{ jwt }]),
    ];
    const [session, ...others] = await Promise.all(secrets.map((secret) => this.live(appId, secret)));
    if (others.some(({ id }) => id !== session?.id)) throw new InvalidSession();
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
   * Does with a proven factor what the arguments asked for: nothing (null), a new session, or one more factor in the
   * session that came along. Always refuses a user who is deactivated (`UserInactive`) or gone (`UserNotFound`), and
   * with `InvalidSession` a session of another user or one that ended meanwhile. Call it last in the transaction that
   * spends the proof: a refusal undoes that, events published before are written in the same statement, and COMMIT goes
   * out with it.
   */
  async addFactor(appId: AppId, intent: SessionIntent, userId: UserId, proven: Factor): Promise<IssuedSession | null> {
    const factor = this.factorTypes.document(proven);
    switch (intent.kind) {
      case 'none':
        refuseUnlessActive(await this.sessions.ownerState(appId, userId));
        return null;
      case 'start': {
        const id = newId('session');
        const token = this.tokens.mint();
        const { minutes, sessionsPerUser, deviceFingerprint } = intent;
        await this.events.publish(new SessionCreated(appId, id, userId, factor));
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
        return this.secrets.issue(intent.keys, session, token);
      }
      case 'join': {
        const { id, factors } = intent.session;
        if (!Object.hasOwn(factors, factorKey(factor)))
          await this.events.publish(new FactorAdded(appId, id, userId, factor));
        const session = heldBy(await this.sessions.join(appId, id, userId, factor, intent.minutes));
        return this.secrets.issue(intent.keys, session, intent.token);
      }
    }
  }

  /**
   * Makes the app's next signing key the current one; nothing signed before becomes invalid. False when nothing changed,
   * because the last rotation was only minutes ago.
   */
  rotateSigningKeys(appId: AppId): Promise<boolean> {
    return this.rotation.execute(appId);
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
