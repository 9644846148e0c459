import type { AppId, UserId } from '../../../src/kernel/ids.js';
import type { CallerSession } from '../../../src/modules/identity/index.js';
import { InvalidSession, type SessionFacade, type SessionIntent } from '../../../src/modules/session/index.js';

/** Sessions as a use case of another module sees them: of the user, and with the answer, that the test sets. */
export class StubSessions implements Pick<SessionFacade, 'resolve' | 'addFactor' | 'carriedBy'> {
  /** The user of the live session that the request names; null: it names none. */
  userId: UserId | null = null;
  /** Whether the session ends between `resolve` and `addFactor`. */
  refuses = false;
  /** Whether the session saw a proof that counts for step-up a moment ago. */
  fresh = false;

  async resolve(): Promise<SessionIntent> {
    return { kind: this.userId === null ? 'none' : 'join', userId: this.userId } as SessionIntent;
  }

  async addFactor(_appId: AppId, _intent: SessionIntent, _userId: UserId): Promise<null> {
    if (this.refuses) throw new InvalidSession();
    return null;
  }

  carriedBy(): CallerSession | null {
    return this.userId && { userId: this.userId, isFresh: async () => this.fresh };
  }
}
