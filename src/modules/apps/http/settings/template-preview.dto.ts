import { ApiSchema } from '@nestjs/swagger';
import { OneOf, Text } from '../../../../edge/http/fields.js';
import { EnumValues, Example } from '../../../../edge/openapi/plugin-schemas.js';
import { MAIL_KINDS } from '../../../../kernel/mail-kind.js';
import { MailTemplateRequest } from './app-messages.dto.js';

/** The parts of a mail template. An absent part comes from the app's template, or else from the built-in one. */
export class PreviewTemplateRequest extends MailTemplateRequest {
  /** The kind of mail to show. */
  @OneOf(MAIL_KINDS)
  readonly kind!: string;

  /** The name in the greeting. */
  @Text({ max: 256 })
  readonly name: string = 'Ann Example';
}

@ApiSchema({ description: 'The mail with sample values. Nothing was sent.' })
export class TemplatePreviewResponse {
  /** The kind of the mail. */
  @EnumValues(MAIL_KINDS)
  @Example('one_time_code')
  kind!: string;
  /** The subject line with the sample values. */
  @Example('Your code: 123456')
  subject!: string;
  /** The plain text with the sample values. */
  @Example('Your code is 123456.')
  text!: string;
  /** A whole HTML document. Show it in a frame without scripts: an operator wrote it. */
  @Example('<p>Your code is 123456.</p>')
  html!: string;
}
