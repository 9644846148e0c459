import type { TransactionIntent } from './message-signer.js';
import type { WalletView } from '../wallets/wallet.js';

/** Throws when the transaction must not be signed. */
export type SigningGuard = (wallet: WalletView, transaction: TransactionIntent) => Promise<void>;

/** Who has a say before a transaction is signed for a caller to send. */
export class SigningGuards {
  private readonly guards: SigningGuard[] = [];

  /** To be called by modules that send transactions of wallets themselves, when they start. */
  register(guard: SigningGuard): void {
    this.guards.push(guard);
  }

  /** Call it before the wallet's key is opened. Throws the error of a guard that refuses. */
  async assertMaySign(wallet: WalletView, transaction: TransactionIntent): Promise<void> {
    for (const guard of this.guards) await guard(wallet, transaction);
  }
}
