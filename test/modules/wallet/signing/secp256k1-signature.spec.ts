import { createHash, randomBytes } from 'node:crypto';
import {
  chooseSecp256k1,
  SECP256K1_BACKENDS,
  type Secp256k1,
  type Secp256k1Backend,
} from '../../../../src/modules/wallet/signing/infrastructure/secp256k1-signature.js';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const bytes32 = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** RFC 6979 over secp256k1 with SHA-256, s in the lower half: the vectors Bitcoin's and Ethereum's libraries share. */
const VECTORS: [privateKey: string, text: string, signature: string][] = [
  [
    '0000000000000000000000000000000000000000000000000000000000000001',
    'Satoshi Nakamoto',
    '934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d82442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5',
  ],
  [
    '0000000000000000000000000000000000000000000000000000000000000001',
    'All those moments will be lost in time, like tears in rain. Time to die...',
    '8600dbd41e348fe5c9465ab92d23e3db8b98b873beecd930736488696438cb6b547fe64427496db33bf66019dacbf0039c04199abb0122918601db38a72cfc21',
  ],
  [
    'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140',
    'Satoshi Nakamoto',
    'fd567d121db66e382991534ada77a6bd3106f0a1098c231e47993447cd6af2d06b39cd0eb1bc8603e159ef5c20a5c8ad685a45b06ce9bebed3f153d10d93bed5',
  ],
  [
    'f8b8af8ce3c7cca5e300d33939540c10d45ce001b8f252bfbc57ba0342904181',
    'Alan Turing',
    '7063ae83e7f62bbb171798131b4a0564b956930092b33b07b395615d9ec7e15c58dfcc1e00a35e1572f366ffe34ba0fc47db1e7189759b9fb233c5b05ab388ea',
  ],
  [
    'e91671c46231f833a6406ccbea0e3e392c76c167bac1cb013f6f1013980455c2',
    "There is a computer disease that anybody who works with computers knows about. It's a very serious disease and it interferes completely with the work. The trouble with computers is that you 'play' with them!",
    'b552edd27580141f3b2a5463048cb7cd3e047b97c9f98076c32dbdf85a68718b279fa72dd19bfae05577e06c7c0c1900c371fcd5893f7e1d56a37d30174671f6',
  ],
];

let backends: Secp256k1[];
beforeAll(async () => {
  backends = await Promise.all(SECP256K1_BACKENDS.map(async ({ name, load }) => ({ name, ...(await load()) })));
});

describe.each(SECP256K1_BACKENDS.map(({ name }, index) => ({ name, index })))('the $name backend', ({ index }) => {
  it.each(VECTORS)('signs as RFC 6979 has it: key %s', (key, text, signature) => {
    const digest = createHash('sha256').update(text).digest();
    expect(hex(backends[index]!.sign(digest, Buffer.from(key, 'hex')).compact)).toBe(signature);
  });

  it.each([
    ['zero', 0n],
    ['the order of the curve', ORDER],
    ['2^256-1', 2n ** 256n - 1n],
  ])('refuses the private key %s', (_, key) => {
    expect(() => backends[index]!.sign(randomBytes(32), bytes32(key))).toThrow(
      /private key|bigint: 0 < bigint < curve/i,
    );
    expect(() => backends[index]!.publicKey(bytes32(key))).toThrow(/private key|bigint: 0 < bigint < curve/i);
  });

  it('recovers a signature with s at half the order of the curve at most, and refuses the other form (EIP-2)', () => {
    const backend = backends[index]!;
    const [digest, key] = [randomBytes(32), randomBytes(32)];
    const { compact, recovery } = backend.sign(digest, key);
    expect(hex(backend.recover(digest, { compact, recovery }))).toBe(hex(backend.publicKey(key)));
    const other = (s: bigint) => Buffer.concat([compact.subarray(0, 32), bytes32(s)]);
    const s = BigInt(`0x${hex(compact.subarray(32))}`);
    for (const parity of [recovery, recovery ^ 1]) {
      expect(() => backend.recover(digest, { compact: other(ORDER - s), recovery: parity })).toThrow('upper half');
    }
    expect(() => backend.recover(digest, { compact: other(ORDER / 2n), recovery })).not.toThrow();
    expect(() => backend.recover(digest, { compact: other(ORDER / 2n + 1n), recovery })).toThrow('upper half');
  });

  it('leaves key and digest as they were', () => {
    const [digest, key] = [randomBytes(32), randomBytes(32)];
    const copies = [Buffer.from(digest), Buffer.from(key)];
    backends[index]!.sign(digest, key);
    backends[index]!.publicKey(key);
    expect([digest, key]).toEqual(copies);
  });
});

