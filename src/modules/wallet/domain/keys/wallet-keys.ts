import type { WalletKey } from '../wallets/wallet.js';

/** The wallet about to be stored that a key is made for. */
export type WalletOfNewKey = Pick<WalletKey, 'appId' | 'walletId' | 'userId' | 'walletType'>;

/** Creates, adopts and reveals the private keys of wallets. */
export abstract class WalletKeys {
  /** A new key for a wallet about to be stored, already sealed. */
  abstract create(wallet: WalletOfNewKey): WalletKey;

  /**
   * Seals an existing key for a wallet about to be stored. The public key, if given, must be that of the private key.
   * Throws `InvalidPrivateKey`.
   */
  abstract adopt(wallet: WalletOfNewKey, privateKey: Uint8Array, publicKey?: Uint8Array | null): WalletKey;

  /** The plaintext of the private key, 32 bytes, which the caller must wipe. Only for export. */
  abstract reveal(key: WalletKey): Buffer;
}

/** The suite, in the words of RFC 9180: its KEM, KDF and AEAD are numbers 0x0010, 0x0001 and 0x0002 of the registry. */
export const ENCRYPTION_TYPE = 'HPKE/DHKEM(P-256, HKDF-SHA256)/HKDF-SHA256/AES-256-GCM';

/** A message sealed by HPKE in base mode, without info or associated data. */
export interface SealedMessage {
  /** The sender's half of the key agreement, of 65 bytes. */
  readonly encapsulatedKey: Uint8Array;
  readonly ciphertext: Uint8Array;
}

/** How private keys travel. The caller wipes the plaintext. */
export abstract class KeyTransport {
  /** A fresh key pair to receive one message with: a point of 65 bytes, and a number of 32. */
  abstract generate(): Promise<{ readonly publicKey: Uint8Array; readonly privateKey: Uint8Array }>;

  /** The bytes sealed to the key; null when they were sealed to another, or altered since. */
  abstract open(privateKey: Uint8Array, message: SealedMessage): Promise<Uint8Array | null>;

  /** Seals for the holder of this point's private key; null if it is no valid point. */
  abstract seal(publicKey: Uint8Array, plaintext: Uint8Array): Promise<SealedMessage | null>;
}
