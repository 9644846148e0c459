import type { CountedSend } from './limits.js';

export interface Addressed {
  /** Checked and canonicalised by the identity module. */
  readonly to: string;
  /** A user typed it: it is left out unless it has only letters, marks, blanks and ' ’ . -, and when it looks like a link. */
  readonly name?: string;
  /** The caller requested it. Absent in a mail without a link or code. */
  readonly minutes?: number;
}

export type Mail = Addressed & { readonly kind: string } & (
    { readonly link: string } | { readonly code: string } | { readonly method: string } | { readonly minutes: number }
  );

export abstract class Mailer {
  abstract readonly isConfigured: boolean;

  /** Stores the mail with the transaction; it is sent at least once, with one Message-ID, for a day. Throws `DeliveryNotConfigured`. */
  abstract send(counted: CountedSend, mail: Mail): void;
}

export interface TextMessage {
  /** E.164. */
  readonly to: string;
  readonly code: string;
  readonly minutes: number;
}

/** The subject of the kind of mail says the change. */
export type TextNotice = Exclude<Mail, { readonly link: string } | { readonly code: string }>;

/** Phones can fill in the code (WebOTP). */
export abstract class Texts {
  abstract readonly isConfigured: boolean;

  abstract send(counted: CountedSend, message: TextMessage | TextNotice): void;
}
