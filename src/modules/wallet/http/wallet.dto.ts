import { epochSeconds } from '../../../kernel/clock.js';
import type { UserId, WalletId } from '../../../kernel/ids.js';
import { IdOf, OneOf, WholeNumber } from '../../../platform/http/fields.js';
import { WALLET_ALIASES, WALLET_TYPES, type WalletType } from '../domain/wallet-type.js';
import type { WalletView } from '../domain/wallet.js';

export class CreateWalletRequest {
  /** Whose wallet it is to be. */
  @IdOf('user')
  readonly user_id: UserId;

  /** The chain; `ETH` and `SOL` mean the same. */
  @OneOf(WALLET_TYPES, { aliases: WALLET_ALIASES })
  readonly wallet_type: WalletType;
}

export class ListWalletsRequest {
  /** Only this user's. */
  @IdOf('user', { optional: true })
  readonly user_id?: UserId;

  @WholeNumber({ min: 1, max: 1_000 })
  readonly limit: number = 1_000;

  /** The last wallet of the page before. */
  @IdOf('wallet', { optional: true })
  readonly starting_after?: WalletId;
}

export class WalletResponse {
  /** Begins with `wallet_`. */
  readonly id: string;
  readonly app_id: string;
  /** The owner. */
  readonly user_id: string;
  /** The address on the chain: EIP-55 for ethereum, base58 for solana. */
  readonly public_address: string;
  /** `ethereum` or `solana`. */
  readonly wallet_type: string;
  /** Whether the user is known to hold the key, or the service to hold it for them. */
  readonly verified: boolean;
  readonly is_default: boolean;
  /** Whether the service cannot sign with it. */
  readonly is_read_only: boolean;
  readonly is_imported: boolean;
  /** Epoch seconds. */
  readonly updated_at: number;
  /** Epoch seconds. */
  readonly created_at: number;

  static of(wallet: WalletView): WalletResponse {
    return {
      id: wallet.id,
      app_id: wallet.appId,
      user_id: wallet.userId,
      public_address: wallet.publicAddress,
      wallet_type: wallet.walletType,
      verified: wallet.verified,
      is_default: wallet.isDefault,
      is_read_only: wallet.isReadOnly,
      is_imported: wallet.isImported,
      updated_at: epochSeconds(wallet.updatedAt),
      created_at: epochSeconds(wallet.createdAt),
    };
  }
}

export class ListWalletsResponse {
  /** Newest first. */
  readonly wallets: WalletResponse[];
  /** Whether there are more after the last of these. */
  readonly has_more: boolean;
}
