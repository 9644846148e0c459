import { keccak256 } from 'ethers';
import { createHash, randomBytes } from 'node:crypto';
import { hashFast } from '../../../src/services/crypto/keccak.js';

const lines: string[] = [];
const line = (level: string) => (fields: object) => void lines.push(`${level} ${JSON.stringify(fields)}`);
const log = { info: line('info'), warn: line('warn') } as unknown as Parameters<typeof hashFast>[0];

beforeEach(() => {
  lines.length = 0;
  keccak256.register(keccak256._);
});

describe('Keccak-256 in WebAssembly', () => {
  it('returns known hashes through ethers', async () => {
    await hashFast(log);
    expect(lines).toEqual(['info {"backend":"webassembly"}']);
    // Of the empty string as every empty account has it, and of "abc" as of Keccak's authors.
    expect(keccak256('0x')).toBe('0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470');
    expect(keccak256(Buffer.from('abc'))).toBe('0x4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45');
  });

  it('returns the hashes of ethers for every length, also for one input after another', async () => {
    const texts = Array.from({ length: 600 }, (_, length) => randomBytes(length));
    const own = texts.map((text) => keccak256(text));
    await hashFast(log);
    expect(texts.map((text) => keccak256(text))).toEqual(own);
  });

  it.each([
    ['does not load', () => Promise.reject(new Error('no WebAssembly'))],
    [
      'is wrong about one length',
      async () => (bytes: Uint8Array) => keccak256._(bytes.length === 137 ? bytes.subarray(1) : bytes),
    ],
    ['is SHA-3', async () => (bytes: Uint8Array) => createHash('sha3-256').update(bytes).digest()],
  ])('is left alone when it %s', async (_, load) => {
    await hashFast(log, load);
    expect(lines).toEqual([expect.stringMatching(/^warn /)]);
    expect(keccak256('0x')).toBe('0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470');
    expect(keccak256(new Uint8Array(137))).toBe(`0x${Buffer.from(keccak256._(new Uint8Array(137))).toString('hex')}`);
  });
});
