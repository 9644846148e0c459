import { fillTemplate } from '../../kernel/message-templates.js';
import type { Mail } from '../../kernel/messages.js';
import type { Brand } from './brands.js';
import { BUILT_IN_TEMPLATES } from './built-in-templates.js';
import { duration, escapeHtml, greeting, oneLine } from './words.js';

/** What a mail says, ready to be sent. */
export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The mail in the app's words, else in the built-in ones. Whatever a value holds stays a value: no line, header or markup begins in it. */
export function renderMail(mail: Mail, brand: Brand): RenderedMail {
  const own = brand.templates[mail.kind];
  const { subject, text, html } = { ...BUILT_IN_TEMPLATES[mail.kind], ...own };
  const values = {
    app_name: oneLine(brand.appName),
    greeting: greeting(mail.name),
    expires_in: duration(mail.minutes),
    ...(mail.kind === 'one_time_code' ? { code: mail.code } : { link: mail.link }),
  };
  const asIs = (value: string): string => value;
  return {
    subject: oneLine(fillTemplate(subject, values, asIs)),
    text: fillTemplate(text, values, asIs),
    html: fillTemplate(html, values, escapeHtml),
  };
}
