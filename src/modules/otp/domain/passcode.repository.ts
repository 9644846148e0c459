import type { AppId, UserId } from '../../../kernel/ids.js';
import type { MethodId, Passcode } from './passcode.js';

/** A passcode whose try is counted and which may now be compared. */
export interface TriedPasscode extends Passcode {
  /** Distinguishes the passcode from earlier and later ones for the same address. */
  readonly generation: number;
  /** Whether its user still holds the address and has proved it. */
  readonly isProved: boolean;
  /** How often it was tried, including this try. */
  readonly tries: number;
}

export abstract class PasscodeRepository {
  /** Stores the passcode, together with the events of the transaction. It replaces an earlier one for the same address. */
  abstract add(passcode: Passcode, minutes: number): void;

  /**
   * Counts a try. The count is committed when the promise resolves, so call it outside any transaction and compare
   * afterwards. Null when there is no live passcode. Counts nothing when the session of the request is another user's.
   */
  abstract beginTry(appId: AppId, methodId: MethodId, sessionUserId: UserId | null): Promise<TriedPasscode | null>;

  /**
   * Spends the passcode, unless it is spent, void or replaced. Of several concurrent calls exactly one succeeds.
   *
   * Locks the user before the passcode, in the same order as every statement that ends passcodes of a user.
   */
  abstract spend(passcode: TriedPasscode): Promise<boolean>;

  /** Voids all live passcodes of the user. */
  abstract revokeAllOf(appId: AppId, userId: UserId): void;
}
