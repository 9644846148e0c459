import { parsePhoneNumberFromString } from 'libphonenumber-js';

/** Numbers of no country: satellites, international freephone. Only an app that allows all countries sends there. */
const NOWHERE = 'ZZ';

/**
 * The ISO 3166-1 alpha-2 code of the country a number in E.164 form belongs to. Where several share a calling code and
 * the number does not tell, no line of the others can be behind it: it is the main one's.
 */
export function countryOf(phoneNumber: string): string {
  const number = parsePhoneNumberFromString(phoneNumber);
  return number?.country ?? number?.getPossibleCountries()[0] ?? NOWHERE;
}
