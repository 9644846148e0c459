import type { AppId, UserId } from './ids.js';

/** The recipient of a message. Equal `canonical` forms are the same recipient. */
export interface Recipient {
  readonly kind: 'email' | 'phone_number';
  readonly canonical: string;
}

declare const counted: unique symbol;

/** A message that `SendLimits.take` has counted. `Mailer.send` and `Texts.send` require it, so that no module sends without a limit. */
export interface CountedSend {
  readonly appId: AppId;
  readonly [counted]: true;
}

/** Limits the number of messages, exactly across replicas. The bounds are settings of the app. */
export abstract class SendLimits {
  /**
   * Takes one send of one message from the allowance of the recipient, of the network of `ip` (the end user's address, if the app has passed it
   * on), of the app and, for SMS, of the destination country: from all of them or from none. Throws `TooManyRequests`, and
   * `SmsCountryNotAllowed` when the app sends no SMS to that country.
   *
   * The count is committed on its own, so a later failure does not undo it. Call it before the transaction that stores the
   * message: inside one it needs a second connection.
   */
  abstract take(appId: AppId, recipient: Recipient, ip?: string): Promise<CountedSend>;

  /**
   * Permits a message that no limit counts, because its sender bounds how many there are. Null if the app sends no SMS to that country.
   */
  abstract exempt(appId: AppId, recipient: Recipient): Promise<CountedSend | null>;
}

/** One counted try, which `giveBack` takes. */
export interface Try {
  readonly appId: AppId;
  readonly key: string;
  readonly at: string;
  /** The client networks for which it counts too; empty where they are not known. */
  readonly networks: readonly string[];
}

/**
 * Wrong tries of a user at any code: passcode, authenticator code, recovery code. Too many in an hour lock that user's
 * codes for a while, then the count starts at zero. Links, providers, wallets and sessions are never locked. An address that its
 * user has not proved has a count of its own: its owner may be another person, whom the lock of the user must not affect.
 */
export abstract class WrongTries {
  /**
   * Counts a try of the user or of the unverified address, and of the network of `ip` (the end user's address, if the app has passed it on), which tries codes of
   * many users. The count is committed when this resolves; compare the code only after that. Throws `TooManyRequests`
   * while these codes are locked, or codes are refused from the network.
   *
   * The count stays committed when the caller's transaction rolls back. Call this before opening a transaction (inside, it needs
   * a second connection), and after the request itself has been checked.
   */
  abstract begin(appId: AppId, whose: UserId | Recipient, ip?: string): Promise<Try>;

  /** Throws `TooManyRequests` while these codes are locked, and counts nothing. It takes as long as a counted try. */
  abstract requireUnlocked(appId: AppId, whose: UserId | Recipient): Promise<void>;

  /**
   * Removes a try whose code was right from the count. Call it in the transaction that spends the code. With `provesAddress: false` only this try
   * leaves the count of an unverified address: a password does not show that its user is the owner of the address.
   */
  abstract giveBack(attempt: Try, of?: { readonly provesAddress: boolean }): void;

  /** Forgets all tries of the user, or of the unverified address, and ends their lock. Part of the current transaction. */
  abstract forget(appId: AppId, whose: UserId | Recipient): void;
}
