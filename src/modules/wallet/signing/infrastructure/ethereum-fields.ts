export const MAX_UINT64 = (1n << 64n) - 1n;
export const MAX_UINT256 = (1n << 256n) - 1n;

/** A whole number from zero up: decimal or 0x-hexadecimal text, or a JSON number that is exact. Null when it is none. */
export function unsignedOf(value: unknown): bigint | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : null;
  if (typeof value !== 'string') return null;
  return /^(0|[1-9]\d{0,77}|0x[0-9a-fA-F]{1,64})$/.test(value) ? BigInt(value) : null;
}

/** A whole number that may be negative, otherwise as `unsignedOf`. */
export function signedOf(value: unknown): bigint | null {
  if (typeof value === 'number' && value < 0) return Number.isSafeInteger(value) ? BigInt(value) : null;
  if (typeof value === 'string' && /^-[1-9]\d{0,77}$/.test(value)) return BigInt(value);
  return unsignedOf(value);
}

export function isHexBytes(value: unknown, length?: number): value is string {
  return (
    typeof value === 'string' &&
    value.length % 2 === 0 &&
    (length === undefined || value.length === 2 + 2 * length) &&
    /^0x[0-9a-fA-F]*$/.test(value)
  );
}

/** Whether the text has a UTF-8 form. A surrogate without its other half has none, and would be signed as something else. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
