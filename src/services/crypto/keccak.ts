import { keccak256 } from 'ethers/crypto';
import { getBytes } from 'ethers/utils';
import { createKeccak } from 'hash-wasm';
import { randomBytes } from 'node:crypto';
import type { Log } from '../../kernel/log.js';

type Keccak256 = (bytes: Uint8Array) => Uint8Array;

let backend: Keccak256 = (bytes) => getBytes(keccak256(bytes));

/** ethers makes a hexadecimal text of each hash; this does not. */
export function keccak(bytes: Uint8Array): Buffer {
  return Buffer.from(backend(bytes));
}

const RATE = 136;

async function webAssembly(): Promise<Keccak256> {
  const hasher = await createKeccak(256);
  return (bytes) => hasher.init().update(bytes).digest('binary');
}

/** WebAssembly hashes ten times as fast as JavaScript. A backend that fails its self-test is not used: a wrong hash would be signed. */
export async function hashFast(log: Pick<Log, 'info' | 'warn'>, load = webAssembly): Promise<void> {
  try {
    const fast = await load();
    for (let length = 0; length <= 2 * RATE + 1; length++) {
      const bytes = randomBytes(length);
      if (!Buffer.from(fast(bytes)).equals(keccak256._(bytes))) throw new Error('The self-test returned another hash.');
    }
    keccak256.register(fast);
    backend = fast;
    log.info({ backend: 'webassembly' }, 'Keccak-256 hashes');
  } catch (error) {
    log.warn({ backend: 'webassembly', reason: (error as Error).message }, 'Keccak-256 backend skipped');
  }
}

/** The address checksummed (EIP-55), or null. Other forms that ethers accepts (ICAP, no 0x, upper case) are usually mistakes. */
export function ethereumAddressOf(value: unknown): string | null {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(value)) return null;
  const lowerCase = value.toLowerCase();
  const checksummed = checksummedOf(lowerCase);
  return value === checksummed || value === lowerCase ? checksummed : null;
}

function checksummedOf(lowerCase: string): string {
  const hash = keccak(Buffer.from(lowerCase.slice(2), 'latin1')).toString('hex');
  let address = '0x';
  for (let i = 0; i < 40; i++) {
    const digit = lowerCase[i + 2]!;
    address += hash[i]! >= '8' ? digit.toUpperCase() : digit;
  }
  return address;
}
