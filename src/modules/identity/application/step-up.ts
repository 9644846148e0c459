import { Injectable } from '@nestjs/common';
import { InvalidSession } from '../../../kernel/errors.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { AppsFacade } from '../../apps/index.js';
import type { CallerSession, Remover } from '../domain/caller-session.js';
import { StepUpRequired } from '../../../kernel/step-up-required.js';
import { UserRepository } from '../domain/user.repository.js';
import { NotifyUser } from './notify-user.js';

export interface Gain {
  readonly isFirst: boolean;
}

/** The one place that decides whether a call needs a fresh session. Joins the caller's transaction, in which the user is locked. */
@Injectable()
export class StepUp {
  constructor(
    private readonly apps: AppsFacade,
    private readonly users: UserRepository,
    private readonly notifyUser: NotifyUser,
  ) {}

  /** Call it in the transaction that adds a method, before it is added; earlier also, to refuse the call before a try is counted. */
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

  /** Call it once the method is added. It notifies the user, unless the method is the first. */
  async gained(appId: AppId, userId: UserId, methodType: string, { isFirst }: Gain): Promise<void> {
    if (isFirst) void this.users.recordFirstProof(appId, userId, 'of any user');
    else await this.notifyUser.ofMethod(appId, userId, 'added', methodType);
  }

  /** Ask before the method is removed: the session may be fresh by the method that leaves. */
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
