import { refusal } from '../../kernel/domain-error.js';

export class SmsCountryNotAllowed extends refusal('forbidden', 'sms_country_not_allowed', {
  message: 'The app sends no SMS to the country of this number.',
  help: "The app sends no SMS to the country of this number. The app's `limits.sms_countries` lists the countries; a live app has none until it sets them.",
}) {}
