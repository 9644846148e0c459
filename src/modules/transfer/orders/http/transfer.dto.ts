import { ApiSchema } from '@nestjs/swagger';
import { type AuthenticatedApp, bindingOf } from '../../../../edge/http/authenticated-request.js';
import { BATCH_SIZE } from '../domain/transfer-batch.js';
import { type Transfer, TRANSFER_STAGES, TRANSFER_STATUSES } from '../../transfer/domain/transfer.js';
import { EnumValues, Example } from '../../../../edge/openapi/plugin-schemas.js';
import { epochSeconds } from '../../../../kernel/clock.js';
import type { BatchId, UserId, WalletId } from '../../../../kernel/ids.js';
import { AnyOf, ListOf, Nested } from '../../../../edge/http/compound-fields.js';
import { Flag, IdOf, MAX_LENGTH, Text, WholeNumber } from '../../../../edge/http/fields.js';
import type { BatchOrder, OrderItem, TransferOrder } from '../application/create-transfer.js';
import { STUCK_REASONS } from '../../../../kernel/chain/payment.js';
import { coinUnitsOf, formatAmount } from '../../../../kernel/chain/asset.js';
import type { AttemptView, TransferView } from '../../transfer/domain/transfer.repository.js';
import { exampleId, EXAMPLES } from '../../../../kernel/examples.js';

export class CreateTransferRequest {
  /** The wallet that pays. */
  @IdOf('wallet')
  readonly source!: WalletId;

  /** The network to pay on. Without it the currency decides: `base` is paid on `base`, `ETH` on `ethereum`. */
  @Text({ min: 1, max: 32, optional: true, example: 'ethereum' })
  readonly network?: string;

  /** The address to pay. Ethereum: checksummed (EIP-55) or all lower case; Solana: base58. */
  @Text({ min: 1, max: 128, example: EXAMPLES.otherAddress })
  readonly dest!: string;

  /**
   * A decimal number in digits, such as `0.25`; or `max`: everything that no open transfer of the wallet may still take, from which the fees
   * of a coin payment are taken. On Solana it leaves the rent-exempt minimum while other transfers are open.
   */
  @Text({ min: 1, max: 128, example: '0.25' })
  readonly source_amount!: string;

  /**
   * The currency of the source: the name of a network for its coin, or an asset of the app. With `network` a symbol means one of that
   * network; alone, `ETH` and `SOL` mean `ethereum` and `solana`.
   */
  @Text({ min: 1, max: 64, example: 'ethereum' })
  readonly source_currency!: string;

  /** Must equal `source_currency`, which is the default: currencies are not exchanged. */
  @Text({ min: 1, max: 64, optional: true })
  readonly dest_currency?: string;

  /** Whether the fees are taken out of the amount, so that less arrives. Otherwise they are added to it. */
  @Flag()
  readonly amount_includes_fees: boolean = false;

  /** Whether to pay in the chain's own coin even when the quoted fee exceeds the amount that arrives. */
  @Flag()
  readonly allow_high_fee: boolean = false;

  /** The caller's own id, permanently unique within the app. A number is converted to text. */
  @AnyOf([Text({ min: 1, max: MAX_LENGTH.customId }), WholeNumber()], { optional: true, nullable: true })
  readonly custom_id?: string | number | null;

  /** A text of your own, which the service only stores and returns. */
  @Text({ max: MAX_LENGTH.notes })
  readonly notes: string = '';

  /** The required owner of the source. */
  @IdOf('user', { optional: true })
  readonly user_id?: UserId;
}

export function orderIn(body: CreateTransferRequest, app: AuthenticatedApp): TransferOrder {
  const { dest_currency: destCurrency, amount_includes_fees: amountIncludesFees } = body;
  return { ...termsIn(body, app), ...itemIn(body), destCurrency, amountIncludesFees };
}

/** A payment of a batch. */
export class BatchItemRequest {
  /** The address to pay. */
  @Text({ min: 1, max: 128, example: EXAMPLES.otherAddress })
  readonly dest!: string;

  /** A decimal number in digits; not `max`. */
  @Text({ min: 1, max: 128, example: '0.25' })
  readonly source_amount!: string;

  /** The caller's own id, permanently unique within the app. */
  @AnyOf([Text({ min: 1, max: MAX_LENGTH.customId }), WholeNumber()], { optional: true, nullable: true })
  readonly custom_id?: string | number | null;

  /** A text that is only stored and returned. */
  @Text({ max: MAX_LENGTH.notes })
  readonly notes: string = '';
}

