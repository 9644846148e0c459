import { MailKind } from '../../kernel/mail-kind.js';
import { fillTemplate } from '../../kernel/message-templates.js';
import type { Mail } from '../../kernel/messages.js';
import type { Brand } from './brands.js';
import { duration, escapeHtml, greeting, oneLine } from './words.js';

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A value cannot add a line, a header or markup. */
export function renderMail(mail: Mail, brand: Brand): RenderedMail {
  const own = brand.templates[mail.kind];
  const { subject, text, html } = { ...MailKind.named(mail.kind).template, ...own };
  const values = {
    app_name: oneLine(brand.appName),
    greeting: greeting(mail.name),
    expires_in: duration(mail.minutes ?? 0),
    ...('code' in mail
      ? { code: mail.code }
      : 'link' in mail
        ? { link: mail.link }
        : 'method' in mail
          ? { method: mail.method }
          : {}),
  };
  const asIs = (value: string): string => value;
  return {
    subject: oneLine(fillTemplate(subject, values, asIs)),
    text: fillTemplate(text, values, asIs),
    html: fillTemplate(html, values, escapeHtml),
  };
}
