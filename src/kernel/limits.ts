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

/** The limits are exact across replicas. The bounds are settings of the app. */
export abstract class SendLimits {
  /**
   * Counts one send for recipient, network (`ip` is the end user's), app and country: for all or none. Throws `TooManyRequests` or
   * `SmsCountryNotAllowed`. A rollback keeps the count: call it before the transaction, inside of which it needs a second connection.
   */
  abstract take(appId: AppId, recipient: Recipient, ip?: string): Promise<CountedSend>;

  /** No limit counts such messages, because their sender bounds them. Null if the app sends no SMS to that country. */
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
 * Too many wrong tries in an hour lock all codes of the user for a while, but no links, providers, wallets or sessions. An unproved address
 * has a count of its own: the lock must not affect its owner, who may be another person.
 */
export abstract class WrongTries {
  /**
   * A rollback keeps the count. Compare the code only when this resolves, and call it before a transaction, inside of which it needs a
   * second connection. Throws `TooManyRequests` while locked, for the user or for the end user's network (`ip`).
   */
  abstract begin(appId: AppId, whose: UserId | Recipient, ip?: string): Promise<Try>;

  /** Throws `TooManyRequests` while locked, counts nothing, and takes as long as a counted try. */
  abstract requireUnlocked(appId: AppId, whose: UserId | Recipient): Promise<void>;

  /** Runs in the transaction that spends the right code. `provesAddress: false`, as for a password, keeps other tries of the address. */
  abstract giveBack(attempt: Try, of?: { readonly provesAddress: boolean }): void;

  /** The lock ends too, in the current transaction. */
  abstract forget(appId: AppId, whose: UserId | Recipient): void;
}
