import { Injectable } from '@nestjs/common';
import { InvalidSession } from '../../../kernel/errors.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { AppsFacade } from '../../apps/index.js';
import type { CallerSession, Remover } from '../domain/caller-session.js';
import { StepUpRequired } from '../../../kernel/step-up-required.js';
import { UserRepository } from '../domain/user.repository.js';
import { NotifyUser } from './notify-user.js';

/** A sign-in method that an account gains. */
export interface Gain {
  /** Whether it is the first that is proved. */
  readonly isFirst: boolean;
}

/**
 * The rule for adding and removing sign-in methods: where a method of it is proved, further ones are added and proved ones are removed only in a
 * fresh session, if the call carries a session. The only place that decides it. Every method joins the caller's transaction, in which the
 * user is locked.
 */
@Injectable()
export class StepUp {
  constructor(
    private readonly apps: AppsFacade,
    private readonly users: UserRepository,
    private readonly notifyUser: NotifyUser,
  ) {}

  /**
   * Call it before a method is added to the user, in the transaction that adds it; before that also to refuse the call before a try is
   * counted. `needsSession`: also the app's key alone does not add it. Throws `StepUpRequired`, `InvalidSession`.
   */
  async begin(
    appId: AppId,
    userId: UserId,
    session: CallerSession | null,
    needsSession = false,
    type?: string,
  ): Promise<Gain> {
    if (session && session.userId !== userId) throw new InvalidSession();
    const { verified } = await this.users.credentialCounts(appId, userId);
    if (verified === 0) return { isFirst: true };
    if (!session) await this.users.recordFirstProof(appId, userId, 'of a new user');
    await this.require(appId, userId, session, needsSession, type);
    return { isFirst: false };
  }

  /** Throws `StepUpRequired` if the session is not fresh, or if there is none and the app asks for one. */
  async require(
    appId: AppId,
    userId: UserId,
    session: CallerSession | null,
    needsSession = false,
    type?: string,
  ): Promise<void> {
    if (session && session.userId !== userId) throw new InvalidSession();
    if (!(await (session ? this.isFresh(appId, session, type) : this.mayGoWithout(appId, needsSession))))
      throw new StepUpRequired();
  }

  /** Call it once the method is added. Notifies the user, unless it is the first. */
  async gained(appId: AppId, userId: UserId, methodType: string, { isFirst }: Gain): Promise<void> {
    if (isFirst) void this.users.recordFirstProof(appId, userId, 'of any user');
    else await this.notifyUser.ofMethod(appId, userId, 'added', methodType);
  }

  /**
   * Whether the user may lose a proved method. Ask before it is removed: the session may be fresh by the method that leaves. Throws
   * `StepUpRequired` if the app wants a session of the user, `InvalidSession`.
   */
  async permitsRemoval(appId: AppId, userId: UserId, remover: Remover, hasProvedMethod: boolean): Promise<boolean> {
    if (typeof remover === 'object') {
      if (remover.userId !== userId) throw new InvalidSession();
      return this.isFresh(appId, remover);
    }
    if (hasProvedMethod) await this.users.recordFirstProof(appId, userId, 'of a new user');
    if (remover === 'operator') return true;
    const { calls, removalNeedsSession } = (await this.apps.settings(appId)).stepUp;
    if (removalNeedsSession && hasProvedMethod) throw new StepUpRequired();
    return calls === 'sessions';
  }

  private async isFresh(appId: AppId, session: CallerSession, adding?: string): Promise<boolean> {
    await this.users.recordFirstProof(appId, session.userId, 'of a new user');
    return session.isFresh(adding);
  }

  private async mayGoWithout(appId: AppId, needsSession: boolean): Promise<boolean> {
    return !needsSession && (await this.apps.settings(appId)).stepUp.calls === 'sessions';
  }
}
