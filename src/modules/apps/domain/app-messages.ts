import type { FieldError } from '../../../kernel/domain-error.js';
import { MAIL_KINDS, MailKind } from '../../../kernel/mail-kind.js';
import {
  type MailTemplate,
  type MessageTemplates,
  placeholdersIn,
  SMS_PLACEHOLDERS,
} from '../../../kernel/message-templates.js';
import { InvalidTemplate } from './apps.errors.js';

export interface AppMessages {
  /** By default the app's name. */
  readonly senderName?: string;
  /** By default the service's address. */
  readonly senderAddress?: string;
  /** The domain on whose pages codes are typed in; by default the host of the first allowed origin. */
  readonly webDomain?: string;
  readonly templates?: MessageTemplates;
}

type Resettable<T> = { readonly [K in keyof T]?: T[K] | null };

export type AppMessagesChanges = Omit<Resettable<AppMessages>, 'templates'> & {
  readonly templates?: Resettable<MessageTemplates>;
};

/** Throws `InvalidTemplate` if a message would lack its link or code, or show a placeholder. */
export function changeMessages(current: AppMessages, { templates, ...changes }: AppMessagesChanges): AppMessages {
  const next = { ...current, ...changes, templates: withoutNull({ ...current.templates, ...templates }) };
  const faults = templateFaults(next.templates as MessageTemplates);
  if (faults.length > 0) throw new InvalidTemplate(faults);
  return withoutNull(next) as AppMessages;
}

function withoutNull(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

function templateFaults(templates: MessageTemplates): FieldError[] {
  const faults: FieldError[] = [];
  for (const kind of [...MAIL_KINDS, 'sms']) {
    const template: MailTemplate = templates[kind] ?? {};
    const known = kind === 'sms' ? SMS_PLACEHOLDERS : MailKind.named(kind).placeholders;
    const must = known[0]!;
    const at = (part: string) => `messages.templates.${kind}.${part}`;
    if (kind !== 'sms' && (template.text === undefined) !== (template.html === undefined)) {
      const missing = template.text === undefined ? 'text' : 'html';
      faults.push({ field: at(missing), rule: 'required', message: 'is required, as text and html go together' });
    }
    for (const part of ['subject', 'text', 'html'] as const) {
      const words = template[part];
      if (words === undefined) continue;
      const found = placeholdersIn(words);
      const unknown = found.find((name) => !known.includes(name));
      if (unknown !== undefined) {
        const shown = known.map((name) => `{{${name}}}`).join(', ');
        faults.push({ field: at(part), rule: 'placeholder', message: `may have no placeholders but ${shown}` });
      } else if (part !== 'subject' && !found.includes(must)) {
        faults.push({ field: at(part), rule: 'placeholder', message: `must have the placeholder {{${must}}}` });
      }
    }
  }
  return faults;
}
