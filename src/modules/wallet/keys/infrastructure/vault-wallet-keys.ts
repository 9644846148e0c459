import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core';
import type { WalletType } from '../../../../kernel/chain/chain-name.js';
import { Vault } from '../../../../kernel/vault.js';
import { toBase58 } from '../domain/private-key-text.js';
import { InvalidPrivateKey } from '../domain/wallet-import.js';
import { WalletKeys, type WalletOfNewKey, KeyTransport, type SealedMessage } from '../domain/wallet-keys.js';
import { type WalletKey, walletKeyContext } from '../../wallets/domain/wallet.js';
import { Ed25519Signer } from '../../signing/infrastructure/ed25519-signer.js';
import { EthersSigner } from '../../signing/infrastructure/ethers-signer.js';
import { Secp256k1 } from '../../signing/infrastructure/secp256k1-signature.js';

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

  private addressOf(walletType: WalletType, privateKey: Uint8Array): string {
    try {
      return this[walletType].address(privateKey);
    } catch {
      throw new InvalidPrivateKey();
    }
  }
}

/** HPKE (RFC 9180) on WebCrypto, whose keys live outside the heap. */
@Injectable()
export class HpkeKeyTransport extends KeyTransport {
  private readonly suite = new CipherSuite({
    kem: new DhkemP256HkdfSha256(),
    kdf: new HkdfSha256(),
    aead: new Aes256Gcm(),
  });

  async generate(): Promise<{ publicKey: Uint8Array; privateKey: Uint8Array }> {
    const { kem } = this.suite;
    const pair = await kem.generateKeyPair();
    return {
      publicKey: new Uint8Array(await kem.serializePublicKey(pair.publicKey)),
      privateKey: new Uint8Array(await kem.serializePrivateKey(pair.privateKey)),
    };
  }

  async open(privateKey: Uint8Array, { encapsulatedKey, ciphertext }: SealedMessage): Promise<Uint8Array | null> {
    const recipientKey = await this.suite.kem.deserializePrivateKey(privateKey);
    try {
      return new Uint8Array(await this.suite.open({ recipientKey, enc: encapsulatedKey }, ciphertext));
    } catch {
      return null;
    }
  }

  async seal(publicKey: Uint8Array, plaintext: Uint8Array): Promise<SealedMessage | null> {
    const recipientPublicKey = await this.suite.kem.deserializePublicKey(publicKey).catch(() => null);
    if (!recipientPublicKey) return null;
    const { enc, ct } = await this.suite.seal({ recipientPublicKey }, plaintext);
    return { encapsulatedKey: new Uint8Array(enc), ciphertext: new Uint8Array(ct) };
  }
}
