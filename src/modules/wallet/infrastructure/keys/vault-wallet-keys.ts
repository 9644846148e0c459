import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import type { ChainName } from '../../../../kernel/chain/chain-name.js';
import { Vault } from '../../../../kernel/vault.js';
import { toBase58 } from '../../domain/keys/base58.js';
import { InvalidPrivateKey } from '../../domain/keys/wallet-import.errors.js';
import { WalletKeys, type WalletOfNewKey } from '../../domain/keys/wallet-keys.js';
import { type WalletKey, walletKeyContext } from '../../domain/wallets/wallet-key.js';
import { Ed25519Signer } from '../signing/ed25519-signer.js';
import { EthersSigner } from '../signing/ethers-signer.js';
import { Secp256k1 } from '../signing/secp256k1-signature.js';

/** Seals the keys of wallets in the vault. */
@Injectable()
export class VaultWalletKeys extends WalletKeys {
  private readonly ethereum: EthersSigner;
  private readonly solana = new Ed25519Signer();

  constructor(
    private readonly vault: Vault,
    secp256k1: Secp256k1,
  ) {
    super();
    this.ethereum = new EthersSigner(secp256k1);
  }

  create(wallet: WalletOfNewKey): WalletKey {
    const privateKey = randomBytes(32);
    try {
      // One key in 2^128 is out of the curve's range, and refused.
      return this.adopt(wallet, privateKey);
    } finally {
      privateKey.fill(0);
    }
  }

  adopt(wallet: WalletOfNewKey, privateKey: Uint8Array, publicKey: Uint8Array | null = null): WalletKey {
    const publicAddress = this.addressOf(wallet.walletType, privateKey);
    if (publicKey && toBase58(publicKey).toString() !== publicAddress) throw new InvalidPrivateKey();
    const place = { ...wallet, publicAddress };
    return { ...place, sealed: this.vault.seal(privateKey, walletKeyContext(place)) };
  }

  reveal(key: WalletKey): Buffer {
    return this.vault.open(key.sealed, walletKeyContext(key));
  }

  private addressOf(walletType: ChainName, privateKey: Uint8Array): string {
    try {
      return this[walletType].address(privateKey);
    } catch {
      throw new InvalidPrivateKey();
    }
  }
}