export class CreateBatchRequest {
  /** The wallet that pays. */
  @IdOf('wallet')
  readonly source!: WalletId;

  /** The network to pay on, as for one transfer. */
  @Text({ min: 1, max: 32, optional: true, example: 'ethereum' })
  readonly network?: string;

  /** The currency of all payments, named as for one transfer. */
  @Text({ min: 1, max: 64, example: 'ethereum' })
  readonly source_currency!: string;

  /** The payments. */
  @ListOf(Nested(() => BatchItemRequest), { min: 1, max: BATCH_SIZE })
  readonly items!: BatchItemRequest[];

  /** Whether to pay in the coin even when quoted fees exceed an amount. */
  @Flag()
  readonly allow_high_fee: boolean = false;

  /** The required owner of the source. */
  @IdOf('user', { optional: true })
  readonly user_id?: UserId;
}

export function batchIn(body: CreateBatchRequest, app: AuthenticatedApp): BatchOrder {
  return { ...termsIn(body, app), amountIncludesFees: false, items: body.items.map(itemIn) };
}

function termsIn(body: CreateTransferRequest | CreateBatchRequest, app: AuthenticatedApp) {
  return {
    keyId: app.keyId,
    binding: bindingOf(app),
    source: body.source,
    network: body.network,
    sourceCurrency: body.source_currency,
    allowHighFee: body.allow_high_fee,
    owner: body.user_id,
  };
}

function itemIn({ dest, source_amount: amount, custom_id: customId, notes }: BatchItemRequest): OrderItem {
  return { dest, amount, customId: customId?.toString() ?? null, notes };
}

export class ConfirmBatchRequest {
  /** The batch. */
  @IdOf('batch')
  readonly batch_id!: BatchId;

  /** The required owner of the source. */
  @IdOf('user', { optional: true })
  readonly user_id?: UserId;
}

export class ConfirmTransferRequest {
  /** The required owner of the source: a protection against mistakes. */
  @IdOf('user', { optional: true })
  readonly user_id?: UserId;
}

export class ListTransfersRequest {
  /** Lists only transfers of this user. */
  @IdOf('user', { optional: true })
  readonly user_id?: UserId;

  /** Lists only transfers from this wallet. */
  @IdOf('wallet', { optional: true })
  readonly source?: WalletId;

  /** The maximum number of transfers. */
  @WholeNumber({ min: 10, max: 100, unit: 'transfers' })
  readonly limit: number = 50;

  /** The number of transfers to leave out, beginning with the newest. */
  @WholeNumber({ min: 0, max: 1_000_000, unit: 'transfers' })
  readonly offset: number = 0;
}

/** A transaction signed for a transfer. */
export class TransferAttemptResponse {
  /** Ethereum: the transaction's hash; Solana: its signature. */
  @Example('0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b')
  readonly hash!: string;
  /** The kind: `payment`, or `cancellation`, which is a zero-value self-transfer that replaces it. */
  @EnumValues(['payment', 'cancellation'])
  readonly kind!: string;
  /** The nonce of the transaction; Ethereum only, otherwise null. */
  readonly nonce!: number | null;
  /** The blockhash to which the transaction is bound; Solana only, otherwise null. */
  readonly blockhash!: string | null;
  /** The highest possible fee, as decimal text in the coin of the chain. On networks of the OP stack it contains the reserve for the L1 and operator fee. */
  @Example('0.01')
  readonly max_fee!: string;
  /** When a node first accepted it, in epoch seconds; 0 before. */
  readonly accepted_at!: number;
  /** The time of creation in epoch seconds. */
  readonly created_at!: number;

  static of(attempt: AttemptView, coin: { readonly decimals: number }): TransferAttemptResponse {
    return {
      hash: attempt.hash,
      kind: attempt.kind,
      nonce: attempt.nonce,
      blockhash: attempt.blockhash,
      max_fee: formatAmount(attempt.maxFee, coin),
      accepted_at: epochSeconds(attempt.acceptedAt),
      created_at: epochSeconds(attempt.createdAt),
    };
  }
}

/** The parts of a fee, as decimal text in the coin of the chain. They sum to `total_fees`. */
export class TransferFeesResponse {
  /** The fee for the gas; on Solana for signatures, priority and rent. */
  @Example('0.00042')
  readonly network!: string;
  /** The fee for the data on the chain below, on networks of the OP stack; otherwise `0`. */
  @Example('0')
  readonly l1!: string;
  /** The fee of the operator, on networks of the OP stack; otherwise `0`. */
  @Example('0')
  readonly operator!: string;

