import { WalletHasOpenTransfers } from './wallet.errors.js';
import type { WalletView } from './wallet.js';

/** Whether somebody else is just using the wallet on the network (CAIP-2). */
export type SigningGuard = (wallet: WalletView, network: string) => Promise<boolean>;

/** Who has a say before a transaction is signed for a caller to send. */
export class SigningGuards {
  private readonly guards: SigningGuard[] = [];

  /** To be called by modules that send transactions of wallets themselves, when they start. */
  register(guard: SigningGuard): void {
    this.guards.push(guard);
  }

  /** Throws `WalletHasOpenTransfers`. */
  async assertFree(wallet: WalletView, network: string): Promise<void> {
    for (const isUsing of this.guards) if (await isUsing(wallet, network)) throw new WalletHasOpenTransfers();
  }
}
