import { DomainError } from '../../kernel/domain-error.js';

export class DeliveryNotConfigured extends DomainError {
  static override readonly code = 'delivery_not_configured';
  static override readonly kind = 'unavailable';
  static override readonly help =
    'The operator of this service has not configured how to send mails (`SMTP_URL`, `MAIL_FROM`) or SMS (`SMS_URL` or `TWILIO_…`). Nothing was changed and nothing was spent.';
  override readonly retryAfterSeconds = 300;
  constructor(what: 'mails' | 'SMS') {
    super(`This service is not configured to send ${what}.`);
  }
}
