/** The built-in texts replace absent ones. Text and HTML are both present or both absent. */
export interface MailTemplate {
  readonly subject?: string;
  readonly text?: string;
  readonly html?: string;
}

export interface MessageTemplates {
  readonly [kind: string]: MailTemplate | undefined;
  /** The line for the phone's autofill is added to it. */
  readonly sms?: { readonly text: string };
}

export const TEXT_PLACEHOLDERS = ['app_name', 'greeting', 'expires_in'];

/** An SMS must contain the first. */
export const SMS_PLACEHOLDERS = ['code', 'app_name', 'expires_in'];

/** Blanks are trimmed afterwards: in the expression they took minutes for a text that is all blanks. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

export function placeholdersIn(template: string): string[] {
  return Array.from(template.matchAll(PLACEHOLDER), ([, name]) => name!.trim());
}

/** Placeholders inside values are not replaced. */
export function fillTemplate(
  template: string,
  values: Readonly<Record<string, string>>,
  encode: (value: string) => string,
): string {
  return template.replace(PLACEHOLDER, (_, name: string) => encode(values[name.trim()] ?? ''));
}
