import { ApiSchema } from '@nestjs/swagger';
import { Equals } from 'class-validator';
import { Flag, IdOf, OneOf, Text } from '../../../../edge/http/fields.js';
import { ManagementListQuery } from '../../../../edge/http/list.dto.js';
import { EnumValues, Example } from '../../../../edge/openapi/plugin-schemas.js';
import { epochSeconds } from '../../../../kernel/clock.js';
import type { TransferId, UserId, WalletId } from '../../../../kernel/ids.js';
import { NEXT_STEPS, type NextStep, TRANSFER_STATUSES, type TransferStatus } from '../../transfer/domain/transfer.js';
import type { ManagedTransfer } from '../../transfer/domain/transfer.repository.js';
import { TransferResponse } from './transfer.dto.js';

export class ListManagedTransfersQuery extends ManagementListQuery {
  /** Lists only transfers of this user. */
  @IdOf('user', { optional: true })
  readonly user_id?: UserId;

  /** Only transfers from this wallet. */
  @IdOf('wallet', { optional: true })
  readonly source?: WalletId;

  /** Only transfers with this status. A quote becomes `expired` as a rule within 20 seconds after its end. */
  @OneOf(TRANSFER_STATUSES, { optional: true })
  readonly status?: TransferStatus;

  /** Only transfers that are marked stuck (`stuck_since`). The only value is `true`. */
  @Flag({ optional: true })
  @Equals(true, { message: 'must be true' })
  readonly stuck?: true;

  /** Only the transfer that was sent by the transaction with this hash. */
  @Text({ max: 128, optional: true })
  readonly blockchain_tx_hash?: string;

  /** The id of the last transfer of the previous page. */
  @IdOf('transfer', { optional: true })
  readonly starting_after?: TransferId;
}

@ApiSchema({ description: 'The transfer with the step that it waits for.' })
export class ManagedTransferResponse extends TransferResponse {
  /**
   * The network that it is paid on, and no other, as a [CAIP-2](https://chainagnostic.org/CAIPs/caip-2) chain id. Ethereum: `eip155:` and the
   * chain id of the service's node, such as `eip155:1`. Solana: `solana:` and the first 32 characters of the genesis hash of its cluster,
   * such as `solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp` for mainnet.
   */
  @Example('eip155:1')
  readonly network_id!: string;
  /**
   * The step that the transfer waits for: `confirmation` by the app, `approval` by approvers, `place_in_queue` of its wallet, `broadcast`, a
   * `block`, `finality`, or the `cancellation` that was requested; `none` once it has ended. `stuck_reason` says why that takes too long.
   */
  @EnumValues(NEXT_STEPS)
  readonly next_step!: NextStep;
  /** When the service looks at it next, in epoch seconds; 0 when it waits for the app or has ended. */
  readonly next_check_at!: number;

  static override of(managed: ManagedTransfer): ManagedTransferResponse {
    return {
      ...TransferResponse.of(managed),
      network_id: managed.transfer.network,
      next_step: managed.transfer.nextStep(),
      next_check_at: epochSeconds(managed.nextCheckAt),
    };
  }
}

@ApiSchema({ description: 'A page of the transfers.' })
export class ManagedTransferListResponse {
  /** The transfers, newest first. */
  readonly transfers!: ManagedTransferResponse[];
  /** Whether there are more after the last of these. */
  readonly has_more!: boolean;
}
