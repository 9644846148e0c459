export { WalletModule } from './wallet.module.js';
export { type PaymentSigner, WalletsFacade } from './application/wallets.facade.js';
export type { TransactionIntent } from './domain/message-signer.js';
export { SigningGuards } from './domain/signing-guards.js';
export {
  WalletHasOpenTransfers,
  WalletNotFound,
  WalletNotOwnedByUser,
  WalletReadOnly,
} from './domain/wallet.errors.js';
export type { WalletView } from './domain/wallet.js';
export { WalletResponse } from './http/wallet-fields.dto.js';
