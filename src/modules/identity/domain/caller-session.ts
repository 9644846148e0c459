import type { AppId, UserId } from '../../../kernel/ids.js';
import type { KeyBinding } from '../../../kernel/key-restriction.js';

/** The live session that a call carries. */
export interface CallerSession {
  readonly userId: UserId;

  /** Whether the session saw, in the last 10 minutes, a proof that counts for step-up, or for adding a credential of this type. */
  isFresh(adding?: string): Promise<boolean>;
}

/** How a call names a session. */
export interface NamedSession {
  readonly token?: string;
  readonly jwt?: string;
  /** The binding of the key that calls. */
  readonly binding: KeyBinding | null;
}

/** Who removes a sign-in method: the user, in the session that the call carries; the app, by its key alone; or an operator. */
export type Remover = CallerSession | 'app' | 'operator';

type FindSession = (appId: AppId, named: NamedSession) => Promise<CallerSession | null>;

/** Finds the sessions of callers for identity, which does not know sessions. */
export class CallerSessions {
  private findSession: FindSession | undefined;

  /** `session` calls it. */
  register(find: FindSession): void {
    this.findSession = find;
  }

  /** The session that the call names; `app` if it names none. Throws `InvalidSession`. Call it outside any transaction. */
  async remover(appId: AppId, named: NamedSession): Promise<Remover> {
    return (await this.carried(appId, named)) ?? 'app';
  }

  /** The session that the call names, or null. Throws `InvalidSession`. Call it outside any transaction. */
  async carried(appId: AppId, named: NamedSession): Promise<CallerSession | null> {
    return named.token === undefined && named.jwt === undefined ? null : this.findSession!(appId, named);
  }
}
