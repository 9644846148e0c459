import { getAddress } from 'ethers/address';
import { MessagePrefix } from 'ethers/constants';
import { keccak256 } from 'ethers/crypto';
import { Transaction } from 'ethers/transaction';
import { hexlify } from 'ethers/utils';
import type { SignedTransaction, TransactionIntent, TypedDataIntent } from '../domain/message-signer.js';
import { InvalidMessage } from '../../wallets/domain/wallet.errors.js';
import { isSignedIntent, serialized } from '../../../../services/crypto/eip1559.js';
import { keccak } from '../../../../services/crypto/keccak.js';
import { isWellFormed } from './ethereum-fields.js';
import type { Secp256k1 } from './secp256k1-signature.js';

/** A signature that does not verify as the wallet's. Never the caller's fault: a fault of the machine, or of the stored row. */
export class SignatureRejected extends Error {
  override readonly name = 'SignatureRejected';
  constructor() {
    super('A fresh signature did not verify against the wallet, so it was not given out.');
  }
}

/** Bytes for a payment that are not the unsigned transaction of this wallet. A fault of the service, never the caller's. */
export class NotAPayment extends Error {
  override readonly name = 'NotAPayment';
  constructor() {
    super('The bytes are not an unsigned transaction of this wallet, so they were not signed.');
  }
}

/** Keys are 32 bytes, which the caller must wipe. */
export class EthersSigner {
  constructor(private readonly secp256k1: Secp256k1) {}

  address(privateKey: Uint8Array): string {
    return getAddress(ethereumAddressOfKey(this.secp256k1.publicKey(privateKey)));
  }

  /** Signs by EIP-191: the text has the standard prefix, with which no transaction begins. */
  signMessage(privateKey: Uint8Array, address: string, message: string): string {
    if (!isWellFormed(message)) throw new InvalidMessage('The message holds half of a surrogate pair.');
    const text = Buffer.from(message, 'utf8');
    // The same as ethers' hashMessage without its way through hexadecimal text: twice as fast on long messages.
    const prefixed = Buffer.concat([Buffer.from(`${MessagePrefix}${text.length}`, 'utf8'), text]);
    return this.sign(privateKey, address, keccak256(prefixed));
  }

  signTypedData(privateKey: Uint8Array, address: string, { digest }: TypedDataIntent): string {
    return this.sign(privateKey, address, digest);
  }

  /** Signs an EIP-1559 transaction. The signed bytes are read back and must equal the intent. */
  signTransaction(privateKey: Uint8Array, address: string, intent: TransactionIntent): SignedTransaction {
    const signature = this.sign(privateKey, address, hexOf(keccak(serialized(intent))));
    const bytes = serialized(intent, signature);
    if (!isSignedIntent(bytes, intent, signature)) throw new SignatureRejected();
    return { signature, signedTransaction: hexOf(bytes), hash: hexOf(keccak(bytes)) };
  }

  /** An unsigned EIP-1559 transaction in serialised form. Anything else, a message above all, is not signed this way. */
  signPayment(privateKey: Uint8Array, address: string, unsigned: Uint8Array): Uint8Array {
    const serialized = hexlify(unsigned);
    if (unsigned[0] !== 2 || Transaction.from(serialized).unsignedSerialized !== serialized) throw new NotAPayment();
    return Buffer.from(this.sign(privateKey, address, keccak256(unsigned)).slice(2), 'hex');
  }

  /** Nonces are deterministic, so a wrong signature beside the right one reveals the key: only one that recovers the address is given. */
  private sign(privateKey: Uint8Array, address: string, digest: string): string {
    const bytes = Buffer.from(digest.slice(2), 'hex');
    const signature = this.secp256k1.sign(bytes, privateKey);
    const signer = ethereumAddressOfKey(this.secp256k1.recover(bytes, signature));
    if (signer !== address.toLowerCase()) throw new SignatureRejected();
    return `0x${Buffer.from(signature.compact).toString('hex')}${(27 + signature.recovery).toString(16)}`;
  }
}

function hexOf(bytes: Buffer): string {
  return `0x${bytes.toString('hex')}`;
}

export function ethereumAddressOfKey(publicKey: Uint8Array): string {
  return `0x${keccak256(publicKey.subarray(1)).slice(-40)}`;
}
