import { DIGITS, STEP_SECONDS } from './totp.js';

/** Longer names would make a QR code that phones do not read reliably. */
const ISSUER_LENGTH = 120;
const ACCOUNT_LENGTH = 240;

/**
 * The URI that an authenticator app scans (https://github.com/google/google-authenticator/wiki/Key-Uri-Format). Its names
 * are only displayed, so a very long name is truncated.
 */
export function keyUri({ issuer, account, secret }: { issuer: string; account: string; secret: string }): string {
  const from = encoded(issuer, ISSUER_LENGTH);
  return (
    `otpauth://totp/${from}:${encoded(account, ACCOUNT_LENGTH)}?secret=${secret}&issuer=${from}` +
    `&algorithm=SHA1&digits=${DIGITS}&period=${STEP_SECONDS}`
  );
}

/** The name percent-encoded. A colon, even an encoded one, would end the issuer. */
function encoded(name: string, maxLength: number): string {
  let text = '';
  for (const character of name.replaceAll(':', ' ').replace(/\s+/g, ' ').trim()) {
    const next = encodeURIComponent(character);
    if (text.length + next.length > maxLength) break;
    text += next;
  }
  return text;
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The encoding of RFC 4648, section 6, without padding. */
export function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replace(/.{1,5}/g, (five) => BASE32[Number.parseInt(five.padEnd(5, '0'), 2)]!);
}

/** The bytes of a base32 text, in either case, with or without padding and blanks; null for another text. */
export function bytesOfBase32(text: string): Buffer | null {
  const digits = Array.from(text.toUpperCase().replace(/=+$|\s/g, ''), (digit) => BASE32.indexOf(digit));
  if (digits.includes(-1)) return null;
  const bits = digits.map((digit) => digit.toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** Texts as QR codes. */
export abstract class QrCodes {
  /** A PNG image of the text, with the blank margin that readers need. The text has at most 1,500 bytes. */
  abstract png(text: string): Buffer;
}
