export { WalletModule } from './wallet.module.js';
export { type PayingWallet, type PaymentSigner, WalletsFacade } from './wallets/application/wallets.facade.js';
export type { EthTransaction, TransactionIntent, TypedData } from './signing/domain/message-signer.js';
export { type SigningGuard, SigningGuards } from './signing/domain/signing-guards.js';
export {
  WalletHasOpenTransfers,
  WalletNotFound,
  WalletNotOwnedByUser,
  WalletReadOnly,
} from './wallets/domain/wallet.errors.js';
export type { ReceivingWallet } from './wallets/domain/wallet.repository.js';
export type { WalletView } from './wallets/domain/wallet.js';
export { InvalidTransaction, InvalidTypedData, UnsupportedWalletType } from './wallets/domain/wallet.errors.js';
export { WalletResponse } from './wallets/http/exported-wallet.dto.js';
