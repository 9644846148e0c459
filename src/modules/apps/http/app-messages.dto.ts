import type { MessageTemplates } from '../../../kernel/message-templates.js';
import { Nested } from '../../../edge/http/compound-fields.js';
import { EmailAddress, Text } from '../../../edge/http/fields.js';
import type { AppMessages, AppMessagesChanges } from '../domain/app-messages.js';
import { given } from './wire-names.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';

const RESETTABLE = { optional: true, nullable: true } as const;

/** A mail in the app's own words. Replaces the one before. */
export class MailTemplateRequest {
  @Text({ min: 1, max: 200, optional: true })
  readonly subject?: string;

  /** Goes together with `html`. */
  @Text({ min: 1, max: 20_000, optional: true })
  readonly text?: string;

  /** A whole HTML document. Values are escaped where they are put in. */
  @Text({ min: 1, max: 60_000, optional: true })
  readonly html?: string;
}

/** An SMS in the app's own words. */
export class SmsTemplateRequest {
  /** With `{{code}}`. The line for the phone's autofill is added behind it. */
  @Text({ min: 1, max: 300 })
  readonly text!: string;
}

/** Templates to set; what is not mentioned stays, `null` goes back to the built-in one. */
export class TemplatesRequest {
  /** With `{{link}}`. */
  @Nested(() => MailTemplateRequest, RESETTABLE)
  readonly magic_link?: MailTemplateRequest | null;

  /** With `{{link}}`. */
  @Nested(() => MailTemplateRequest, RESETTABLE)
  readonly invite?: MailTemplateRequest | null;

  /** With `{{code}}`. */
  @Nested(() => MailTemplateRequest, RESETTABLE)
  readonly one_time_code?: MailTemplateRequest | null;

  @Nested(() => SmsTemplateRequest, RESETTABLE)
  readonly sms?: SmsTemplateRequest | null;
}

/** How mails and SMS appear; what is not mentioned stays, `null` goes back to the standard. */
export class MessagesRequest {
  /** The name beside the sender's address; else the app's. */
  @Text({ min: 1, max: 100, pattern: /\S/, ...RESETTABLE })
  readonly sender_name?: string | null;

  /** The address mails come from; else the service's own. The mail server must be allowed to send for it. */
  @EmailAddress(RESETTABLE)
  readonly sender_address?: string | null;

  /** The domain on whose pages codes are typed in, for the phone's autofill; else the host of the first allowed origin. */
  @Text({ max: 253, pattern: /^[a-z0-9-]+(\.[a-z0-9-]+)*$/, patternName: 'a lower-case domain', ...RESETTABLE })
  readonly web_domain?: string | null;

  /** Own words. Placeholders: `{{link}}` or `{{code}}`, `{{app_name}}`, `{{greeting}}`, `{{expires_in}}`. */
  @Nested(() => TemplatesRequest, { optional: true })
  readonly templates?: TemplatesRequest;
}

const STANDARD: AppMessagesChanges = {
  senderName: null,
  senderAddress: null,
  webDomain: null,
  templates: { magic_link: null, invite: null, one_time_code: null, sms: null },
};

/** The changes a request asks for; null goes back to the standard in everything. */
export function messagesIn(request: MessagesRequest | null): AppMessagesChanges {
  if (request === null) return STANDARD;
  const { sender_name, sender_address, web_domain, templates } = request;
  return given({
    senderName: sender_name,
    senderAddress: sender_address,
    webDomain: web_domain,
    templates: templates && given({ ...templates }),
  }) as AppMessagesChanges;
}

export class MailTemplateResponse {
  subject?: string;
  text?: string;
  html?: string;
}

export class SmsTemplateResponse {
  @Example('Your code is {{code}}.')
  text!: string;
}

/** Own words; `null` is the built-in template. */
export class TemplatesResponse {
  magic_link!: MailTemplateResponse | null;
  invite!: MailTemplateResponse | null;
  one_time_code!: MailTemplateResponse | null;
  sms!: SmsTemplateResponse | null;
}

/** How mails and SMS appear; `null` is the standard. */
export class MessagesResponse {
  sender_name!: string | null;
  sender_address!: string | null;
  web_domain!: string | null;
  templates!: TemplatesResponse;

  static of({ senderName, senderAddress, webDomain, templates = {} }: AppMessages): MessagesResponse {
    return Object.assign(new MessagesResponse(), {
      sender_name: senderName ?? null,
      sender_address: senderAddress ?? null,
      web_domain: webDomain ?? null,
      templates: templatesOf(templates),
    });
  }
}

function templatesOf({ magic_link, invite, one_time_code, sms }: MessageTemplates): TemplatesResponse {
  return {
    magic_link: magic_link ?? null,
    invite: invite ?? null,
    one_time_code: one_time_code ?? null,
    sms: sms ?? null,
  };
}
