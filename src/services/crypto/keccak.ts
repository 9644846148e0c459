import { keccak256 } from 'ethers';
import { createKeccak } from 'hash-wasm';
import { randomBytes } from 'node:crypto';
import type { Log } from '../../kernel/log.js';

type Keccak256 = (bytes: Uint8Array) => Uint8Array;

/** Bytes that are absorbed at a time. */
const RATE = 136;

async function webAssembly(): Promise<Keccak256> {
  const hasher = await createKeccak(256);
  return (bytes) => hasher.init().update(bytes).digest('binary');
}

/**
 * Has ethers hash by Keccak in WebAssembly, a tenth of the time of its own in JavaScript: a payment takes half a dozen
 * hashes. What does not load, or gives another hash for anything, is left alone: a wrong hash would be signed.
 */
export async function hashFast(log: Pick<Log, 'info' | 'warn'>, load = webAssembly): Promise<void> {
  try {
    const fast = await load();
    for (let length = 0; length <= 2 * RATE + 1; length++) {
      const bytes = randomBytes(length);
      if (!Buffer.from(fast(bytes)).equals(keccak256._(bytes))) throw new Error('The self-test got another hash.');
    }
    keccak256.register(fast);
    log.info({ backend: 'webassembly' }, 'Keccak-256 hashes');
  } catch (error) {
    log.warn({ backend: 'webassembly', reason: (error as Error).message }, 'Keccak-256 backend skipped');
  }
}