  static of(transfer: Transfer, coin: { readonly decimals: number }): TransferFeesResponse {
    const { l1, operator } = transfer.dataFees();
    return {
      network: formatAmount(transfer.totalFees() - l1 - operator, coin),
      l1: formatAmount(l1, coin),
      operator: formatAmount(operator, coin),
    };
  }
}

/**
 * Why a transfer failed, or was not approved. `nonce_used_elsewhere`: the wallet's key or account was used outside the service, and that used the nonce of
 * this payment. `paid_elsewhere`: that transaction made this very payment. `rejected_by_approver`, `policy_changed`, `key_revoked`,
 * `user_inactive` and `approval_expired`: an approval was not given.
 */
export class TransferFailureResponse {
  /** The reason of the failure, such as `insufficient_funds`. */
  @Example('insufficient_funds')
  readonly code!: string;
  /** Whether it is proven that paying again does not pay twice. */
  readonly retry_safe!: boolean;
  /**
   * The hash of the transaction that used the nonce, for `nonce_used_elsewhere` and `paid_elsewhere`; empty where it cannot be named, and
   * for every other code.
   */
  @Example('')
  readonly used_by!: string;
}

@ApiSchema({ description: 'The transfer in its current state.' })
export class TransferResponse {
  /** Begins with `transfer_`. */
  @Example(exampleId('transfer'))
  readonly id!: string;
  readonly app_id!: string;
  /** The owner of the source. */
  readonly user_id!: string;
  /**
   * The status: `unconfirmed`, `awaiting_approval` (a policy puts it to approvers, see `approval_id`), `pending`, `completed`, `failed`,
   * `rejected`, `expired` or `cancelled`.
   */
  @EnumValues(TRANSFER_STATUSES)
  readonly status!: string;
  /** The progress of a pending transfer: `queued`, `signed`, `submitted` or `mined`; otherwise empty. */
  @EnumValues(['', ...TRANSFER_STAGES])
  readonly stage!: string;
  /** The wallet that pays. */
  @Example(exampleId('wallet'))
  readonly source!: string;
  /** The network that it is paid on. */
  @Example('ethereum')
  readonly network!: string;
  /** The amount that leaves the wallet when the transfer completes. For the chain's own coin it includes `total_fees`. */
  @Example('0.25042')
  readonly source_amount!: string;
  /** The address to pay. */
  @Example(EXAMPLES.otherAddress)
  readonly dest!: string;
  /** The amount that arrives. */
  @Example('0.25')
  readonly dest_amount!: string;
  /** The name of the currency that is paid. */
  @Example('ethereum')
  readonly source_currency!: string;
  /** The same as `source_currency`, because currencies are not exchanged. */
  @Example('ethereum')
  readonly dest_currency!: string;
  /** The batch that it is confirmed with; null if it is in none. */
  @Example(null)
  readonly batch_id!: string | null;
  /** The caller's own id, as text; null if the transfer has none. */
  readonly custom_id!: string | null;
  /** The fees that were paid, in the coin of the chain. Until they are known, and when nothing was carried out: the quoted upper bound. */
  @Example('0.00042')
  readonly total_fees!: string;
  /** The parts of `total_fees`: those that are reserved, and once the fees are known those that were paid. */
  readonly fees!: TransferFeesResponse;
  /** The text of the request; may be empty. */
  @Example('Order 1001')
  readonly notes!: string;
  /** Empty until signed. May change while the transfer is pending. */
  @Example('')
  readonly blockchain_tx_hash!: string;
  /** The transactions that were signed for the transfer, the oldest first. It is empty until the first one is signed. */
  @Example([])
  readonly attempts!: TransferAttemptResponse[];
  /** The reason of the end; null unless it failed, was rejected, or was not approved in time. */
  @Example(null)
  readonly failure!: TransferFailureResponse | null;
  /** The approval that was requested last; null if policies put it to no approvers. */
  @Example(null)
  readonly approval_id!: string | null;
  /** When it was marked stuck, because it was pending for too long, in epoch seconds; otherwise 0. */
  readonly stuck_since!: number;
  /**
   * The reason when `stuck_since` is set: `books_behind_chain` (the chain shows payments that the database does not know, since it
   * was restored or lost commits: nothing is signed from the wallet until both are compared), `waits_in_queue`, `user_inactive`, `app_frozen`, `wallet_frozen`, `row_altered`,
   * `not_in_a_block`, `not_final`, `node_lacks_history`, `history_too_long` (many transactions name the wallet, and are
   * still being read: nothing is signed or cancelled until then), `nodes_disagree`, `fee_above_ceiling`, `another_chain`,
   * `network_not_configured`, `sequencer_or_node_down`; otherwise empty.
   */
  @EnumValues(['', ...STUCK_REASONS])
  readonly stuck_reason!: string;
  /**
   * The time of the block that contains the payment, in epoch seconds; 0 while none does. A reorganisation of the chain may make it 0 again
   * before `completed_at` is set.
   */
  readonly confirmed_at!: number;
  /** The time of completion in epoch seconds; 0 unless completed. */
  readonly completed_at!: number;
  /** The time of cancellation in epoch seconds; 0 unless cancelled. */
  readonly cancelled_at!: number;
  /** When its cancellation was requested, in epoch seconds; otherwise 0. It is cancelled once that is proven to be safe. */
  readonly cancel_requested_at!: number;
  /**
   * The time until which it can be confirmed, in epoch seconds. The status changes to `expired` as a rule within 20 seconds after it, and
   * later while a confirmation that began in time is being stored. Until then the transfer may still be paid: do not conclude from the
   * clock that it is not.
   */
  readonly expires_at!: number;
  /** The time of creation in epoch seconds. */
  readonly created_at!: number;
  /** The time of the last change in epoch seconds. */
  readonly updated_at!: number;

