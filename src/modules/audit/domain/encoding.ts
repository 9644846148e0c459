import { createHash } from 'node:crypto';

/** What is hashed or signed: text, bytes, or null for a value that is absent. */
type Part = string | Uint8Array | null;

const ABSENT = Buffer.from([0xff, 0xff, 0xff, 0xff]);

/**
 * Each part after its length in bytes (4, big-endian); text as UTF-8; an absent part is the length 2^32 - 1 alone. No two lists
 * of parts have the same encoding.
 */
export function encode(parts: readonly Part[]): Buffer {
  const encoded: Buffer[] = [];
  for (const part of parts) {
    if (part === null) {
      encoded.push(ABSENT);
      continue;
    }
    const bytes = Buffer.from(part);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    encoded.push(length, bytes);
  }
  return Buffer.concat(encoded);
}

export function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
