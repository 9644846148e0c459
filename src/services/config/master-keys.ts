import { createSecretKey, type KeyObject } from 'node:crypto';
import type { EnvironmentReader } from './environment-reader.js';

export const KEY_BYTES = 32;
const KEY_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export function masterKeysOf(read: EnvironmentReader): string | undefined {
  const text = read.text('MASTER_KEYS');
  const { faults } = text === undefined ? { faults: [] } : masterKeysIn(text);
  read.faults.push(...faults.map((fault) => `MASTER_KEYS: ${fault}`));
  return text;
}

/** Faults name keys by their ids and contain no key. The first key is the current one. */
export function masterKeysIn(text: string): {
  readonly faults: readonly string[];
  readonly keys: ReadonlyMap<string, KeyObject>;
} {
  const faults: string[] = [];
  const keys = new Map<string, KeyObject>();
  for (const [index, entry] of text.trim().split(',').entries()) {
    const colon = entry.indexOf(':');
    const id = entry.slice(0, Math.max(colon, 0)).trim();
    const encoded = entry.slice(colon + 1).trim();
    // Text that is no id may be a key without its id, so the message names its position instead.
    if (!KEY_ID.test(id)) {
      faults.push(`Entry ${index + 1} is not id:base64 (an id has up to 32 letters, digits, dots, dashes).`);
      continue;
    }
    const bytes = Buffer.from(encoded, 'base64');
    const fault = faultOf(encoded, bytes);
    const key = fault ? null : createSecretKey(bytes);
    bytes.fill(0);
    if (keys.has(id)) faults.push(`Master key "${id}" is given twice.`);
    else if (fault) faults.push(`Master key "${id}" ${fault}`);
    else if ([...keys.values()].some((other) => other.equals(key!))) {
      faults.push(`Master key "${id}" is the same key as another under a different id.`);
    } else keys.set(id, key!);
  }
  return { faults, keys };
}

/** Thirty-two random bytes show each of these faults with a probability below 2^-40. */
function faultOf(encoded: string, bytes: Buffer): string | undefined {
  if (encoded === '' || !BASE64.test(encoded) || bytes.toString('base64') !== encoded) return 'is not base64.';
  if (bytes.length !== KEY_BYTES) return `has ${bytes.length} bytes; it must have ${KEY_BYTES}.`;
  const weak = 'is not random; make one with: openssl rand -base64 32';
  if (new Set(bytes).size < 16) return weak;
  if (bytes.subarray(0, 16).equals(bytes.subarray(16))) return weak;
  // Typed instead of random: words, hexadecimal digits, the examples of guides.
  if (bytes.every((byte) => byte >= 0x20 && byte <= 0x7e)) return weak;
  const step = (bytes[1]! - bytes[0]!) & 0xff;
  if (bytes.every((byte, i) => i === 0 || ((byte - bytes[i - 1]!) & 0xff) === step)) return weak;
  return undefined;
}
