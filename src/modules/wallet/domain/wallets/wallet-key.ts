import type { AppId, UserId, WalletId } from '../../../../kernel/ids.js';
import type { ExtendedSealContext, Sealed } from '../../../../kernel/vault.js';
import type { ChainName } from '../../../../kernel/chain/chain-name.js';

/** A wallet's private key as it is kept: sealed, and bound to the wallet it signs for and to its owner. */
export interface WalletKey {
  readonly appId: AppId;
  readonly walletId: WalletId;
  readonly userId: UserId;
  readonly walletType: ChainName;
  readonly publicAddress: string;
  readonly sealed: Sealed;
}

/**
 * The context to which the seal of a wallet's key is bound. Without it two wallets' keys could be swapped in the table unnoticed, or a
 * wallet given to another user. Keys sealed before their owner was bound open in the former context.
 */
export function walletKeyContext(key: Omit<WalletKey, 'sealed'>): ExtendedSealContext {
  const place = [key.appId, key.walletId, key.walletType, key.publicAddress] as const;
  return { current: ['wallet-key', '2', ...place, key.userId], former: ['wallet-key', '1', ...place] };
}
