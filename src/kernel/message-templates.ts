import type { MailKind } from './messages.js';

/** An app's own texts for one kind of mail. The built-in texts replace absent ones. Text and HTML are both present or both absent. */
export interface MailTemplate {
  readonly subject?: string;
  readonly text?: string;
  readonly html?: string;
}

/** An app's own texts for its messages. */
export interface MessageTemplates extends Partial<Readonly<Record<MailKind, MailTemplate>>> {
  /** The SMS with a one-time code, without the line for the phone's autofill. */
  readonly sms?: { readonly text: string };
}

/** The placeholders that a template of each kind may contain, as in `{{code}}`. Every text and HTML must contain the first. */
export const PLACEHOLDERS = {
  magic_link: ['link', 'app_name', 'greeting', 'expires_in'],
  invite: ['link', 'app_name', 'greeting', 'expires_in'],
  one_time_code: ['code', 'app_name', 'greeting', 'expires_in'],
  sms: ['code', 'app_name', 'expires_in'],
} as const satisfies Record<MailKind | 'sms', readonly string[]>;

/** Blanks around the name are trimmed afterwards: as parts of the expression they took minutes for a text that is all blanks. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

/** The placeholder names in a template, known or not. */
export function placeholdersIn(template: string): string[] {
  return Array.from(template.matchAll(PLACEHOLDER), ([, name]) => name!.trim());
}

/** Replaces the placeholders of a template by values, each encoded by `encode`. Placeholders inside values are not replaced. */
export function fillTemplate(
  template: string,
  values: Readonly<Record<string, string>>,
  encode: (value: string) => string,
): string {
  return template.replace(PLACEHOLDER, (_, name: string) => encode(values[name.trim()] ?? ''));
}
