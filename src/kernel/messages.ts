import type { CountedSend } from './limits.js';

export interface Addressed {
  /** Checked and canonicalised by the identity module. */
  readonly to: string;
  /** A user typed it: it is left out unless it has only letters, marks, blanks and ' ’ . -, and when it looks like a link. */
  readonly name?: string;
  /** As the caller requested it. Absent in a mail without a link or code. */
  readonly minutes?: number;
}

/** `MailKind.mail` makes it. */
export type Mail = Addressed & { readonly kind: string } & (
    { readonly link: string } | { readonly code: string } | { readonly method: string } | { readonly minutes: number }
  );

export abstract class Mailer {
  abstract readonly isConfigured: boolean;

  /**
   * Stored with the current transaction; delivered at least once after the commit, with the same Message-ID, and tried for a day. Throws
   * `DeliveryNotConfigured` without a mail server (in development the mail becomes a file).
   */
  abstract send(counted: CountedSend, mail: Mail): void;
}

export interface TextMessage {
  /** E.164. */
  readonly to: string;
  readonly code: string;
  /** As the caller requested it. */
  readonly minutes: number;
}

/** The subject of the kind of mail says the change. */
export type TextNotice = Exclude<Mail, { readonly link: string } | { readonly code: string }>;

/** In the form that phones can fill in (WebOTP). */
export abstract class Texts {
  abstract readonly isConfigured: boolean;

  /** Makes the same promises as `Mailer.send`. */
  abstract send(counted: CountedSend, message: TextMessage | TextNotice): void;
}
