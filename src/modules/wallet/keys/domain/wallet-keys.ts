import type { WalletKey } from '../../wallets/domain/wallet.js';

export type WalletOfNewKey = Pick<WalletKey, 'appId' | 'walletId' | 'userId' | 'walletType'>;

export abstract class WalletKeys {
  abstract create(wallet: WalletOfNewKey): WalletKey;

  /** The public key, if given, must be that of the private key. */
  abstract adopt(wallet: WalletOfNewKey, privateKey: Uint8Array, publicKey?: Uint8Array | null): WalletKey;

  /** The plaintext of the private key, 32 bytes, which the caller must wipe. Only for export. */
  abstract reveal(key: WalletKey): Buffer;
}

/** In the words of RFC 9180: KEM 0x0010, KDF 0x0001 and AEAD 0x0002 of the registry. */
export const ENCRYPTION_TYPE = 'HPKE/DHKEM(P-256, HKDF-SHA256)/HKDF-SHA256/AES-256-GCM';

/** A message sealed by HPKE in base mode, without info or associated data. */
export interface SealedMessage {
  /** The sender's half of the key agreement, of 65 bytes. */
  readonly encapsulatedKey: Uint8Array;
  readonly ciphertext: Uint8Array;
}

/** The caller wipes the plaintext. */
export abstract class KeyTransport {
  /** A fresh key pair to receive one message with: a point of 65 bytes, and a number of 32. */
  abstract generate(): Promise<{ readonly publicKey: Uint8Array; readonly privateKey: Uint8Array }>;

  /** Null if the message was sealed to another key, or altered. */
  abstract open(privateKey: Uint8Array, message: SealedMessage): Promise<Uint8Array | null>;

  /** Null if the public key is no valid point. */
  abstract seal(publicKey: Uint8Array, plaintext: Uint8Array): Promise<SealedMessage | null>;
}