  static of({ transfer, attempts }: TransferView): TransferResponse {
    const asset = transfer.asset();
    const coin = coinUnitsOf(transfer.network);
    const { failureCode: code, retrySafe, nonceUsedBy } = transfer;
    return {
      id: transfer.id,
      app_id: transfer.appId,
      user_id: transfer.userId,
      status: transfer.status,
      stage: transfer.stage ?? '',
      source: transfer.source,
      network: transfer.chain,
      source_amount: formatAmount(transfer.sourceAmount(), asset),
      dest: transfer.dest,
      dest_amount: formatAmount(transfer.amount, asset),
      source_currency: transfer.currency,
      dest_currency: transfer.currency,
      batch_id: transfer.batchId,
      custom_id: transfer.customId,
      total_fees: formatAmount(transfer.totalFees(), coin),
      fees: TransferFeesResponse.of(transfer, coin),
      notes: transfer.notes,
      blockchain_tx_hash: transfer.hash ?? '',
      attempts: attempts.map((attempt) => TransferAttemptResponse.of(attempt, coin)),
      failure: code === null ? null : { code, retry_safe: retrySafe === true, used_by: nonceUsedBy ?? '' },
      approval_id: transfer.approvalId,
      stuck_since: epochSeconds(transfer.stuckSince),
      stuck_reason: transfer.stuckReason ?? '',
      confirmed_at: epochSeconds(transfer.includedAt),
      completed_at: epochSeconds(transfer.completedAt),
      cancelled_at: epochSeconds(transfer.cancelledAt),
      cancel_requested_at: epochSeconds(transfer.cancelRequestedAt),
      expires_at: epochSeconds(transfer.expiresAt),
      created_at: epochSeconds(transfer.createdAt),
      updated_at: epochSeconds(transfer.updatedAt),
    };
  }
}

@ApiSchema({ description: 'The transfers of a batch.' })
export class BatchResponse {
  /** Begins with `batch_`. */
  @Example(exampleId('batch'))
  readonly batch_id!: string;
  /** The transfers, in the order of the items. */
  readonly transfers!: TransferResponse[];
  /** The sum of their `total_fees`. */
  @Example('0.00042')
  readonly total_fees!: string;

  static of(views: readonly TransferView[]): BatchResponse {
    const [{ transfer: first }] = views as [TransferView];
    const fees = views.reduce((sum, { transfer }) => sum + transfer.totalFees(), 0n);
    return {
      batch_id: first.batchId!,
      transfers: views.map((view) => TransferResponse.of(view)),
      total_fees: formatAmount(fees, coinUnitsOf(first.network)),
    };
  }
}

@ApiSchema({ description: 'A page of the transfers, and their number on all pages.' })
export class ListTransfersResponse {
  /** The transfers, newest first. */
  readonly transfers!: TransferResponse[];
  /** The number of transfers on all pages: exact up to 10,000, an estimate beyond. */
  readonly count!: number;
  /** Whether `count` is an estimate. */
  readonly count_estimated!: boolean;
  /** The `limit` of the request, or its default. */
  @Example(50)
  readonly limit!: number;
  /** The `offset` of the request, or its default. */
  @Example(0)
  readonly offset!: number;
}
