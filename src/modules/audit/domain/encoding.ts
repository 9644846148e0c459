import { createHash } from 'node:crypto';
import { snakeCase } from '../../../kernel/snake-case.js';

type Part = string | Uint8Array | null;

const ABSENT = Buffer.from([0xff, 0xff, 0xff, 0xff]);

/** A part follows its length in bytes (4, big-endian); text is UTF-8; an absent part is 2^32 - 1 alone. No two lists encode alike. */
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

/** Names are in snake case, bytes in hexadecimal and times in milliseconds, as in the log and in an export. */
export function lineOf(values: object): Record<string, unknown> {
  const named = Object.entries(values).map(([name, value]) => [snakeCase(name), valueInLine(value)]);
  return Object.fromEntries(named) as Record<string, unknown>;
}

function valueInLine(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (value instanceof Date) return value.getTime();
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? lineOf(value) : value;
}

export function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

export function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
