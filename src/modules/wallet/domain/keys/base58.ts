// Base58 is computed on bytes alone, never as text or big numbers: keys pass through here, and only bytes can be wiped.

const ALPHABET = Buffer.from('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz', 'latin1');

/** Base58 as ASCII. */
export function toBase58(bytes: Uint8Array): Buffer {
  const digits = convert(bytes, 256, 58);
  digits.forEach((digit, i) => (digits[i] = ALPHABET[digit]!));
  return digits;
}

/** The bytes that ASCII in base58 stands for, or null. */
export function fromBase58(ascii: Uint8Array): Buffer | null {
  const digits = Buffer.from(ascii);
  // A character outside the alphabet becomes -1, which is 255 in a byte.
  digits.forEach((character, i) => (digits[i] = ALPHABET.indexOf(character)));
  try {
    return digits.includes(0xff) ? null : convert(digits, 58, 256);
  } finally {
    digits.fill(0);
  }
}

/** The same number in another base, digit by digit, most significant first. Leading zeros stay as many as they are. */
function convert(digits: Uint8Array, from: number, to: number): Buffer {
  const zeros = digits.findIndex((digit) => digit !== 0);
  const leading = zeros === -1 ? digits.length : zeros;
  const room = Math.ceil((digits.length * Math.log(from)) / Math.log(to)) + 1;
  const result = Buffer.alloc(room);
  let length = 0;
  for (const digit of digits) {
    let carry = digit;
    for (let i = 0; i < length || carry > 0; i++) {
      carry += from * result[room - 1 - i]!;
      result[room - 1 - i] = carry % to;
      carry = Math.floor(carry / to);
      length = Math.max(length, i + 1);
    }
  }
  const whole = Buffer.concat([Buffer.alloc(leading), result.subarray(room - length)]);
  result.fill(0);
  return whole;
}
