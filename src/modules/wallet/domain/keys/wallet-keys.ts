import type { WalletKey } from '../wallets/wallet-key.js';

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
