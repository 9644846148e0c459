/** An app's own texts for one kind of mail. The built-in texts replace absent ones. Text and HTML are both present or both absent. */
export interface MailTemplate {
  readonly subject?: string;
  readonly text?: string;
  readonly html?: string;
}

/** An app's own texts for its messages: those of each kind of mail, and of SMS. */
export interface MessageTemplates {
  readonly [kind: string]: MailTemplate | undefined;
  /** The SMS with a one-time code, without the line for the phone's autofill. */
  readonly sms?: { readonly text: string };
}

/** The placeholders of every mail besides that of its link or code. */
export const TEXT_PLACEHOLDERS = ['app_name', 'greeting', 'expires_in'];

/** The placeholders of an SMS, which must contain the first. */
export const SMS_PLACEHOLDERS = ['code', 'app_name', 'expires_in'];

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
