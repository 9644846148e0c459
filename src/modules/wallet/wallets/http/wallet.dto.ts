import { ApiSchema } from '@nestjs/swagger';
import type { UserId, WalletId } from '../../../../kernel/ids.js';
import { IdOf, OneOf, WholeNumber } from '../../../../edge/http/fields.js';
import { ManagementListQuery } from '../../../../edge/http/list.dto.js';
import { WALLET_TYPE_ALIASES, WALLET_TYPES, type WalletType } from '../../../../kernel/chain/chain-name.js';
import type { Page } from '../../../../kernel/paging.js';
import type { WalletView } from '../domain/wallet.js';
import { WalletResponse } from './exported-wallet.dto.js';

export class CreateWalletRequest {
  /** The user who will own the wallet. */
  @IdOf('user')
  readonly user_id!: UserId;

  /** The chain; `ETH` and `SOL` mean the same. */
  @OneOf(WALLET_TYPES, { aliases: WALLET_TYPE_ALIASES })
  readonly wallet_type!: WalletType;
}

export class ListWalletsRequest {
  /** Only wallets of this user. */
  @IdOf('user', { optional: true })
  readonly user_id?: UserId;

  /** The maximum number of items. `has_more` says whether there are more. */
  @WholeNumber({ min: 1, max: 1_000, unit: 'wallets' })
  readonly limit: number = 1_000;

  /** The id of the last wallet of the previous page. */
  @IdOf('wallet', { optional: true })
  readonly starting_after?: WalletId;
}

export class ListManagedWalletsQuery extends ManagementListQuery {
  /** Only wallets of this user. */
  @IdOf('user', { optional: true })
  readonly user_id?: UserId;

  /** The id of the last wallet of the previous page. */
  @IdOf('wallet', { optional: true })
  readonly starting_after?: WalletId;
}

@ApiSchema({ description: 'A page of the wallets.' })
export class ListWalletsResponse {
  /** The wallets, newest first. */
  readonly wallets!: WalletResponse[];
  /** Whether there are more after the last of these. */
  readonly has_more!: boolean;

  static of({ items, hasMore }: Page<WalletView>): ListWalletsResponse {
    return { wallets: items.map(WalletResponse.of), has_more: hasMore };
  }
}
