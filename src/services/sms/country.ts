import { parsePhoneNumberFromString } from 'libphonenumber-js';

/** The code of numbers without a country: satellites, international freephone. Only an app that allows all countries sends there. */
const NOWHERE = 'ZZ';

/**
 * The ISO 3166-1 alpha-2 code of the country of a number in E.164 form. When several countries share the calling code and the
 * number matches none of them, the result is the main country of the code.
 */
export function countryOf(phoneNumber: string): string {
  const number = parsePhoneNumberFromString(phoneNumber);
  return number?.country ?? number?.getPossibleCountries()[0] ?? NOWHERE;
}
