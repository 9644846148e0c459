import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import type { AppId } from '../../../src/kernel/ids.js';
import { BoundedProvider } from '../../../src/services/crypto/bounded-provider.js';
import { EnvelopeVault } from '../../../src/services/crypto/envelope-vault.js';
import { KeyringKeyWrapper } from '../../../src/services/crypto/keyring-key-wrapper.js';
import { secretBuffer } from '../../../src/services/crypto/aes-gcm.js';
import type { KeyProvider } from '../../../src/services/crypto/key-provider.js';
import { checkValueOf, ProviderKeyWrapper } from '../../../src/services/crypto/provider-key-wrapper.js';
import { eventually } from '../../support/eventually.js';

const SHOP = 'app_00000000000000000000000001' as AppId;

const invert = (byte: number): number => byte ^ 0xff;

/** How often a key is in the memory of this process. It is given with inverted bytes, of which the search inverts only the first few. */
function found(inverted: Buffer): number {
  const begins = inverted.subarray(0, 6).map(invert);
  const chunk = Buffer.alloc(1 << 20);
  const memory = openSync('/proc/self/mem', 'r');
  let count = 0;
  try {
    for (const line of readFileSync('/proc/self/maps', 'latin1').split('\n')) {
      const [, begin, end] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? [];
      if (begin === undefined || /\[v/.test(line)) continue;
      const last = parseInt(end!, 16);
      // Overlapping, so that no needle is cut.
      for (let at = parseInt(begin, 16); at < last; at += chunk.length - 64) {
        let length: number;
        try {
          length = readSync(memory, chunk, 0, Math.min(chunk.length, last - at), at);
        } catch {
          break;
        }
        for (let i = chunk.indexOf(begins); i >= 0 && i + 32 <= length; i = chunk.indexOf(begins, i + 1))
          if (inverted.every((byte, n) => chunk[i + n] === invert(byte))) count++;
        chunk.fill(0);
      }
    }
  } finally {
    closeSync(memory);
  }
  return count;
}

/** It makes the canary from its inverted bytes, so that no other part of the process has it. */
class Canary implements KeyProvider {
  readonly name = 'vault';
  readonly inverted = randomBytes(32);

  async unwrap(): Promise<Buffer> {
    const key = secretBuffer(32);
    for (let i = 0; i < 32; i++) key[i] = this.inverted[i]! ^ 0xff;
    return key;
  }
  async wrap(): Promise<never> {
    throw new Error('No key is made.');
  }
  async rewrap(): Promise<never> {
    throw new Error('No key is wrapped again.');
  }
  async health(): Promise<void> {}
  close(): void {}
}

describe('the memory of the process', () => {
  it('has the key of an app until it ends, and no copy of it afterwards', async () => {
    if (process.platform !== 'linux') return;
    const canary = new Canary();
    const place = { owner: SHOP, generation: 1 };
    const key = await canary.unwrap();
    const checkValue = checkValueOf(key, place);
    key.fill(0);
    const stored = {
      ...place,
      provider: 'vault',
      wrappedKey: Buffer.alloc(60),
      keyRef: 'k',
      checkValue,
      isRetired: false,
    };
    const provider = new BoundedProvider(canary);
    const wrapper = new ProviderKeyWrapper(
      { all: new Map([['vault', provider]]), current: provider },
      {
        of: async () => [stored],
        isOfAnother: async () => false,
        isRetired: async () => false,
        add: async () => true,
        restore: async () => undefined,
      },
      { of: async () => [] },
      undefined as unknown as KeyringKeyWrapper,
      () => undefined,
      { idleMs: 300, totalMs: 600_000, refreshMs: 0, marginMs: 0, sweepMs: 20 },
    );
    const vault = new EnvelopeVault(wrapper);
    await vault.ready(SHOP);
    for (let i = 0; i < 20; i++) vault.open(vault.seal(Buffer.from('secret'), ['kind', SHOP]), ['kind', SHOP]);
    expect(found(canary.inverted)).toBeGreaterThan(0);
    // It is not used for the idle time.
    await eventually(async () => expect(wrapper.cached.owners).toBe(0));
    expect(found(canary.inverted)).toBe(0);
    wrapper.onApplicationShutdown();
  });
});
