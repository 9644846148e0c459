import { decodeBase58, encodeBase58 } from 'ethers';
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import { InvalidMessage } from '../../../../src/modules/wallet/wallets/domain/wallet.errors.js';
import {
  Ed25519Signer,
  offchainMessage,
} from '../../../../src/modules/wallet/signing/infrastructure/ed25519-signer.js';
import { SignatureRejected } from '../../../../src/modules/wallet/signing/infrastructure/ethers-signer.js';

const signer = new Ed25519Signer();

/** Bytes of base58 text, however they begin. */
function fromBase58(text: string, length: number): Buffer {
  return Buffer.from(
    decodeBase58(text)
      .toString(16)
      .padStart(length * 2, '0'),
    'hex',
  );
}

/** Whether the signature is valid for the bytes, verified with the address alone. */
function verifies(address: string, bytes: Buffer, signature: string): boolean {
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: fromBase58(address, 32).toString('base64url') },
    format: 'jwk',
  });
  return verify(null, bytes, key, fromBase58(signature, 64));
}

describe('a solana address', () => {
  // RFC 8032 §7.1, tests 1 to 3: secret key and public key.
  it.each([
    [
      '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
      'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    ],
    [
      '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
      '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    ],
    [
      'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
      'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    ],
  ])('is the public key of %s in base58', (seed, publicKey) => {
    const address = signer.address(Buffer.from(seed, 'hex'));
    expect(fromBase58(address, 32).toString('hex')).toBe(publicKey);
    expect(address).toBe(encodeBase58(`0x${publicKey}`));
  });

  it('of RFC 8032’s first key is the one Solana’s tools print', () => {
    const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
    expect(signer.address(seed)).toBe('FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z');
  });
});

describe('the off-chain message envelope', () => {
  const base58Sha256 = (bytes: Buffer) => encodeBase58(createHash('sha256').update(bytes).digest());

  // The vectors of the solana-offchain-message crate.
  it('of printable ASCII has format 0', () => {
    const bytes = offchainMessage('Test Message');
    expect(bytes).toEqual(
      Buffer.from([
        255, 115, 111, 108, 97, 110, 97, 32, 111, 102, 102, 99, 104, 97, 105, 110, 0, 0, 12, 0, 84, 101, 115, 116, 32,
        77, 101, 115, 115, 97, 103, 101,
      ]),
    );
    expect(base58Sha256(bytes)).toBe('HG5JydBGjtjTfD3sSn21ys5NTWPpXzmqifiGC2BVUjkD');
  });

  it('of other text has format 1', () => {
    const bytes = offchainMessage('Тестовое сообщение');
    expect([...bytes.subarray(16, 20)]).toEqual([0, 1, 35, 0]);
    expect(base58Sha256(bytes)).toBe('6GXTveatZQLexkX4WeTpJ3E7uk1UojRXpKp43c4ArSun');
  });

  it.each([
    ['a line break is not printable', 'a\nb', 1],
    ['1,212 bytes still fit a packet', 'a'.repeat(1_212), 0],
    ['1,213 no longer do', 'a'.repeat(1_213), 2],
    ['bytes count, not characters', 'ü'.repeat(607), 2],
    ['65,515 bytes are the most', 'a'.repeat(65_515), 2],
  ])('picks the format: %s', (_, message, format) => {
    const bytes = offchainMessage(message);
    expect(bytes[17]).toBe(format);
    expect(bytes.readUInt16LE(18)).toBe(bytes.length - 20);
  });

  it.each([
    ['nothing', ''],
    ['a byte too many', 'a'.repeat(65_516)],
    ['a lone surrogate', 'a\ud800'],
  ])('refuses %s', (_, message) => {
    expect(() => offchainMessage(message)).toThrow(InvalidMessage);
  });
});

describe('signing a message with a solana key', () => {
  it('signs the envelope, verifiable with the address alone', () => {
    for (const message of ['Test Message', '漢字 🦄', 'x'.repeat(5_000)]) {
      const seed = randomBytes(32);
      const address = signer.address(seed);
      const signature = signer.signMessage(seed, address, message);
      expect(verifies(address, offchainMessage(message), signature)).toBe(true);
      expect(verifies(address, Buffer.from(message), signature)).toBe(false);
    }
  });

  it('never signs the bytes of a transaction, even when they are text', () => {
    const seed = randomBytes(32);
    const transaction = `\u0001\u0000\u0001\u0003${'a'.repeat(200)}`;
    const signature = signer.signMessage(seed, signer.address(seed), transaction);
    expect(verifies(signer.address(seed), Buffer.from(transaction), signature)).toBe(false);
  });

  it('gives nothing out when the key is not the address’s', () => {
    expect(() => signer.signMessage(randomBytes(32), signer.address(randomBytes(32)), 'hello')).toThrow(
      SignatureRejected,
    );
  });
});
