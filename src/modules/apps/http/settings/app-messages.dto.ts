import { ApiProperty } from '@nestjs/swagger';
import { MAIL_KINDS, MailKind } from '../../../../kernel/mail-kind.js';
import type { MessageTemplates } from '../../../../kernel/message-templates.js';
import { Nested } from '../../../../edge/http/compound-fields.js';
import { RESETTABLE } from '../../../../edge/http/field.js';
import { EmailAddress, Text } from '../../../../edge/http/fields.js';
import type { AppMessages, AppMessagesChanges } from '../../domain/app-messages.js';
import { given } from '../wire-names.js';
import { Example } from '../../../../edge/openapi/plugin-schemas.js';

/** A mail in the app's own words. It replaces the previous template. */
export class MailTemplateRequest {
  /** The subject line. It may contain placeholders. */
  @Text({ min: 1, max: 200, optional: true })
  readonly subject?: string;

  /** The plain text of the mail. It goes together with `html`. */
  @Text({ min: 1, max: 20_000, optional: true })
  readonly text?: string;

  /** A whole HTML document. Values are escaped where they are put in. */
  @Text({ min: 1, max: 60_000, optional: true })
  readonly html?: string;
}

/** An SMS in the app's own words. */
export class SmsTemplateRequest {
  /** The text, which must contain `{{code}}`. The service adds the line for the phone's autofill at its end. */
  @Text({ min: 1, max: 300 })
  readonly text!: string;
}

/** Templates to set. Templates that the request omits stay; `null` restores the built-in one. Each kind of mail is a field. */
export class TemplatesRequest {
  /** The SMS with a passcode; `null` restores the built-in text. */
  @Nested(() => SmsTemplateRequest, RESETTABLE)
  readonly sms?: SmsTemplateRequest | null;
}

/** The appearance of mails and SMS. Settings that the request omits stay; `null` restores the standard. */
export class MessagesRequest {
  /** The name beside the sender's address. The default is the app's name. */
  @Text({ min: 1, max: 100, pattern: /\S/, ...RESETTABLE })
  readonly sender_name?: string | null;

  /** The address that mails come from. The default is the service's own. The mail server must be allowed to send for it. */
  @EmailAddress(RESETTABLE)
  readonly sender_address?: string | null;

  /** The domain on whose pages codes are typed in, for the phone's autofill. The default is the host of the first allowed origin. */
  @Text({ max: 253, pattern: /^[a-z0-9-]+(\.[a-z0-9-]+)*$/, patternName: 'a lower-case domain', ...RESETTABLE })
  readonly web_domain?: string | null;

  /** The app's own templates. Their placeholders are `{{link}}`, `{{code}}` or `{{method}}`, `{{app_name}}`, `{{greeting}}` and, with a link or code, `{{expires_in}}`. */
  @Nested(() => TemplatesRequest, { optional: true })
  readonly templates?: TemplatesRequest;
}

const STANDARD: AppMessagesChanges = {
  senderName: null,
  senderAddress: null,
  webDomain: null,
  get templates() {
    return Object.fromEntries([...MAIL_KINDS, 'sms'].map((kind) => [kind, null]));
  },
};

/** The changes in a request; null restores the standard in everything. */
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
  /** The subject line; absent if the built-in one applies. */
  subject?: string;
  /** The plain text of the mail; absent if the built-in one applies. */
  text?: string;
  /** The HTML document of the mail; absent if the built-in one applies. */
  html?: string;
}

export class SmsTemplateResponse {
  /** The text with the placeholder `{{code}}`. */
  @Example('Your code is {{code}}.')
  text!: string;
}

/** The app's own templates; `null` is the built-in template. Each kind of mail is a field. */
export class TemplatesResponse {
  /** The SMS with a passcode; null if the built-in text applies. */
  sms!: SmsTemplateResponse | null;
}

MailKind.each(({ name, description }) => {
  Nested(() => MailTemplateRequest, { ...RESETTABLE, description })(TemplatesRequest.prototype, name);
  const shown = `${description} It is null if the built-in template applies.`;
  ApiProperty({ type: () => MailTemplateResponse, nullable: true, description: shown } as object)(
    TemplatesResponse.prototype,
    name,
  );
});

/** The appearance of mails and SMS; `null` is the standard. */
export class MessagesResponse {
  /** The name beside the sender's address; null stands for the app's name. */
  sender_name!: string | null;
  /** The address that mails come from; null stands for the service's own. */
  sender_address!: string | null;
  /** The domain on whose pages codes are typed in; null stands for the host of the first allowed origin. */
  web_domain!: string | null;
  /** The app's own templates. */
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

function templatesOf(templates: MessageTemplates): TemplatesResponse {
  const ofMails = MAIL_KINDS.map((kind) => [kind, templates[kind] ?? null]);
  return { ...Object.fromEntries(ofMails), sms: templates.sms ?? null };
}
