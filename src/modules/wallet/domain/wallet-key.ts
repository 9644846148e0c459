import type { AppId, WalletId } from '../../../kernel/ids.js';
import type { SealContext, Sealed } from '../../../kernel/vault.js';
import type { WalletType } from './wallet-type.js';

/** A wallet's private key as it is kept: sealed, and bound to the wallet it signs for. */
export interface WalletKey {
  readonly appId: AppId;
  readonly walletId: WalletId;
  readonly walletType: WalletType;
  readonly publicAddress: string;
  readonly sealed: Sealed;
}

/** What the seal of a wallet's key is bound to. Without it two wallets' keys could be swapped in the table unnoticed. */
export function walletKeyContext(key: Omit<WalletKey, 'sealed'>): SealContext {
  return ['wallet-key', '1', key.appId, key.walletId, key.walletType, key.publicAddress];
}
