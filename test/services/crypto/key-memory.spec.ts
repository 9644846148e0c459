import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { AppId } from '../../../src/kernel/ids.js';
import { BoundedProvider } from '../../../src/services/crypto/bounded-provider.js';
import { EnvelopeVault } from '../../../src/services/crypto/envelope-vault.js';
import { KeyringKeyWrapper } from '../../../src/services/crypto/keyring-key-wrapper.js';
import { secretBuffer } from '../../../src/services/crypto/aes-gcm.js';
import type { KeyProvider } from '../../../src/services/crypto/key-provider.js';
import { checkValueOf, ProviderKeyWrapper } from '../../../src/services/crypto/provider-key-wrapper.js';
import { VaultTransit } from '../../../src/services/crypto/providers/vault-transit.js';
import { eventually } from '../../support/eventually.js';

const SHOP = 'app_00000000000000000000000001' as AppId;

/**
 * A transit engine in a process of its own, whose only key is the canary. It prints the canary with all bits inverted, so that
 * this process never has it but from the response that is tested.
 */
const SERVER = `
  const { createHmac, randomBytes } = require('node:crypto');
  const key = randomBytes(32);
  const text = key.toString('base64');
  const inverted = (bytes) => Buffer.from(bytes.map((byte) => byte ^ 0xff)).toString('hex');
  const check = createHmac('sha256', key).update('wrapping key check value v1\\0${SHOP}\\x001').digest('hex');
  const server = require('node:http').createServer((request, response) => {
    request.resume().on('end', () => response.end(JSON.stringify({ data: { plaintext: text } })));
  });
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    console.log(JSON.stringify({ port, check, needles: [inverted(key), inverted(Buffer.from(text.slice(0, 40)))] }));
  });
`;

/** How often one of the inverted needles is in the memory of this process, when that is inverted. */
function found(needles: readonly Buffer[]): number {
  const chunk = Buffer.alloc(1 << 20);
  const words = new Uint32Array(chunk.buffer, chunk.byteOffset, chunk.length / 4);
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
        for (let i = 0; i < words.length; i++) words[i]! ^= 0xffffffff;
        for (const needle of needles) if (chunk.subarray(0, length).includes(needle)) count++;
        chunk.fill(0);
      }
    }
  } finally {
    closeSync(memory);
  }
  return count;
}

/** Uses a key until it is overwritten. Returns how often it is in memory while it is used, and afterwards. */
async function copiesOfKey(): Promise<{ readonly inUse: number; readonly afterwards: number }> {
  const server = spawn(process.execPath, ['-e', SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = (await once(server.stdout, 'data')) as [Buffer];
    const { port, check, needles: texts } = JSON.parse(line.toString()) as Announced;
    const needles = texts.map((text) => Buffer.from(text, 'hex'));
    const url = `http://127.0.0.1:${port}`;
    const auth = { token: 'token' };
    const transit = new VaultTransit({ url, key: 'service', auth, namespace: undefined, ca: undefined });
    const provider = new BoundedProvider(transit);
    const stored = {
      owner: SHOP,
      generation: 1,
      provider: 'vault',
      wrappedKey: Buffer.from(`vault:v1:${Buffer.alloc(60).toString('base64')}`),
      keyRef: 'transit/service:v1',
      isRetired: false,
      checkValue: Buffer.from(check, 'hex'),
    };
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
      { idleMs: 60_000, totalMs: 600_000, refreshMs: 0, marginMs: 0, sweepMs: 1_000 },
    );
    const vault = new EnvelopeVault(wrapper);
    await vault.ready(SHOP);
    vault.open(vault.seal(Buffer.from('secret'), ['kind', SHOP]), ['kind', SHOP]);
    const inUse = found(needles);
    wrapper.onApplicationShutdown();
    provider.close();
    await pause(50);
    return { inUse, afterwards: found(needles) };
  } finally {
    server.kill();
  }
}

interface Announced {
  readonly port: number;
  readonly check: string;
  readonly needles: readonly string[];
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
    expect(found([canary.inverted])).toBeGreaterThan(0);
    // It is not used for the idle time.
    await eventually(async () => expect(wrapper.cached.owners).toBe(0));
    expect(found([canary.inverted])).toBe(0);
    wrapper.onApplicationShutdown();
  });

  it('has no text of the key from the response of a provider once it has ended', async () => {
    // Only Linux lets a process read its own memory.
    if (process.platform !== 'linux') return;
    const left: number[] = [];
    // Once in a while, a buffer that Node has freed before it could be overwritten keeps a copy. A missing overwrite leaves one each time.
    for (let i = 0; i < 4 && left.at(-1) !== 0; i++) {
      const { inUse, afterwards } = await copiesOfKey();
      expect(inUse).toBeGreaterThan(0);
      left.push(afterwards);
    }
    expect(left.at(-1)).toBe(0);
  });
});
