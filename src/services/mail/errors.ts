import { refusal } from '../../kernel/domain-error.js';

export class DeliveryNotConfigured extends refusal('unavailable', 'delivery_not_configured', {
  message: (what: 'mails' | 'SMS') => `This service is not configured to send ${what}.`,
  help: 'The operator of this service has not configured how to send mails (`SMTP_URL`, `MAIL_FROM`) or SMS (`SMS_URL` or `TWILIO_…`). Nothing was changed and nothing was spent.',
  retryAfterSeconds: 300,
}) {}
