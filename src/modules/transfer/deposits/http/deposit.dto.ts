import { ApiSchema } from '@nestjs/swagger';
import { IdOf } from '../../../../edge/http/fields.js';
import { ListQuery, ManagementListQuery } from '../../../../edge/http/list.dto.js';
import { Example } from '../../../../edge/openapi/plugin-schemas.js';
import { exampleId, EXAMPLES } from '../../../../kernel/examples.js';
import type { DepositId } from '../../../../kernel/ids.js';
import type { Page } from '../../../../kernel/paging.js';
import type { Deposit } from '../domain/deposit.js';
import { paymentOf } from '../domain/deposit.events.js';

export class ListDepositsRequest extends ListQuery {
  /** The id of the last item of the previous page. */
  @IdOf('deposit', { optional: true })
  readonly starting_after?: DepositId;
}

export class ListManagedDepositsQuery extends ManagementListQuery {
  /** The id of the last item of the previous page. */
  @IdOf('deposit', { optional: true })
  readonly starting_after?: DepositId;
}

@ApiSchema({ description: 'A final payment to a wallet.' })
export class DepositResponse {
  /** Begins with `dep_`. */
  @Example(exampleId('deposit'))
  readonly id!: string;
  /** The name of the network. */
  @Example('ethereum')
  readonly network!: string;
  /** The name of the currency. */
  @Example('ethereum')
  readonly currency!: string;
  /** The amount that arrived. */
  @Example('0.25')
  readonly amount!: string;
  /** The address that paid; empty when there are several. */
  @Example(EXAMPLES.otherAddress)
  readonly from!: string;
  /** The hash of the transaction. */
  @Example(`0x${'5e'.repeat(32)}`)
  readonly blockchain_tx_hash!: string;
  /** The number of the block; on Solana its slot. */
  @Example(21_000_000)
  readonly block_number!: number;
  /** The time of the block in epoch seconds; 0 when the node does not have it. */
  @Example(1_764_000_000)
  readonly at!: number;

  static of(deposit: Deposit): DepositResponse {
    return { id: deposit.id, ...paymentOf(deposit) };
  }
}

@ApiSchema({ description: 'The deposit with the id of its network.' })
export class ManagedDepositResponse extends DepositResponse {
  /** The [CAIP-2](https://chainagnostic.org/CAIPs/caip-2) chain id of the network. */
  @Example('eip155:1')
  readonly network_id!: string;

  static override of(deposit: Deposit): ManagedDepositResponse {
    return { ...DepositResponse.of(deposit), network_id: deposit.network };
  }
}

@ApiSchema({ description: 'The deposits of a wallet.' })
export class ListDepositsResponse {
  /** The deposits, the most recently found first. */
  readonly deposits!: DepositResponse[];
  readonly has_more!: boolean;

  static of({ items, hasMore }: Page<Deposit>): ListDepositsResponse {
    return { deposits: items.map(DepositResponse.of), has_more: hasMore };
  }
}

@ApiSchema({ description: 'The deposits of a wallet.' })
export class ManagedDepositListResponse {
  /** The deposits, the most recently found first. */
  readonly deposits!: ManagedDepositResponse[];
  readonly has_more!: boolean;

  static of({ items, hasMore }: Page<Deposit>): ManagedDepositListResponse {
    return { deposits: items.map(ManagedDepositResponse.of), has_more: hasMore };
  }
}
