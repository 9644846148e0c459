import type { AppId } from './ids.js';

/** What a message says. Each kind has one template per app, and a built-in one. */
export const MAIL_KINDS = ['magic_link', 'invite', 'one_time_code'] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

interface Addressed {
  /** An address of the identity module's making: canonical checks are done. */
  readonly to: string;
  /** Whom to greet. Somebody typed it: it is escaped, and left out where it would read as a link. */
  readonly name?: string;
  /** Lifetime of the link or code in minutes, as it was asked for. */
  readonly minutes: number;
}

export type Mail = Addressed &
  (
    | { readonly kind: 'magic_link' | 'invite'; readonly link: string }
    | { readonly kind: 'one_time_code'; readonly code: string }
  );

/** Mails to people, in the app's name. */
export abstract class Mailer {
  /**
   * Stores the mail with the current transaction and returns without waiting for any mail server. It is delivered at
   * least once after the commit, tried again for a day while the server is away; repetitions carry the same Message-ID.
   * Throws `DeliveryNotConfigured` where the operator named no mail server (in development it becomes a file instead).
   */
  abstract send(appId: AppId, mail: Mail): Promise<void>;
}

/** A one-time passcode for a phone. */
export interface TextMessage {
  /** E.164. */
  readonly to: string;
  readonly code: string;
  /** Lifetime of the code in minutes, as it was asked for. */
  readonly minutes: number;
}

/** SMS to people, in the app's name and in the form phones fill in by themselves (WebOTP). */
export abstract class Texts {
  /** Stores the message with the current transaction; everything else as with `Mailer.send`. */
  abstract send(appId: AppId, message: TextMessage): Promise<void>;
}
