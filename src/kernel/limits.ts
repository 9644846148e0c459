import type { AppId, UserId } from './ids.js';

/** Whom a message is for. Equal `canonical` forms are one recipient. */
export interface Recipient {
  readonly kind: 'email' | 'phone_number';
  readonly canonical: string;
}

/** How many messages may leave, exact across replicas. The bounds are settings of the app. */
export abstract class SendLimits {
  /**
   * Looks up what holds for a message to this recipient, asked for from `ip` (the end user's, where the app told it).
   * Throws `SmsCountryNotAllowed` when the app sends none to that country. Call it outside the transaction.
   */
  abstract prepare(appId: AppId, recipient: Recipient, ip?: string): Promise<TakeSend>;
}

/**
 * Takes one send from the allowance of the recipient, of the network, of the app and, for SMS, of the destination
 * country: from all of them or from none. However often it is called, it takes one, so a transaction may be run again.
 * Throws `TooManyRequests`.
 *
 * Commits by itself, so what fails afterwards stays counted. Call it first in the transaction that stores the message:
 * there it travels with what is asked in the same turn, but later it needs a second connection while the first waits.
 */
export type TakeSend = () => Promise<void>;

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
