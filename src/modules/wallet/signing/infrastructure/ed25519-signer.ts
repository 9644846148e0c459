import { encodeBase58 } from 'ethers/utils';
import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { InvalidMessage } from '../../wallets/domain/wallet.errors.js';
import { isWellFormed } from './ethereum-fields.js';
import { NotAPayment, SignatureRejected } from './ethers-signer.js';

/** No transaction begins with 0xff, so nothing signed behind this can move funds. */
const SIGNING_DOMAIN = Buffer.from('\xffsolana offchain', 'latin1');
const HEADER_VERSION = 0;
const HEADER_BYTES = SIGNING_DOMAIN.length + 1 + 1 + 2;
/** The size of a network packet, which a hardware wallet can show. */
const SHORT_BYTES = 1_232 - HEADER_BYTES;
const LONG_BYTES = 65_535 - HEADER_BYTES;
const FORMAT = { restrictedAscii: 0, limitedUtf8: 1, extendedUtf8: 2 } as const;

/** The header of a 32-byte seed in a private key (RFC 8410). */
const PKCS8_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Keys are 32-byte Ed25519 seeds, which the caller must wipe. */
export class Ed25519Signer {
  address(seed: Uint8Array): string {
    return addressOf(createPublicKey(privateKeyOf(seed)));
  }

  /** The off-chain message envelope is the only form in which arbitrary text is signed. Base58. */
  signMessage(seed: Uint8Array, address: string, message: string): string {
    return encodeBase58(signed(seed, address, offchainMessage(message)));
  }

  /** A transaction's message whose one signer, and so payer of the fee, is this wallet. */
  signPayment(seed: Uint8Array, address: string, message: Uint8Array): Uint8Array {
    if (soleSigner(message) !== address) throw new NotAPayment();
    return signed(seed, address, message);
  }
}

/** As by `solana sign-offchain-message`: signing domain (16), version 0 (1), format (1), length (2, little-endian), message. */
export function offchainMessage(message: string): Buffer {
  if (!isWellFormed(message)) throw new InvalidMessage('The message holds half of a surrogate pair.');
  const text = Buffer.from(message, 'utf8');
  if (text.length === 0) throw new InvalidMessage('An empty message cannot be signed by a solana wallet.');
  if (text.length > LONG_BYTES) {
    throw new InvalidMessage(`The message has ${text.length} bytes; a solana wallet signs up to ${LONG_BYTES}.`);
  }
  return Buffer.concat([SIGNING_DOMAIN, Buffer.from([HEADER_VERSION, formatOf(text)]), lengthOf(text), text]);
}

/**
 * Wallets do not send the message that they make of the text: that of `offchainMessage`, that of the specification of version 0 with a
 * domain of zeros and the signer (hardware wallets), or that of version 1. They disagree on the format of a text with line ends.
 */
export function offchainMessages(message: string, signer: Uint8Array): Buffer[] {
  const text = Buffer.from(message, 'utf8');
  const formats = new Set([formatOf(text), text.every(isAsciiText) ? FORMAT.restrictedAscii : FORMAT.limitedUtf8]);
  const own = Buffer.concat([Buffer.from([1]), signer]);
  const messageOf = (...parts: readonly Uint8Array[]): Buffer => Buffer.concat([SIGNING_DOMAIN, ...parts]);
  return [
    ...[...formats].flatMap((format) => [
      messageOf(Buffer.from([HEADER_VERSION, format]), lengthOf(text), text),
      messageOf(Buffer.from([HEADER_VERSION]), Buffer.alloc(32), Buffer.from([format]), own, lengthOf(text), text),
    ]),
    messageOf(Buffer.from([1]), own, text),
  ];
}

function lengthOf(text: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16LE(text.length);
  return length;
}

/** The one account that signs a message of legacy form or version 0; null for anything else. */
function soleSigner(message: Uint8Array): string | null {
  const legacy = message[0] === 0x80 ? message.subarray(1) : message;
  // Signatures required, two counts of read-only accounts, how many accounts there are (one byte: a packet holds no
  // more), then the accounts.
  const [signers, , , accounts = 0] = legacy;
  if (signers !== 1 || accounts === 0 || accounts > 0x7f || legacy.length < 36) return null;
  return encodeBase58(legacy.subarray(4, 36));
}

function signed(seed: Uint8Array, address: string, bytes: Uint8Array): Buffer {
  const privateKey = privateKeyOf(seed);
  const publicKey = createPublicKey(privateKey);
  const signature = sign(null, bytes, privateKey);
  if (addressOf(publicKey) !== address || !verify(null, bytes, publicKey, signature)) throw new SignatureRejected();
  return signature;
}

function formatOf(text: Buffer): number {
  if (text.length > SHORT_BYTES) return FORMAT.extendedUtf8;
  return text.every((byte) => byte >= 0x20 && byte <= 0x7e) ? FORMAT.restrictedAscii : FORMAT.limitedUtf8;
}

const isAsciiText = (byte: number): boolean => (byte >= 0x20 && byte <= 0x7e) || byte === 0x0a;

function privateKeyOf(seed: Uint8Array): KeyObject {
  const der = Buffer.concat([PKCS8_HEADER, seed]);
  try {
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  } finally {
    der.fill(0);
  }
}

function addressOf(publicKey: KeyObject): string {
  return encodeBase58(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
}