describe('all backends', () => {
  it('are the three there are to be: the add-on, WebAssembly and ethers', () => {
    expect(backends.map(({ name }) => name)).toEqual(['native', 'webassembly', 'ethers']);
  });

  it('give the same bytes and read each other, over 300 random cases and the edges', () => {
    // A digest from the order of the curve on, which hashing gives once in 2^128, is left out: there the C library derives
    // its nonce from the digest as it is and RFC 6979 from its remainder. Both signatures are valid, but not the same.
    const edges: [bigint, bigint][] = [0n, 1n, ORDER - 1n].flatMap((digest) =>
      [1n, 2n, ORDER - 1n, ORDER / 2n].map((key): [bigint, bigint] => [digest, key]),
    );
    const cases = edges.map(([digest, key]) => [bytes32(digest), bytes32(key)] as const);
    for (let i = 0; i < 300; i++) cases.push([randomBytes(32), randomBytes(32)]);
    for (const [digest, key] of cases) {
      const signatures = backends.map((backend) => backend.sign(digest, key));
      const described = signatures.map(({ compact, recovery }) => `${hex(compact)} ${recovery}`);
      expect(new Set(described).size).toBe(1);
      expect(new Set(backends.map((backend) => hex(backend.publicKey(key)))).size).toBe(1);
      expect(BigInt(`0x${hex(signatures[0]!.compact.subarray(32))}`) <= ORDER / 2n).toBe(true);
      for (const backend of backends) {
        expect(hex(backend.recover(digest, signatures[0]!))).toBe(hex(backends[0]!.publicKey(key)));
      }
    }
  });
});

describe('choosing a backend', () => {
  const lines: string[] = [];
  const line = (level: string) => (fields: object) => void lines.push(`${level} ${JSON.stringify(fields)}`);
  const log = { info: line('info'), warn: line('warn') } as unknown as Parameters<typeof chooseSecp256k1>[0];
  const absent: Secp256k1Backend = { name: 'absent', load: () => Promise.reject(new Error('no such add-on')) };
  const altered = (
    name: string,
    change: (backend: Omit<Secp256k1, 'name'>) => Partial<Secp256k1>,
  ): Secp256k1Backend => ({
    name,
    load: async () => {
      const whole = await SECP256K1_BACKENDS[1]!.load();
      return { ...whole, ...change(whole) };
    },
  });

  beforeEach(() => void lines.splice(0));

  it('takes the first and names it', async () => {
    expect((await chooseSecp256k1(log)).name).toBe('native');
    expect(lines).toEqual(['info {"backend":"native"}']);
  });

  it('passes over one that does not load, with a warning', async () => {
    expect((await chooseSecp256k1(log, [absent, ...SECP256K1_BACKENDS.slice(1)])).name).toBe('webassembly');
    expect(lines).toEqual(['warn {"backend":"absent","reason":"no such add-on"}', 'info {"backend":"webassembly"}']);
  });

  it.each([
    [
      'signs with s in the upper half',
      altered('high', ({ sign }) => ({
        sign: (digest, key) => {
          const { compact, recovery } = sign(digest, key);
          const s = BigInt(`0x${hex(compact.subarray(32))}`);
          return { compact: Buffer.concat([compact.subarray(0, 32), bytes32(ORDER - s)]), recovery: recovery ^ 1 };
        },
      })),
    ],
    [
      'reports the wrong recovery',
      altered('recovery', ({ sign }) => ({
        sign: (digest, key) => ({ ...sign(digest, key), recovery: sign(digest, key).recovery ^ 1 }),
      })),
    ],
    [
      'signs with a key that is none',
      altered('lenient', ({ sign }) => ({
        sign: (digest, key) => sign(digest, Buffer.from(key).equals(Buffer.alloc(32)) ? bytes32(1n) : key),
      })),
    ],
  ])('passes over one that %s', async (_, broken) => {
    expect((await chooseSecp256k1(log, [broken, SECP256K1_BACKENDS[2]!])).name).toBe('ethers');
    expect(lines[0]).toMatch(/^warn .*self-test/);
  });

  it('refuses to go on without any', async () => {
    await expect(chooseSecp256k1(log, [absent])).rejects.toThrow('No secp256k1 backend passed its self-test');
  });
});
