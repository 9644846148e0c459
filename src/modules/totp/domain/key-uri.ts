import { DIGITS, STEP_SECONDS } from './totp.js';

/** Longer names would make a QR code that phones do not read reliably. */
const ISSUER_LENGTH = 120;
const ACCOUNT_LENGTH = 240;

/** https://github.com/google/google-authenticator/wiki/Key-Uri-Format. Names are only displayed, so very long ones are cut. */
export function keyUri({ issuer, account, secret }: { issuer: string; account: string; secret: string }): string {
  const from = encoded(issuer, ISSUER_LENGTH);
  return (
    `otpauth://totp/${from}:${encoded(account, ACCOUNT_LENGTH)}?secret=${secret}&issuer=${from}` +
    `&algorithm=SHA1&digits=${DIGITS}&period=${STEP_SECONDS}`
  );
}

/** A colon, even an encoded one, would end the issuer. */
function encoded(name: string, maxLength: number): string {
  let text = '';
  for (const character of name.replaceAll(':', ' ').replace(/\s+/g, ' ').trim()) {
    const next = encodeURIComponent(character);
    if (text.length + next.length > maxLength) break;
    text += next;
  }
  return text;
}

export abstract class QrCodes {
  /** The image has the blank margin that readers need. The text has at most 1,500 bytes. */
  abstract png(text: string): Buffer;
}
