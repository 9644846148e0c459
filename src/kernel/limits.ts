import type { AppId, UserId } from './ids.js';

/** Equal `canonical` forms are the same recipient. */
export interface Recipient {
  readonly kind: 'email' | 'phone_number';
  readonly canonical: string;
}

declare const counted: unique symbol;

/** `Mailer.send` and `Texts.send` require it, so that no module sends without a limit. */
export interface CountedSend {
  readonly appId: AppId;
  readonly [counted]: true;
}

/** Exact across replicas. The bounds are settings of the app. */
export abstract class SendLimits {
  /**
   * Counts for the recipient, the end user's network, the app and the country of an SMS: for all or none. Throws `TooManyRequests` or
   * `SmsCountryNotAllowed`. The count is committed on its own: call it before the transaction, inside of which it needs a second
   * connection.
   */
  abstract take(appId: AppId, recipient: Recipient, ip?: string): Promise<CountedSend>;

  /** For a message that its sender bounds itself. Null if the app sends no SMS to that country. */
  abstract exempt(appId: AppId, recipient: Recipient): Promise<CountedSend | null>;
}

export interface Try {
  readonly appId: AppId;
  readonly key: string;
  readonly at: string;
  /** Empty where they are not known. */
  readonly networks: readonly string[];
}

/**
 * Too many wrong tries in an hour lock all codes of the user for a while; links, providers, wallets and sessions are never locked. An
 * unproved address has a count of its own: the lock of the user must not affect its owner, who may be another person.
 */
export abstract class WrongTries {
  /**
   * Also counts for the end user's network, which may try codes of many users. The count is committed when this resolves: compare the code
   * only then. Call it before a transaction, inside of which it needs a second connection. Throws `TooManyRequests` while locked.
   */
  abstract begin(appId: AppId, whose: UserId | Recipient, ip?: string): Promise<Try>;

  /** Throws `TooManyRequests` while locked, counts nothing, and takes as long as a counted try. */
  abstract requireUnlocked(appId: AppId, whose: UserId | Recipient): Promise<void>;

  /**
   * After a right code, in the transaction that spends it. With `provesAddress: false` only this try leaves the count of an unverified
   * address: a password does not show who owns the address.
   */
  abstract giveBack(attempt: Try, of?: { readonly provesAddress: boolean }): void;

  /** Also ends the lock, in the current transaction. */
  abstract forget(appId: AppId, whose: UserId | Recipient): void;
}
