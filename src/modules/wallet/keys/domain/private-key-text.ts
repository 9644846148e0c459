import type { WalletType } from '../../../../kernel/chain/chain-name.js';

// Base58 is computed on bytes alone, never as text or big numbers: keys pass through here, and only bytes can be wiped.

const ALPHABET = Buffer.from('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz', 'latin1');

export function toBase58(bytes: Uint8Array): Buffer {
  const digits = convert(bytes, 256, 58);
  digits.forEach((digit, i) => (digits[i] = ALPHABET[digit]!));
  return digits;
}

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

/** The caller wipes both halves. */
interface PrivateKeyText {
  /** The key of 32 bytes: a number for Ethereum, the seed of Ed25519 for Solana. */
  readonly privateKey: Buffer;
  /** The other half of a Solana key pair, which has to fit. */
  readonly publicKey: Buffer | null;
}

/** Ethereum: hexadecimal text, or 32 bytes. Solana: base58 text of the 64 bytes of a key pair, those bytes, or the 32 bytes of the seed. */
export function readPrivateKey(walletType: WalletType, bytes: Uint8Array): PrivateKeyText | null {
  if (bytes.length === 32) return { privateKey: Buffer.from(bytes), publicKey: null };
  if (walletType === 'ethereum') {
    const privateKey = fromHex(bytes[0] === ZERO && bytes[1] === X ? bytes.subarray(2) : bytes);
    return privateKey && { privateKey, publicKey: null };
  }
  const pair = bytes.length === 64 ? Buffer.from(bytes) : bytes.length <= 90 ? fromBase58(bytes) : null;
  if (pair?.length !== 64) return null;
  return { privateKey: pair.subarray(0, 32), publicKey: pair.subarray(32) };
}

/** The key as wallets of its type take it, in ASCII: 0x-hexadecimal for Ethereum, a key pair in base58 for Solana. */
export function writePrivateKey(walletType: WalletType, publicAddress: string, privateKey: Uint8Array): Buffer {
  if (walletType === 'ethereum') return toHex(privateKey);
  const pair = Buffer.concat([privateKey, fromBase58(Buffer.from(publicAddress))!]);
  try {
    return toBase58(pair);
  } finally {
    pair.fill(0);
  }
}

// Like base58 on bytes alone: text cannot be wiped.
const HEX = Buffer.from('0123456789abcdef');
const [ZERO, X] = Buffer.from('0x');

function toHex(bytes: Uint8Array): Buffer {
  const ascii = Buffer.alloc(2 + 2 * bytes.length, '0x');
  bytes.forEach((byte, i) => {
    ascii[2 + 2 * i] = HEX[byte >> 4]!;
    ascii[3 + 2 * i] = HEX[byte & 15]!;
  });
  return ascii;
}

function fromHex(ascii: Uint8Array): Buffer | null {
  if (ascii.length !== 64) return null;
  // Capital letters differ from small ones in this bit, which digits have set too.
  const digits = Buffer.from(ascii);
  digits.forEach((character, i) => (digits[i] = HEX.indexOf(character | 0x20)));
  const isHex = !digits.includes(0xff) && ascii.every((character) => character >= ZERO!);
  const bytes = Buffer.alloc(32);
  for (let i = 0; i < 32; i++) bytes[i] = (digits[2 * i]! << 4) | digits[2 * i + 1]!;
  digits.fill(0);
  return isHex ? bytes : null;
}
