import { computeAddress, hashMessage, Signature } from 'ethers';
import type { EthTransaction, SignedTransaction, TypedData } from '../domain/message-signer.js';
import { InvalidMessage } from '../domain/wallet.errors.js';
import { isSignedIntent, readTransaction, unsignedTransaction } from './eip1559-transaction.js';
import { typedDataDigest } from './eip712-typed-data.js';
import { isWellFormed } from './ethereum-fields.js';
import type { Secp256k1 } from './secp256k1-signature.js';
import { SignatureRejected } from './signature-rejected.js';

/** Ethereum's signatures: ethers builds and encodes, a secp256k1 backend signs. Keys are 32 bytes and the caller's to wipe. */
export class EthersSigner {
  constructor(private readonly secp256k1: Secp256k1) {}

  /** The address of a private key, checksummed (EIP-55). */
  address(privateKey: Uint8Array): string {
    return addressOf(this.secp256k1.publicKey(privateKey));
  }

  /** EIP-191: the text with the standard prefix, which no transaction begins with. */
  signMessage(privateKey: Uint8Array, address: string, message: string): string {
    if (!isWellFormed(message)) throw new InvalidMessage('The message holds half of a surrogate pair.');
    return this.sign(privateKey, address, hashMessage(Buffer.from(message, 'utf8'))).serialized;
  }

  /** EIP-712. */
  signTypedData(privateKey: Uint8Array, address: string, typedData: TypedData): string {
    return this.sign(privateKey, address, typedDataDigest(typedData)).serialized;
  }

  /** EIP-1559. The signed bytes are read back and must say what was asked for. */
  signTransaction(privateKey: Uint8Array, address: string, request: EthTransaction): SignedTransaction {
    const intent = readTransaction(request);
    const transaction = unsignedTransaction(intent);
    const signature = this.sign(privateKey, address, transaction.unsignedHash);
    transaction.signature = signature;
    const signedTransaction = transaction.serialized;
    if (!isSignedIntent(signedTransaction, intent, signature)) throw new SignatureRejected();
    return { signature: signature.serialized, signedTransaction, hash: transaction.hash! };
  }

  /** Signs, and lets the signature out only when it leads back to the address: a fault of the machine would give the key away. */
  private sign(privateKey: Uint8Array, address: string, digest: string): Signature {
    const bytes = Buffer.from(digest.slice(2), 'hex');
    const signature = this.secp256k1.sign(bytes, privateKey);
    if (addressOf(this.secp256k1.recover(bytes, signature)) !== address) throw new SignatureRejected();
    const compact = Buffer.from(signature.compact).toString('hex');
    return Signature.from({
      r: `0x${compact.slice(0, 64)}`,
      s: `0x${compact.slice(64)}`,
      yParity: signature.recovery as 0 | 1,
    });
  }
}

function addressOf(publicKey: Uint8Array): string {
  return computeAddress(`0x${Buffer.from(publicKey).toString('hex')}`);
}
