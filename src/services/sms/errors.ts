import { DomainError } from '../../kernel/domain-error.js';

export class SmsCountryNotAllowed extends DomainError {
  static override readonly code = 'sms_country_not_allowed';
  static override readonly kind = 'forbidden';
  static override readonly help =
    "The app sends no SMS to the country of this number. The app's `limits.sms_countries` lists the countries; a live app has none until it sets them.";
  constructor() {
    super('The app sends no SMS to the country of this number.');
  }
}
