import type { MailKind } from './messages.js';

/** An app's own words for one kind of mail; what is absent is built in. Text and HTML are there together or not at all. */
export interface MailTemplate {
  readonly subject?: string;
  readonly text?: string;
  readonly html?: string;
}

/** An app's own words for its messages. */
export interface MessageTemplates extends Partial<Readonly<Record<MailKind, MailTemplate>>> {
  /** The one-time code by SMS. The line for the phone's autofill is not part of it. */
  readonly sms?: { readonly text: string };
}

/** What may stand in a template of each kind, as `{{code}}`. The first one must stand in every text and HTML. */
export const PLACEHOLDERS = {
  magic_link: ['link', 'app_name', 'greeting', 'expires_in'],
  invite: ['link', 'app_name', 'greeting', 'expires_in'],
  one_time_code: ['code', 'app_name', 'greeting', 'expires_in'],
  sms: ['code', 'app_name', 'expires_in'],
} as const satisfies Record<MailKind | 'sms', readonly string[]>;

const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** The names that stand in a template, known or not. */
export function placeholdersIn(template: string): string[] {
  return Array.from(template.matchAll(PLACEHOLDER), ([, name]) => name!);
}

/** The template with its placeholders replaced, each value written by `encode`. A value is never itself read as a template. */
export function fillTemplate(
  template: string,
  values: Readonly<Record<string, string>>,
  encode: (value: string) => string,
): string {
  return template.replace(PLACEHOLDER, (_, name: string) => encode(values[name] ?? ''));
}
