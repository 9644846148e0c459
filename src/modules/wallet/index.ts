export { WalletModule } from './wallet.module.js';
export { type PaymentSigner, WalletsFacade } from './application/wallets.facade.js';
export { WalletNotFound, WalletNotOwnedByUser, WalletReadOnly } from './domain/wallet.errors.js';
export type { WalletView } from './domain/wallet.js';
