import { createHash, randomInt, timingSafeEqual } from 'node:crypto';

const COUNT = 16;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Each of the 16 codes `xxxxx-xxxxx` has more than 51 random bits. */
export function mintRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, () => `${group()}-${group()}`);
}

function group(): string {
  return Array.from({ length: 5 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** A code as users may type it: in upper case, with spaces, without the hyphen. */
export const TYPED_RECOVERY_CODE = /^\s*[0-9A-Za-z]{5}[ -]?[0-9A-Za-z]{5}\s*$/;

/** The position of the typed code among the codes, or -1. The time does not depend on the position. */
export function positionOf(typed: string, codes: readonly string[]): number {
  const wanted = digest(typed);
  return codes.reduce((found, code, position) => (timingSafeEqual(digest(code), wanted) ? position : found), -1);
}

/** `timingSafeEqual` requires inputs of equal length. */
function digest(code: string): Buffer {
  return createHash('sha256')
    .update(code.toLowerCase().replace(/[^0-9a-z]/g, ''))
    .digest();
}
