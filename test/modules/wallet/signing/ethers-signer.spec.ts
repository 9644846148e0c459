import {
  concat,
  id,
  keccak256,
  recoverAddress,
  Transaction,
  TypedDataEncoder,
  type TypedDataField,
  verifyMessage,
  Wallet as EthersWallet,
} from 'ethers';
import { randomBytes } from 'node:crypto';
import type {
  EthTransaction,
  TransactionIntent,
  TypedData,
} from '../../../../src/modules/wallet/signing/domain/message-signer.js';
import {
  InvalidMessage,
  InvalidTransaction,
  InvalidTypedData,
} from '../../../../src/modules/wallet/wallets/domain/wallet.errors.js';
import { readTransaction } from '../../../../src/modules/wallet/signing/infrastructure/eip1559-transaction.js';
import { readTypedData } from '../../../../src/modules/wallet/signing/infrastructure/eip712-typed-data.js';
import {
  EthersSigner,
  SignatureRejected,
} from '../../../../src/modules/wallet/signing/infrastructure/ethers-signer.js';
import { isSignedIntent } from '../../../../src/services/crypto/eip1559.js';
import { hashFast, ethereumAddressOf } from '../../../../src/services/crypto/keccak.js';
import {
  SECP256K1_BACKENDS,
  type Secp256k1,
} from '../../../../src/modules/wallet/signing/infrastructure/secp256k1-signature.js';
import { leastUnitsOf, unitsOf } from '../../../support/processor-time.js';

let backend: Secp256k1;
let signer: EthersSigner;
beforeAll(async () => {
  backend = { name: 'webassembly', ...(await SECP256K1_BACKENDS[1]!.load()) };
  signer = new EthersSigner(backend);
});

const bytesOf = (hex: string) => Buffer.from(hex.slice(2), 'hex');
/** The key of EIP-712's example. */
const COW = bytesOf(id('cow'));
const COW_ADDRESS = '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826';

/** What `action` throws. */
function refusalOf<E extends Error>(kind: new (...args: never[]) => E, action: () => unknown): E {
  try {
    action();
  } catch (error) {
    if (error instanceof kind) return error;
    throw error;
  }
  throw new Error('Nothing was thrown.');
}

/** `done`, or the class of what was thrown. */
function outcomeOf(action: () => unknown): string {
  try {
    action();
    return 'done';
  } catch (error) {
    return (error as Error).constructor.name;
  }
}

