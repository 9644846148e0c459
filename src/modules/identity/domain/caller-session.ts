import type { AppId, UserId } from '../../../kernel/ids.js';
import type { KeyBinding } from '../../../kernel/key-restriction.js';

export interface CallerSession {
  readonly userId: UserId;

  /** Whether the session saw, in the last 10 minutes, a proof that counts for step-up, or for adding a credential of this type. */
  isFresh(adding?: string): Promise<boolean>;
}

export interface NamedSession {
  readonly token?: string;
  readonly jwt?: string;
  readonly binding: KeyBinding | null;
}

/** Who removes a sign-in method: the user, in the session that the call carries; the app, by its key alone; or an operator. */
export type Remover = CallerSession | 'app' | 'operator';

type FindSession = (appId: AppId, named: NamedSession) => Promise<CallerSession | null>;

/** Finds the sessions of callers for identity, which does not know sessions. */
export class CallerSessions {
  private findSession: FindSession | undefined;

  register(find: FindSession): void {
    this.findSession = find;
  }

  /** `app` if the call names no session. Call it outside any transaction. */
  async remover(appId: AppId, named: NamedSession): Promise<Remover> {
    return (await this.carried(appId, named)) ?? 'app';
  }

  /** Call it outside any transaction. */
  async carried(appId: AppId, named: NamedSession): Promise<CallerSession | null> {
    return named.token === undefined && named.jwt === undefined ? null : this.findSession!(appId, named);
  }
}
