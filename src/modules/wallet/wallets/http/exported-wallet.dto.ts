import { ApiSchema } from '@nestjs/swagger';
import { WALLET_TYPES } from '../../../../kernel/chain/chain-name.js';
import { EnumValues, Example } from '../../../../edge/openapi/plugin-schemas.js';
import { epochSeconds } from '../../../../kernel/clock.js';
import { PartOfUser } from '../../../identity/index.js';
import type { WalletView } from '../domain/wallet.js';
import { exampleId, EXAMPLES } from '../../../../kernel/examples.js';

@ApiSchema({ description: 'The wallet.' })
@PartOfUser('wallets')
export class WalletResponse {
  /** Begins with `wallet_`. */
  @Example(exampleId('wallet'))
  readonly id!: string;
  readonly app_id!: string;
  /** The id of the owner, which begins with `user_`. */
  readonly user_id!: string;
  /** The address on the chain: EIP-55 for ethereum, base58 for solana. */
  @Example(EXAMPLES.address)
  readonly public_address!: string;
  /** The chain: `ethereum` or `solana`. */
  @EnumValues(WALLET_TYPES)
  readonly wallet_type!: string;
  /** Whether the user is known to hold the key, or the service to hold it for them. */
  @Example(true)
  readonly verified!: boolean;
  /** Whether it is the wallet that the service made for the user on this chain. A user has at most one on each chain. */
  @Example(true)
  readonly is_default!: boolean;
  /** Whether the service cannot sign with it. */
  readonly is_read_only!: boolean;
  /** Whether its key was made outside of the service. */
  readonly is_imported!: boolean;
  /** The time of the last change in epoch seconds. */
  readonly updated_at!: number;
  /** The time of creation in epoch seconds. */
  readonly created_at!: number;

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
