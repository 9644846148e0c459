import { Injectable } from '@nestjs/common';
import { Vault } from '../../../../kernel/vault.js';
import {
  type EthTransaction,
  MessageSigner,
  type SignedTransaction,
  type TransactionIntent,
  type TypedData,
  type TypedDataIntent,
} from '../domain/message-signer.js';
import { type WalletKey, walletKeyContext } from '../../wallets/domain/wallet.js';
import { UnsupportedWalletType } from '../../wallets/domain/wallet.errors.js';
import { Ed25519Signer } from './ed25519-signer.js';
import { readTransaction } from './eip1559-transaction.js';
import { readTypedData } from './eip712-typed-data.js';
import { EthersSigner } from './ethers-signer.js';
import { Secp256k1 } from './secp256k1-signature.js';

@Injectable()
export class VaultMessageSigner extends MessageSigner {
  private readonly ethereum: EthersSigner;
  private readonly solana = new Ed25519Signer();

  constructor(
    private readonly vault: Vault,
    secp256k1: Secp256k1,
  ) {
    super();
    this.ethereum = new EthersSigner(secp256k1);
  }

  signMessage(key: WalletKey, message: string): string {
    return this.using(key, (privateKey) => this[key.walletType].signMessage(privateKey, key.publicAddress, message));
  }

  readTypedData(key: WalletKey, typedData: TypedData): TypedDataIntent {
    onlyEthereum(key, 'typed data');
    return readTypedData(typedData);
  }

  signTypedData(key: WalletKey, intent: TypedDataIntent): string {
    return this.using(key, (privateKey) => this.ethereum.signTypedData(privateKey, key.publicAddress, intent));
  }

  readTransaction(key: WalletKey, transaction: EthTransaction): TransactionIntent {
    onlyEthereum(key, 'transactions of this form');
    return readTransaction(transaction, key.publicAddress);
  }

  signTransaction(key: WalletKey, intent: TransactionIntent): SignedTransaction {
    return this.using(key, (privateKey) => this.ethereum.signTransaction(privateKey, key.publicAddress, intent));
  }

  signPayment(key: WalletKey, unsigned: Uint8Array): Uint8Array {
    return this.using(key, (privateKey) => this[key.walletType].signPayment(privateKey, key.publicAddress, unsigned));
  }

  private using<T>(key: WalletKey, work: (privateKey: Buffer) => T): T {
    const privateKey = this.vault.open(key.sealed, walletKeyContext(key));
    try {
      return work(privateKey);
    } finally {
      privateKey.fill(0);
    }
  }
}

function onlyEthereum({ walletType }: WalletKey, what: string): void {
  if (walletType !== 'ethereum')
    throw new UnsupportedWalletType(`Only ethereum wallets sign ${what}; this one is ${walletType}.`);
}
