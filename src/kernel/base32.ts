const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648, section 6, without padding. */
export function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replace(/.{1,5}/g, (five) => BASE32[Number.parseInt(five.padEnd(5, '0'), 2)]!);
}

/** Both cases, padding and blanks are accepted; null for another text. */
export function bytesOfBase32(text: string): Buffer | null {
  const digits = Array.from(text.toUpperCase().replace(/=+$|\s/g, ''), (digit) => BASE32.indexOf(digit));
  if (digits.includes(-1)) return null;
  const bits = digits.map((digit) => digit.toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
