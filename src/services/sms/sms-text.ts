import { fillTemplate } from '../../kernel/message-templates.js';
import type { TextMessage } from '../../kernel/messages.js';
import type { Brand } from '../mail/brands.js';
import { duration, oneLine } from '../mail/words.js';

const BUILT_IN_SMS = '{{code}} is your {{app_name}} code. Do not share it.';
const LONGEST_NAME = 40;

/** The last line binds the code to a website (WICG's origin-bound one-time codes): phones offer it on that site only. */
export function smsText({ code, minutes }: TextMessage, { appName, templates }: Brand, domain: string): string {
  const words = fillTemplate(
    templates.sms?.text ?? BUILT_IN_SMS,
    { code, app_name: oneLine(appName).slice(0, LONGEST_NAME), expires_in: duration(minutes) },
    (value) => value,
  );
  return `${words.trim()}\n\n@${domain} #${code}`;
}
