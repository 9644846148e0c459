import type { AppId, UserId } from '../../../kernel/ids.js';
import type { MethodId, Passcode } from './passcode.js';

/** A passcode somebody is about to be compared with. */
export interface TriedPasscode extends Passcode {
  /** Tells it from the passcodes before and after it. */
  readonly generation: number;
  /** How often it has been tried, this time included. */
  readonly tries: number;
}

export abstract class PasscodeRepository {
  /** Keeps the passcode, and writes the transaction's events along with it. An older one for the same address is void from then on. */
  abstract add(passcode: Passcode, minutes: number): Promise<void>;

  /**
   * Counts a try, and has committed the count when it resolves: call it outside any transaction, and compare after that.
   * Null when there is no live passcode. Nothing is counted when the live session that came along is another user's.
   */
  abstract beginTry(appId: AppId, methodId: MethodId, sessionUserId: UserId | null): Promise<TriedPasscode | null>;

  /**
   * Spends the passcode unless it is spent, void or replaced by now; of any number of callers at once one does.
   *
   * Locks the user before the passcode: that is the order of everybody who ends the passcodes of a user.
   */
  abstract spend(passcode: TriedPasscode): Promise<boolean>;

  /** Makes all live passcodes of the user worthless. */
  abstract revokeAllOf(appId: AppId, userId: UserId): Promise<void>;

  /** Forgets up to `limit` passcodes of each app that ended more than an hour ago. */
  abstract removeEnded(limit: number): Promise<number>;
}
