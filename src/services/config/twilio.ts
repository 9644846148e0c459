import { type EnvironmentReader, listed } from './environment-reader.js';

export interface TwilioSettings {
  readonly accountSid: string;
  readonly authToken: string;
  readonly from: string;
  readonly url: string;
}

export function twilioIn(read: EnvironmentReader): TwilioSettings | undefined {
  const names = ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM'];
  const [accountSid, authToken, from] = read.texts(...names);
  const url = read.url('TWILIO_URL', ['https:', 'http:']) ?? 'https://api.twilio.com';
  if (accountSid && authToken && from) return { accountSid, authToken, from, url };
  if (accountSid || authToken || from) read.faults.push(`${listed(names)} must be set together.`);
  return undefined;
}
