export { WalletModule } from './wallet.module.js';
export { type PayingWallet, type PaymentSigner, WalletsFacade } from './application/wallets/wallets.facade.js';
export type { EthTransaction, TransactionIntent, TypedData } from './domain/signing/message-signer.js';
export { type SigningGuard, SigningGuards } from './domain/signing/signing-guards.js';
export {
  WalletHasOpenTransfers,
  WalletNotFound,
  WalletNotOwnedByUser,
  WalletReadOnly,
} from './domain/wallets/wallet.errors.js';
export type { ReceivingWallet } from './domain/wallets/wallet.repository.js';
export type { WalletView } from './domain/wallets/wallet.js';
export { InvalidTransaction, InvalidTypedData, UnsupportedWalletType } from './domain/wallets/wallet.errors.js';
export { WalletResponse } from './http/exported-wallet.dto.js';
