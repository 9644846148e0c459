import { createHash, randomInt, timingSafeEqual } from 'node:crypto';

const COUNT = 16;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** 16 codes `xxxxx-xxxxx`, more than 51 random bits each. */
export function mintRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, () => `${group()}-${group()}`);
}

function group(): string {
  return Array.from({ length: 5 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** A code as people type it: in upper case, with blanks around it or in the middle, without the hyphen. */
export const TYPED_RECOVERY_CODE = /^\s*[0-9A-Za-z]{5}[ -]?[0-9A-Za-z]{5}\s*$/;

/** Where the typed code is among the codes, or -1. Takes as long wherever that is. */
export function positionOf(typed: string, codes: readonly string[]): number {
  const wanted = digest(typed);
  return codes.reduce((found, code, position) => (timingSafeEqual(digest(code), wanted) ? position : found), -1);
}

/** Of equal length for any text, as `timingSafeEqual` wants it. */
function digest(code: string): Buffer {
  return createHash('sha256')
    .update(code.toLowerCase().replace(/[^0-9a-z]/g, ''))
    .digest();
}
