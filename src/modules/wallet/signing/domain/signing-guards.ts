import type { TransactionIntent } from './message-signer.js';
import type { WalletView } from '../../wallets/domain/wallet.js';

/** A module that has a say before a transaction is signed for a caller to send. Both throw when it must not be signed. */
export interface SigningGuard {
  /** Runs outside any transaction of the database: it may ask a node. */
  assertFees(wallet: WalletView, transaction: TransactionIntent): Promise<void>;
  assertMaySign(wallet: WalletView, transaction: TransactionIntent): Promise<void>;
}

export class SigningGuards implements SigningGuard {
  private readonly guards: SigningGuard[] = [];

  /** Modules that send transactions of wallets themselves call it when they start. */
  register(guard: SigningGuard): void {
    this.guards.push(guard);
  }

  async assertFees(wallet: WalletView, transaction: TransactionIntent): Promise<void> {
    for (const guard of this.guards) await guard.assertFees(wallet, transaction);
  }

  /** Call it before the wallet's key is opened. */
  async assertMaySign(wallet: WalletView, transaction: TransactionIntent): Promise<void> {
    for (const guard of this.guards) await guard.assertMaySign(wallet, transaction);
  }
}