describe('an ethereum address', () => {
  it('is derived from the key and checksummed', () => {
    expect(signer.address(COW)).toBe(COW_ADDRESS);
    for (let i = 0; i < 20; i++) {
      const key = randomBytes(32);
      expect(signer.address(key)).toBe(new EthersWallet(`0x${key.toString('hex')}`).address);
    }
  });

  // The vectors of EIP-55.
  it.each([
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
    '0xde709f2102306220921060314715629080e2fb77',
    '0x27b1fdb04752bbc536007a920d24acb045561c26',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ])('is read checksummed or in lower case: %s', (address) => {
    expect(ethereumAddressOf(address)).toBe(address);
    expect(ethereumAddressOf(address.toLowerCase())).toBe(address);
  });

  it.each([
    ['a wrong checksum', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed'],
    ['all upper case', '0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED'],
    ['no 0x', '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
    ['0X', '0X5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'],
    ['ICAP', 'XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS'],
    ['a digit less', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beae'],
    ['a digit more', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed0'],
    ['white space', ' 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'],
    ['a name', 'vitalik.eth'],
    ['a number', 0x5a],
    ['a list', ['0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed']],
  ])('is refused with %s', (_, address) => {
    expect(ethereumAddressOf(address)).toBeNull();
  });
});

describe('signing a message (EIP-191)', () => {
  it('gives the signature other libraries give', () => {
    const key = bytesOf('0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318');
    expect(signer.signMessage(key, '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23', 'Some data')).toBe(
      '0xb91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a0291c',
    );
  });

  it.each([
    ['nothing', ''],
    ['a line', 'hello\r\nworld\t '],
    ['letters of all kinds, not normalised', 'Åå ｱ e\u0301 é 漢字 🦄 \u202e'],
    ['what looks like hexadecimal', '0xdeadbeef'],
    ['64 kB', 'ü'.repeat(32_768)],
  ])('signs %s exactly as given', (_, message) => {
    const signature = signer.signMessage(COW, COW_ADDRESS, message);
    expect(signature).toMatch(/^0x[0-9a-f]{128}(1b|1c)$/);
    expect(verifyMessage(message, signature)).toBe(COW_ADDRESS);
  });

  it('agrees with ethers over random keys and texts', async () => {
    for (let i = 0; i < 50; i++) {
      const wallet = new EthersWallet(`0x${randomBytes(32).toString('hex')}`);
      const message = randomBytes(i * 7).toString('base64');
      const signature = signer.signMessage(bytesOf(wallet.privateKey), wallet.address, message);
      expect(signature).toBe(await wallet.signMessage(message));
    }
  });

  it.each(['\ud800', 'a\udc00b', '\udc00\ud800'])('refuses a lone surrogate', (message) => {
    expect(() => signer.signMessage(COW, COW_ADDRESS, message)).toThrow(InvalidMessage);
  });
});

describe('a signature that is not the wallet’s', () => {
  const flipped = (compact: Uint8Array) => Buffer.from(compact).map((byte, i) => (i === 40 ? byte ^ 1 : byte));

  it('is not given out when the arithmetic went wrong', () => {
    const faulty = new EthersSigner({
      name: 'faulty',
      recover: (digest, signature) => backend.recover(digest, signature),
      publicKey: (key) => backend.publicKey(key),
      sign: (digest, key) => {
        const { compact, recovery } = backend.sign(digest, key);
        return { compact: flipped(compact), recovery };
      },
    });
    for (let i = 0; i < 10; i++)
      expect(() => faulty.signMessage(COW, COW_ADDRESS, `message ${i}`)).toThrow(SignatureRejected);
  });

  it('is not given out when the key is not the address’s', () => {
    expect(() => signer.signMessage(randomBytes(32), COW_ADDRESS, 'hello')).toThrow(SignatureRejected);
  });
});

describe('signing typed data (EIP-712)', () => {
  /** The example of EIP-712. */
  const mail = {
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'version', type: 'string' },
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
      Person: [
        { name: 'name', type: 'string' },
        { name: 'wallet', type: 'address' },
      ],
      Mail: [
        { name: 'from', type: 'Person' },
        { name: 'to', type: 'Person' },
        { name: 'contents', type: 'string' },
      ],
    },
    primaryType: 'Mail',
    domain: {
      name: 'Ether Mail',
      version: '1',
      chainId: 1,
      verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
    },
    message: {
      from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
      to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
      contents: 'Hello, Bob!',
    },
  };
  const MAIL_SIGNATURE =
    '0x4355c47d63924e8a72e509b65029052eb6c299d53a04e167c5775fd466751c9d07299936d304c153f6443dfa05f40ff007d72911b6f72307f996231605b915621c';
  const signed = (typedData: TypedData) => signer.signTypedData(COW, COW_ADDRESS, readTypedData(typedData));
  const refused = (typedData: TypedData) => refusalOf(InvalidTypedData, () => signed(typedData));
  /** Typed data with one field of one type. */
  const single = (type: string, value: unknown): TypedData => ({
    types: { T: [{ name: 'v', type }] },
    primaryType: 'T',
    domain: { name: 'test' },
    message: { v: value },
  });

  it('gives the signature of the standard’s example', () => {
    expect(signed(mail)).toBe(MAIL_SIGNATURE);
  });

  it('gives the same without a declared EIP712Domain, with unused types, and with fields that no type has', () => {
    const { EIP712Domain: _, ...types } = mail.types;
    expect(signed({ ...mail, types })).toBe(MAIL_SIGNATURE);
    expect(signed({ ...mail, types: { ...mail.types, Unused: [{ name: 'x', type: 'bytes' }] } })).toBe(MAIL_SIGNATURE);
    expect(signed({ ...mail, message: { ...mail.message, extra: 1 } })).toBe(MAIL_SIGNATURE);
  });

  it('reads numbers as text, as hexadecimal and as JSON numbers alike', () => {
    for (const chainId of ['1', '0x1', '0x01']) {
      expect(signed({ ...mail, domain: { ...mail.domain, chainId } })).toBe(MAIL_SIGNATURE);
    }
  });

  it('hashes a declared domain in the order declared, as the contract would', () => {
    const declared = mail.types.EIP712Domain.toReversed();
    const signature = signed({ ...mail, types: { ...mail.types, EIP712Domain: declared } });
    const { EIP712Domain: _, ...types } = mail.types;
    const digest = keccak256(
      concat([
        '0x1901',
        TypedDataEncoder.hashStruct('EIP712Domain', { EIP712Domain: declared }, mail.domain),
        TypedDataEncoder.from(types).hash(mail.message),
      ]),
    );
    expect(recoverAddress(digest, signature)).toBe(COW_ADDRESS);
  });

  it('agrees with ethers over structs, lists and every kind of value', () => {
    const types = {
      Leaf: [
        { name: 'flag', type: 'bool' },
        { name: 'small', type: 'int8' },
        { name: 'large', type: 'int256' },
        { name: 'four', type: 'bytes4' },
        { name: 'blob', type: 'bytes' },
        { name: 'text', type: 'string' },
      ],
      Tree: [
        { name: 'leaves', type: 'Leaf[]' },
        { name: 'pairs', type: 'uint64[2][]' },
        { name: 'owner', type: 'address' },
        { name: 'first', type: 'Leaf' },
      ],
    };
    const leaf = { flag: true, small: -128, large: `-${2n ** 255n}`, four: '0xdeadBEEF', blob: '0x', text: '漢字 🦄' };
    const message = {
      leaves: [leaf, { ...leaf, flag: false, small: '127', large: 5, blob: '0x00ff' }],
      pairs: [
        ['0', '0xffffffffffffffff'],
        [1, 2],
      ],
      owner: COW_ADDRESS.toLowerCase(),
      first: leaf,
    };
    const domain = { name: 'Tree', salt: `0x${'ab'.repeat(32)}` };
    const signature = signed({ types, primaryType: 'Tree', domain, message });
    expect(recoverAddress(TypedDataEncoder.hash(domain, types, message), signature)).toBe(COW_ADDRESS);
  });

  it('agrees with ethers over names of types with namespaces', () => {
    const types = {
      'Exchange:Order': [
        { name: 'item', type: 'Exchange.Item_v1.2[]' },
        { name: 'maker', type: 'a:b:c.d' },
      ],
      'Exchange.Item_v1.2': [{ name: 'amount', type: 'uint256' }],
      'a:b:c.d': [{ name: 'account', type: 'address' }],
      Exchange: [{ name: 'unused', type: 'bool' }],
    };
    const message = { item: [{ amount: 5 }, { amount: '6' }], maker: { account: COW_ADDRESS } };
    const domain = { name: 'Exchange', chainId: 1 };
    const { Exchange: _, ...used } = types;
    const signature = signed({ types, primaryType: 'Exchange:Order', domain, message });
    expect(recoverAddress(TypedDataEncoder.hash(domain, used, message), signature)).toBe(COW_ADDRESS);
  });

  it.each(['a(b)', 'a,b', 'a[]', 'a[2]', 'a b', 'a)', 'a\n', ':a', '.a', 'a;b', 'ä', '', `a${':'.repeat(100)}`])(
    'refuses a type of the name %j, which could change what is hashed',
    (name) => {
      const typedData = {
        ...single('bool', true),
        types: { [name]: [{ name: 'v', type: 'bool' }] },
        primaryType: name,
      };
      expect(refused(typedData).fields[0]!.field).toMatch(/^typed_data\.types\./);
    },
  );

  it('refuses a member of a name with a namespace, which no standard has', () => {
    const types = { T: [{ name: 'a:b', type: 'bool' }] };
    expect(refused({ ...single('bool', true), types }).fields[0]!.field).toBe('typed_data.types.T[0].name');
  });

  it.each([
    ['a primaryType that is not there', { primaryType: 'Letter' }, 'primaryType'],
    ['no primaryType', { primaryType: undefined }, 'primaryType'],
    ['the domain as primaryType', { primaryType: 'EIP712Domain' }, 'primaryType'],
    ['a primaryType all objects have', { primaryType: 'constructor' }, 'primaryType'],
    ['no types', { types: undefined }, 'types'],
    ['types as a list', { types: [] }, 'types'],
    ['a type that is no list', { types: { ...mail.types, Person: {} } }, 'types.Person'],
    ['a type with a name of EIP-712’s own', { types: { ...mail.types, uint256: [] } }, 'types.uint256'],
    ['a type named __proto__', { types: JSON.parse('{"__proto__":[]}') as unknown }, 'types.__proto__'],
    ['a type with an odd name', { types: { 'a(b)': [] } }, 'types.a?b?'],
    [
      'a field twice',
      {
        types: {
          Mail: [
            { name: 'a', type: 'bool' },
            { name: 'a', type: 'bool' },
          ],
        },
      },
      'types.Mail[1].name',
    ],
    ['a field without a type', { types: { Mail: [{ name: 'a' }] } }, 'types.Mail[0].type'],
    ['a field of an unknown type', { types: { Mail: [{ name: 'a', type: 'Letter' }] } }, 'types.Mail'],
    ['a bare uint, which signers disagree on', { types: { Mail: [{ name: 'a', type: 'uint' }] } }, 'types.Mail'],
    ['a type that contains itself', { types: { Mail: [{ name: 'a', type: 'Mail[]' }] } }, 'types.Mail'],
    [
      'types that contain each other',
      { types: { Mail: [{ name: 'a', type: 'B' }], B: [{ name: 'a', type: 'Mail' }] } },
      'types.Mail',
    ],
    ['no domain', { domain: undefined }, 'domain'],
    ['an empty domain', { domain: {} }, 'domain'],
    ['a domain field no standard has', { domain: { ...mail.domain, chainid: 1 } }, 'domain'],
    [
      'a domain other than declared',
      { domain: { ...mail.domain, salt: `0x${'00'.repeat(32)}` } },
      'types.EIP712Domain',
    ],
    ['a negative chain', { domain: { ...mail.domain, chainId: -1 } }, 'domain.chainId'],
    [
      'a contract that is no address',
      { domain: { ...mail.domain, verifyingContract: '0x1' } },
      'domain.verifyingContract',
    ],
    ['no message', { message: undefined }, 'message'],
    ['a message as a list', { message: [] }, 'message'],
    ['a missing field', { message: { from: mail.message.from, to: mail.message.to } }, 'message.contents'],
    ['a missing inner field', { message: { ...mail.message, to: { name: 'Bob' } } }, 'message.to.wallet'],
    [
      'an inner field only its prototype has',
      { message: { ...mail.message, contents: undefined } },
      'message.contents',
    ],
  ])('refuses %s, naming where', (_, change, field) => {
    expect(refused({ ...mail, ...change }).fields).toEqual([
      { field: `typed_data.${field}`, rule: 'invalid', message: expect.stringContaining(field) as string },
    ]);
  });

  it.each([
    ['bool', 'false'],
    ['bool', 0],
    ['bool', null],
    ['string', 1],
    ['string', '\ud800'],
    ['address', '5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'],
    ['address', 'XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS'],
    ['uint8', 256],
    ['uint8', '-1'],
    ['uint256', `${2n ** 256n}`],
    ['uint256', 1.5],
    ['uint256', 2 ** 53],
    ['uint256', '1e3'],
    ['uint256', ''],
    ['uint256', ' 1'],
    ['uint256', true],
    ['int8', 128],
    ['int8', -129],
    ['int256', `-${2n ** 255n + 1n}`],
    ['int8', '-0'],
    ['bytes', '0x0'],
    ['bytes', 'abc'],
    ['bytes', [1, 2]],
    ['bytes4', '0xdeadbe'],
    ['bytes4', '0xdeadbeef00'],
    ['bool[]', true],
    ['bool[2]', [true]],
    ['bool[][]', [true]],
  ])('refuses as %s the value %j', (type, value) => {
    expect(refused(single(type, value)).fields[0]!.field).toMatch(/^typed_data\.message\.v/);
  });

  it.each([
    'uint7',
    'uint264',
    'bytes33',
    'bytes0',
    'int',
    'function',
    'T[0]',
    'T[-1]',
    'bool[',
    '',
    'bool[]'.repeat(9),
  ])('refuses the type %j', (type) => {
    expect(refused(single(type, 0)).fields[0]!.field).toMatch(/^typed_data\.types\.T/);
  });

  it('refuses at once types that branch too often to be walked', async () => {
    const layers = 24;
    const types = Object.fromEntries(
      Array.from({ length: layers }, (_, i) =>
        [`L${i}a`, `L${i}b`].map((name) => {
          const next =
            i + 1 < layers
              ? [
                  { name: 'a', type: `L${i + 1}a[]` },
                  { name: 'b', type: `L${i + 1}b[]` },
                ]
              : [];
          return [name, next];
        }),
      ).flat(),
    );
    const hostile = { types, primaryType: 'L0a', domain: { name: 'x' }, message: { a: [], b: [] } };
    expect(await unitsOf(() => refused(hostile))).toBeLessThan(300);
  });

  it('refuses a chain of types as deep as a body can hold', () => {
    const types = Object.fromEntries(
      Array.from({ length: 6_000 }, (_, i) => [`T${i}`, i + 1 < 6_000 ? [{ name: 'n', type: `T${i + 1}[]` }] : []]),
    );
    const { message } = refused({ types, primaryType: 'T0', domain: { name: 'x' }, message: { n: [] } });
    expect(message).toBe('types are too many; up to 50 types with 250 fields are signed.');
  });

  const tree = (depth: number): { types: Record<string, { name: string; type: string }[]>; message: unknown } => {
    const pairOf = (type: string) => ['l', 'r'].map((name) => ({ name, type }));
    const types = Object.fromEntries(
      Array.from({ length: depth }, (_, i) => [`T${i}`, pairOf(i + 1 < depth ? `T${i + 1}` : 'bool')]),
    );
    const node = (left: number): unknown => (left === 0 ? true : { l: node(left - 1), r: node(left - 1) });
    return { types, message: node(depth) };
  };

  it.each<[string, TypedData]>([
    ['a list of 1,001', single('bool[]', Array(1_001).fill(true))],
    ['a tree of 2,048 leaves', { ...tree(11), primaryType: 'T0', domain: { name: 'x' } }],
    ['a list of 2,001 empty lists', single('bool[][]', Array(2_001).fill([]))],
  ])('refuses %s: too many values', (_, typedData) => {
    expect(refused(typedData).message).toBe('message has too many values; up to 1000 are signed.');
  });

  const long = (letter: string) => letter.repeat(95);
  it.each<[string, TypedData]>([
    ['a list of 1,000 values', single('uint256[]', Array(1_000).fill(`0x${'f'.repeat(64)}`))],
    ['a list of 1,000 addresses', single('address[]', Array(1_000).fill(COW_ADDRESS))],
    ['a tree of 512 leaves', { ...tree(9), primaryType: 'T0', domain: { name: 'x' } }],
    ['bytes as long as a body', single('bytes', `0x${'ab'.repeat(120_000)}`)],
    ['a text as long as a body', single('string', 'é'.repeat(120_000))],
    [
      'a chain of 50 types with long names',
      {
        types: Object.fromEntries(
          Array.from({ length: 50 }, (_, i) => [
            `T${i}${long('n')}`,
            ['a', 'b', 'c', 'd', 'e'].map((letter) => ({
              name: letter + long('m'),
              type: letter === 'a' && i < 49 ? `T${i + 1}${long('n')}[]` : 'bool[]',
            })),
          ]),
        ),
        primaryType: `T0${long('n')}`,
        domain: { name: 'x' },
        message: Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((letter) => [letter + long('m'), []])),
      },
    ],
  ])('hashes %s as ethers does, within 50 units of work', async (_, typedData) => {
    await hashFast({ info: () => undefined, warn: () => undefined });
    let digest = '';
    expect(await leastUnitsOf(() => (digest = readTypedData(typedData).digest))).toBeLessThan(50);
    const { domain, types, message } = typedData as Parameters<typeof ethersHash>[0];
    expect(digest).toBe(ethersHash({ domain, types, message }));
  });

  const ethersHash = ({
    domain,
    types,
    message,
  }: {
    domain: object;
    types: Record<string, TypedDataField[]>;
    message: Record<string, unknown>;
  }) => TypedDataEncoder.hash(domain, types, message);

  it('throws nothing but its own refusal for a value of any type in any place', () => {
    const junk: unknown[] = [
      undefined,
      null,
      true,
      -1,
      1.5,
      '',
      'x',
      '0x',
      [],
      [[]],
      {},
      { name: 1 },
      { toString: 1 },
      Symbol.iterator,
    ];
    const paths = (value: unknown): string[][] =>
      typeof value === 'object' && value !== null
        ? [[], ...Object.entries(value).flatMap(([key, inner]) => paths(inner).map((rest) => [key, ...rest]))]
        : [[]];
    const replaced = (value: unknown, [key, ...rest]: string[], by: unknown): unknown => {
      if (key === undefined) return by;
      const copy: Record<string, unknown> = Array.isArray(value) ? (value.slice() as never) : { ...(value as object) };
      copy[key] = replaced(copy[key], rest, by);
      return copy;
    };
    const outcomes = paths(mail)
      .filter(({ length }) => length > 0)
      .flatMap((path) => junk.map((value) => outcomeOf(() => signed(replaced(mail, path, value) as TypedData))));
    expect(new Set(outcomes)).toEqual(new Set(['done', 'InvalidTypedData']));
  });
});

describe('signing a transaction (EIP-1559)', () => {
  const payment = {
    to: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB',
    value: '1000000000000000000',
    nonce: '0x9',
    gas: 21_000,
    maxFeePerGas: '30000000000',
    maxPriorityFeePerGas: '0x3b9aca00',
    chainId: 1,
    data: '0x',
  };
  const signed = (transaction: EthTransaction) =>
    signer.signTransaction(COW, COW_ADDRESS, readTransaction(transaction, COW_ADDRESS));
  const faultsOf = (transaction: EthTransaction) =>
    refusalOf(InvalidTransaction, () => signed(transaction)).fields.map(({ field }) => field);

  it('gives the bytes, the hash and the signature that ethers gives', async () => {
    const expected = await new EthersWallet(id('cow')).signTransaction({
      type: 2,
      to: payment.to,
      value: 10n ** 18n,
      nonce: 9,
      gasLimit: 21_000n,
      maxFeePerGas: 30_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
      chainId: 1n,
    });
    const parsed = Transaction.from(expected);
    expect(signed(payment)).toEqual({
      signature: parsed.signature!.serialized,
      signedTransaction: expected,
      hash: parsed.hash,
    });
    expect(readTransaction(payment, COW_ADDRESS).network).toBe('eip155:1');
  });

  it('signs what was asked for, from the wallet', () => {
    const { signedTransaction } = signed({ ...payment, data: '0xA9059CBB', to: payment.to.toLowerCase() });
    expect(Transaction.from(signedTransaction)).toMatchObject({
      type: 2,
      from: COW_ADDRESS,
      to: payment.to,
      value: 10n ** 18n,
      nonce: 9,
      gasLimit: 21_000n,
      maxFeePerGas: 30_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
      chainId: 1n,
      data: '0xa9059cbb',
      accessList: [],
    });
  });

  it('would be refused if the signed bytes said anything else', () => {
    const { signedTransaction, signature } = signed(payment);
    const intent = readTransaction(payment, COW_ADDRESS);
    const bytes = bytesOf(signedTransaction);
    expect(isSignedIntent(bytes, intent, signature)).toBe(true);
    const others: Partial<TransactionIntent>[] = [
      { to: COW_ADDRESS },
      { to: null },
      { value: 0n },
      { nonce: 10 },
      { gasLimit: 21_001n },
      { maxFeePerGas: 1n },
      { maxPriorityFeePerGas: 1n },
      { chainId: 2n },
      { data: '0x00' },
    ];
    for (const other of others) {
      expect(isSignedIntent(bytes, { ...intent, ...other }, signature)).toBe(false);
    }
    expect(isSignedIntent(bytes, intent, `0x${'11'.repeat(64)}1b`)).toBe(false);
    // With an access list, cut short, and with something behind it.
    const withAccess = Transaction.from(signedTransaction);
    withAccess.accessList = [[COW_ADDRESS, []]];
    const listed = bytesOf(withAccess.serialized);
    for (const other of [
      listed,
      bytes.subarray(0, -1),
      Buffer.concat([bytes, Buffer.of(0)]),
      bytes.subarray(1),
      Buffer.of(2, 0xff),
    ])
      expect(isSignedIntent(other, intent, signature)).toBe(false);
  });

  it('gives the bytes that ethers gives for numbers and data of every length of a length', async () => {
    for (const length of [0, 1, 2, 55, 56, 57, 255, 256, 65_535, 65_536]) {
      const numbers = { value: BigInt(`0x${randomBytes((length % 32) + 1).toString('hex')}`), maxFeePerGas: 2n ** 64n };
      const data = `0x${randomBytes(length).toString('hex')}`;
      const fields = { nonce: length, maxPriorityFeePerGas: 0n, chainId: 127n + BigInt(length), to: payment.to };
      const ours = signed({ ...fields, ...hexadecimal({ ...numbers, ...fields }), to: payment.to, gas: 0, data });
      const theirs = { type: 2, ...fields, ...numbers, gasLimit: 0n, data };
      expect(ours.signedTransaction).toBe(await new EthersWallet(id('cow')).signTransaction(theirs));
    }
  });

  const hexadecimal = (fields: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        typeof value === 'bigint' ? `0x${value.toString(16)}` : value,
      ]),
    );

  it('signs 64 KiB of data within 50 units of work, and refuses more', async () => {
    await hashFast({ info: () => undefined, warn: () => undefined });
    const largest = { ...payment, data: `0x${'ab'.repeat(65_536)}` };
    expect(await leastUnitsOf(() => signed(largest))).toBeLessThan(50);
    expect(refusalOf(InvalidTransaction, () => signed({ ...payment, data: `${largest.data}ab` })).fields).toEqual([
      expect.objectContaining({ field: 'eth_transaction.data', rule: 'too_long' }),
    ]);
  });

  it('takes no value as none, and no data as none', () => {
    const { value: _, data: __, ...bare } = payment;
    expect(Transaction.from(signed(bare).signedTransaction)).toMatchObject({ value: 0n, data: '0x' });
  });

  it('creates a contract if there is data but no recipient', () => {
    const { to: _, ...creation } = { ...payment, data: '0x6001600055' };
    expect(Transaction.from(signed(creation).signedTransaction).to).toBeNull();
    expect(Transaction.from(signed({ ...creation, to: null }).signedTransaction).to).toBeNull();
  });

  const TOKEN_CALL = `0xa9059cbb${'0'.repeat(24)}${'bb'.repeat(20)}${'0'.repeat(63)}5`;
  const ADDRESS = payment.to;

  it('is read as a payment when it is nothing else: the coin without data, a token’s transfer without value', () => {
    expect(readTransaction(payment, COW_ADDRESS).payment).toEqual({ token: null, dest: ADDRESS, amount: 10n ** 18n });
    const call = { ...payment, to: COW_ADDRESS, value: 0, data: TOKEN_CALL.toUpperCase().replace('0X', '0x') };
    expect(readTransaction(call, COW_ADDRESS).payment).toEqual({ token: COW_ADDRESS, dest: ADDRESS, amount: 5n });
  });

  it.each([
    ['creates a contract', { to: null, data: '0x6001600055' }],
    ['carries data to an account', { data: '0x00' }],
    ['carries value into a token’s transfer', { data: TOKEN_CALL }],
    ['approves', { value: 0, data: TOKEN_CALL.replace('a9059cbb', '095ea7b3') }],
    ['transfers from elsewhere', { value: 0, data: `${TOKEN_CALL.replace('a9059cbb', '23b872dd')}${'0'.repeat(64)}` }],
    ['has a byte behind the call', { value: 0, data: `${TOKEN_CALL}00` }],
    ['has a call cut short', { value: 0, data: TOKEN_CALL.slice(0, -2) }],
    ['has an address of more than 20 bytes', { value: 0, data: TOKEN_CALL.replace('a9059cbb00', 'a9059cbb01') }],
  ])('is read as no payment when it %s', (_, fields) => {
    expect(readTransaction({ ...payment, ...fields }, COW_ADDRESS).payment).toBeNull();
  });

  it('refuses a transaction with neither', () => {
    expect(faultsOf({ ...payment, to: undefined })).toEqual(['eth_transaction.to']);
  });

  it('takes the largest numbers the chain knows', () => {
    const max = `${2n ** 256n - 1n}`;
    const largest = { ...payment, value: max, maxFeePerGas: max, maxPriorityFeePerGas: max, gas: `${2n ** 64n - 1n}` };
    expect(Transaction.from(signed(largest).signedTransaction).value).toBe(2n ** 256n - 1n);
  });

  it.each([
    ['to', '0xBBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB'],
    ['to', 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb'],
    ['to', ''],
    ['to', 'vitalik.eth'],
    ['to', {}],
    ['value', '-1'],
    ['value', -1],
    ['value', '1.5'],
    ['value', 1.5],
    ['value', '1e18'],
    ['value', 1e21],
    ['value', ''],
    ['value', '0x'],
    ['value', '01'],
    ['value', ' 1'],
    ['value', true],
    ['value', []],
    ['value', `${2n ** 256n}`],
    ['nonce', undefined],
    ['nonce', null],
    ['nonce', `${2n ** 53n}`],
    ['gas', undefined],
    ['gas', `${2n ** 64n}`],
    ['maxFeePerGas', undefined],
    ['maxPriorityFeePerGas', undefined],
    ['maxPriorityFeePerGas', '30000000001'],
    ['chainId', undefined],
    ['chainId', 0],
    ['chainId', 'mainnet'],
    ['data', '0x1'],
    ['data', '6001'],
    ['data', '0xzz'],
    ['data', [1]],
  ])('refuses %s of %j, naming the field', (name, value) => {
    expect(faultsOf({ ...payment, [name]: value })).toEqual([`eth_transaction.${name}`]);
  });

  it('names all faults together', () => {
    expect(faultsOf({ to: 'x', data: 'y' })).toEqual(
      ['to', 'data', 'nonce', 'gas', 'maxFeePerGas', 'maxPriorityFeePerGas', 'chainId'].map(
        (n) => `eth_transaction.${n}`,
      ),
    );
  });
});
