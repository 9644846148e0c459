import type { AppId, UserId } from './ids.js';

/** Whom a message is for. Equal `canonical` forms are one recipient. */
export interface Recipient {
  readonly kind: 'email' | 'phone_number';
  readonly canonical: string;
}

/** How many messages may leave, exact across replicas. The bounds are settings of the app. */
export abstract class SendLimits {
  /**
   * Takes one send from the allowance of the recipient, of the network of `ip` (the end user's, where the app told it),
   * of the app and, for SMS, of the destination country: from all of them or from none. Throws `TooManyRequests`, or
   * `SmsCountryNotAllowed` when the app sends none there.
   *
   * Commits by itself, so what fails afterwards stays counted. Call it before opening the transaction that stores the
   * message: inside one it needs a second connection while the first waits.
   */
  abstract take(appId: AppId, recipient: Recipient, ip?: string): Promise<void>;
}

/** One counted try, by which it can be given back. */
export interface Try {
  readonly appId: AppId;
  readonly userId: UserId;
  readonly at: string;
}

/**
 * Wrong tries of a user at any code: passcode, authenticator code, recovery code. Too many in an hour lock that user's
 * codes for a while, then the count starts anew. Nothing else is ever locked: no link, provider, wallet or session.
 */
export abstract class WrongTries {
  /**
   * Counts a try, and has committed the count when it resolves: compare the code after that, never before. Throws
   * `TooManyRequests` while the user's codes are locked.
   *
   * Commits by itself, whatever becomes of the caller's transaction. Call it before opening one (inside it needs a
   * second connection), and after everything that is wrong with the request itself has been found.
   */
  abstract begin(appId: AppId, userId: UserId): Promise<Try>;

  /** The try was right after all: it no longer counts. Call it in the transaction that spends the code. */
  abstract giveBack(attempt: Try): Promise<void>;
}
