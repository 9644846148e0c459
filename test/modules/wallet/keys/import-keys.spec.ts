import { decodeBase58, encodeBase58, Wallet as EthersWallet } from 'ethers';
import { createPrivateKey, createPublicKey, randomBytes } from 'node:crypto';
import {
  fromBase58,
  toBase58,
  readPrivateKey,
  writePrivateKey,
} from '../../../../src/modules/wallet/keys/domain/private-key-text.js';
import { HpkeKeyTransport } from '../../../../src/modules/wallet/keys/infrastructure/vault-wallet-keys.js';
import { keyPair, open, seal } from '../../../support/hpke-peer.js';

const hex = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ''), 'hex');

/** RFC 9180, appendix A.3.1. */
const RFC = {
  info: hex('4f6465206f6e2061204772656369616e2055726e'),
  skE: hex('4995788ef4b9d6132b249ce59a77281493eb39af373d236a1fe415cb0c2d7beb'),
  skR: hex('f3ce7fdae57e1a310d87f1ebbde6f328be0a99cdbcadf4d6589cf29de4b8ffd2'),
  pkR: hex(`04fe8c19ce0905191ebc298a9245792531f26f0cece2460639e8bc39cb7f70
            6a826a779b4cf969b8a0e539c7f62fb3d30ad6aa8f80e30f1d128aafd68a2ce72ea0`),
  enc: hex(`04a92719c6195d5085104f469a8b9814d5838ff72b60501e2c4466e5e67b325
            ac98536d7b61a1af4b78e5b7f951c0900be863c403ce65c9bfcb9382657222d18c4`),
  pt: hex('4265617574792069732074727574682c20747275746820626561757479'),
  aad: hex('436f756e742d30'),
  ct: hex('5ad590bb8baa577f8619db35a36311226a896e7342a6d836d8b7bcd2f20b6c7f9076ac232e3ab2523f39513434'),
};

describe('the HPKE of the tests', () => {
  it('makes and opens what RFC 9180 says', () => {
    const choices = { keyLength: 16, info: RFC.info, aad: RFC.aad } as const;
    expect(seal(RFC.pkR, RFC.pt, choices, keyPair(RFC.skE))).toEqual({ enc: RFC.enc, ct: RFC.ct });
    expect(open(keyPair(RFC.skR), RFC, choices)).toEqual(RFC.pt);
  });
});

describe('the transport of keys', () => {
  const transport = new HpkeKeyTransport();
  const secret = Buffer.from('a private key of some sort');

  it('opens what another implementation of HPKE sealed, and the other way round', async () => {
    const { publicKey, privateKey } = await transport.generate();
    expect([publicKey.length, privateKey.length]).toEqual([65, 32]);
    const { enc, ct } = seal(Buffer.from(publicKey), secret);
    const opened = await transport.open(privateKey, { encapsulatedKey: enc, ciphertext: ct });
    expect(Buffer.from(opened!)).toEqual(secret);

    const peer = keyPair();
    const sealed = await transport.seal(peer.getPublicKey(), secret);
    const message = { enc: Buffer.from(sealed!.encapsulatedKey), ct: Buffer.from(sealed!.ciphertext) };
    expect(open(peer, message)).toEqual(secret);
  });

  it('opens nothing that is for another, altered, cut off or not on the curve', async () => {
    const { publicKey, privateKey } = await transport.generate();
    const { enc, ct } = seal(Buffer.from(publicKey), secret);
    const other = await transport.generate();
    const altered = Buffer.from(ct);
    altered[0]! ^= 1;
    const offCurve = Buffer.from(enc);
    offCurve[64]! ^= 1;
    const tries: [Uint8Array, Uint8Array, Uint8Array][] = [
      [other.privateKey, enc, ct],
      [privateKey, enc, altered],
      [privateKey, enc, ct.subarray(0, -1)],
      [privateKey, enc, Buffer.alloc(0)],
      [privateKey, offCurve, ct],
      [privateKey, enc.subarray(1), ct],
      [privateKey, Buffer.alloc(65), ct],
    ];
    for (const [key, encapsulatedKey, ciphertext] of tries) {
      expect(await transport.open(key, { encapsulatedKey, ciphertext })).toBeNull();
    }
  });

  it('seals to no key that is none', async () => {
    const offCurve = keyPair().getPublicKey();
    offCurve[64]! ^= 1;
    for (const key of [offCurve, Buffer.alloc(65), Buffer.alloc(0), Buffer.alloc(32, 1)]) {
      expect(await transport.seal(key, secret)).toBeNull();
    }
  });
});

describe('base58', () => {
  it('is what ethers has, both ways, with all leading zeros', () => {
    for (let i = 0; i < 200; i++) {
      const bytes = Buffer.concat([Buffer.alloc(i % 5), randomBytes(i % 80)]);
      const text = toBase58(bytes);
      expect(text.toString()).toBe(encodeBase58(bytes));
      expect(fromBase58(text)).toEqual(bytes);
      expect(decodeBase58(text.toString())).toBe(BigInt(`0x0${bytes.toString('hex')}`));
    }
  });

  it.each(['0', 'O', 'I', 'l', 'a b', '\xff', '+'])('refuses %j', (text) => {
    expect(fromBase58(Buffer.from(text, 'latin1'))).toBeNull();
  });
});

describe('the text of a private key', () => {
  const key = Buffer.from('4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318', 'hex');
  const pkcs8 = Buffer.concat([hex('302e020100300506032b657004220420'), key]);
  const publicKey = createPublicKey(createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }))
    .export({ format: 'der', type: 'spki' })
    .subarray(-32);
  const pair = Buffer.concat([key, publicKey]);

  it('is read in every form wallets write it for ethereum', () => {
    const text = key.toString('hex');
    for (const written of [key, text, `0x${text}`, `0x${text.toUpperCase()}`]) {
      expect(readPrivateKey('ethereum', Buffer.from(written))).toEqual({ privateKey: key, publicKey: null });
    }
  });

  it('is read in every form wallets write it for solana', () => {
    for (const written of [pair, encodeBase58(pair)]) {
      expect(readPrivateKey('solana', Buffer.from(written))).toEqual({ privateKey: key, publicKey });
    }
    expect(readPrivateKey('solana', key)).toEqual({ privateKey: key, publicKey: null });
  });

  it.each([
    ['ethereum', ''],
    ['ethereum', 'x'.repeat(64)],
    ['ethereum', `0x${'1'.repeat(63)}`],
    ['ethereum', `0X${'1'.repeat(64)}`],
    ['ethereum', '\x10'.repeat(64)],
    ['ethereum', encodeBase58(pair)],
    ['solana', ''],
    ['solana', encodeBase58(key)],
    ['solana', `${encodeBase58(pair)}1`],
    ['solana', '1'.repeat(100_000)],
  ] as const)('is not read for %s from %.70j', (walletType, text) => {
    expect(readPrivateKey(walletType, Buffer.from(text))).toBeNull();
  });

  it('is written as ethers and solana wallets take it', () => {
    const written = writePrivateKey('ethereum', '', key).toString();
    expect(new EthersWallet(written).signingKey.privateKey).toBe(written);
    expect(writePrivateKey('solana', encodeBase58(publicKey), key).toString()).toBe(encodeBase58(pair));
  });
});
