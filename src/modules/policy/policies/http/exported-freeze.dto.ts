import { ApiSchema } from '@nestjs/swagger';
import { Example } from '../../../../edge/openapi/plugin-schemas.js';
import { epochSeconds } from '../../../../kernel/clock.js';
import { exampleId } from '../../../../kernel/examples.js';
import type { UserId, WalletId } from '../../../../kernel/ids.js';
import { PartOfManagedUser } from '../../../identity/index.js';

@ApiSchema({ description: 'Whether the wallets of the user sign.' })
export class UserFreezeResponse {
  readonly user_id!: string;
  /** The time since which they sign nothing, in epoch seconds; `0` if they sign. */
  @Example(1_767_225_600)
  readonly frozen_at!: number;

  static of(userId: UserId, frozenAt: Date | null): UserFreezeResponse {
    return { user_id: userId, frozen_at: epochSeconds(frozenAt) };
  }
}

@ApiSchema({ description: 'Whether the wallet signs.' })
export class WalletFreezeResponse {
  readonly wallet_id!: string;
  /** The time since which it signs nothing, in epoch seconds; `0` if it signs, as far as its user and its app are not frozen. */
  @Example(1_767_225_600)
  readonly frozen_at!: number;

  static of(walletId: WalletId, frozenAt: Date | null): WalletFreezeResponse {
    return { wallet_id: walletId, frozen_at: epochSeconds(frozenAt) };
  }
}

/** A freeze of the user or of one of the user's wallets, as an element of the user that operators see. */
@PartOfManagedUser('freezes', 'The freezes of the user and of the wallets of the user.')
export class FreezeOfManagedUser {
  /** The id of the frozen user or wallet. */
  @Example(exampleId('wallet'))
  readonly id!: string;
  /** The frozen wallet; empty if the whole user is frozen. */
  @Example(exampleId('wallet'))
  readonly wallet_id!: string;
  /** The time since which nothing is signed, in epoch seconds. */
  readonly frozen_at!: number;
}
