import type { CountedSend } from './limits.js';

export interface Addressed {
  /** An address that the identity module has checked and canonicalised. */
  readonly to: string;
  /** The name in the greeting. A user typed it, so it is left out unless it has only letters, marks, blanks and ' ’ . -, and when it looks like a link. */
  readonly name?: string;
  /** Lifetime of the link or code in minutes, as the caller requested it. Absent in a mail without one. */
  readonly minutes?: number;
}

/** A mail to send, which `MailKind.mail` makes. */
export type Mail = Addressed & { readonly kind: string } & (
    { readonly link: string } | { readonly code: string } | { readonly method: string } | { readonly minutes: number }
  );

/** Sends mails in the app's name. */
export abstract class Mailer {
  /** Whether `send` accepts mails. */
  abstract readonly isConfigured: boolean;

  /**
   * Stores the mail with the current transaction and returns without waiting for any mail server. After the commit it is
   * delivered at least once, and tried for a day while the server is unavailable. Every attempt has the same Message-ID. Throws
   * `DeliveryNotConfigured` when the operator has not configured a mail server (in development the mail becomes a file).
   */
  abstract send(counted: CountedSend, mail: Mail): void;
}

/** A one-time passcode for a phone. */
export interface TextMessage {
  /** E.164. */
  readonly to: string;
  readonly code: string;
  /** Lifetime of the code in minutes, as the caller requested it. */
  readonly minutes: number;
}

/** A message about a change of the account, as the subject of its kind of mail says it. */
export type TextNotice = Exclude<Mail, { readonly link: string } | { readonly code: string }>;

/** Sends SMS in the app's name, in the form that phones can fill in (WebOTP). */
export abstract class Texts {
  /** Whether `send` accepts messages. */
  abstract readonly isConfigured: boolean;

  /** Stores the message with the current transaction. Makes the same promises as `Mailer.send`. */
  abstract send(counted: CountedSend, message: TextMessage | TextNotice): void;
}
