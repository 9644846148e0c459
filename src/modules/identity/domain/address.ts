import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { emailDomain } from '../../../kernel/email-domain.js';
import { InvalidEmail, InvalidPhoneNumber } from './identity.errors.js';

export type AddressKind = 'email' | 'phone_number';

/** Two texts name the same recipient exactly when their `canonical` forms are equal. */
export interface Address {
  readonly kind: AddressKind;
  /** The form that is displayed and used for sending: trimmed, an email's domain in lower-case ASCII, its local part unchanged. */
  readonly text: string;
  readonly canonical: string;
}

const LONGEST_ADDRESS = 254;
const LONGEST_LOCAL_PART = 64;

/** A dot-atom of RFC 5322 with the letters of RFC 6531. No quoted strings: they hide commas, spaces and further addresses. */
const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;

/** NFKC look-alikes are refused: they may be another person's mailbox. Dots and plus tags stay: each mail server defines them. */
export function emailAddress(given: string, field = 'email'): Address {
  const text = given.trim();
  if (text.length > LONGEST_ADDRESS) throw new InvalidEmail(field);
  const at = text.indexOf('@');
  const local = text.slice(0, at);
  const ascii = emailDomain(text.slice(at + 1));
  const canonical = `${local.toLowerCase()}@${ascii}`;
  const accepted =
    at > 0 &&
    text === text.normalize('NFKC') &&
    LOCAL_PART.test(local) &&
    ascii !== null &&
    Buffer.byteLength(local) <= LONGEST_LOCAL_PART &&
    Buffer.byteLength(canonical) <= LONGEST_ADDRESS;
  if (!accepted) throw new InvalidEmail(field);
  return { kind: 'email', text: `${local}@${ascii}`, canonical };
}

const E164 = /^\+[1-9][0-9]{6,14}$/;

/** A number must be possible (country code and length), not assigned: numbering plans change faster than any table of them. */
export function phoneAddress(given: string, field = 'phone_number'): Address {
  const text = given.trim();
  // The library drops one trunk prefix per parse, such as the 0 in +44 0…; another one may follow. A third parse must change nothing.
  const number = possibleNumber(possibleNumber(text));
  if (number === undefined || possibleNumber(number) !== number) throw new InvalidPhoneNumber(field);
  return { kind: 'phone_number', text: number, canonical: number };
}

function possibleNumber(text: string | undefined): string | undefined {
  const number = text !== undefined && E164.test(text) ? parsePhoneNumberFromString(text) : undefined;
  return number?.isPossible() ? number.number : undefined;
}
