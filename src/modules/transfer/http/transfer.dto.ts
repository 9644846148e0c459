import { epochSeconds } from '../../../kernel/clock.js';
import type { UserId, WalletId } from '../../../kernel/ids.js';
import { AnyOf, Flag, IdOf, MAX_LENGTH, Text, WholeNumber } from '../../../edge/http/fields.js';
import type { TransferOrder } from '../application/create-transfer.js';
import { formatAmount } from '../domain/amount.js';
import { NATIVE_ASSETS } from '../../../kernel/chain/asset.js';
import type { AttemptView, TransferView } from '../domain/transfer.repository.js';

export class CreateTransferRequest {
  /** The wallet that pays. */
  @IdOf('wallet')
  readonly source: WalletId;

  /** The address that is paid. Ethereum: checksummed (EIP-55) or all lower case; Solana: base58. */
  @Text({ min: 1, max: 128 })
  readonly dest: string;

  /** A decimal number in digits, such as `0.25`. */
  @Text({ min: 1, max: 128, example: '0.25' })
  readonly source_amount: string;

  /** `ethereum`, `solana` or an asset of the app; symbols such as `ETH` mean the same. */
  @Text({ min: 1, max: 64, example: 'ethereum' })
  readonly source_currency: string;

  /** The same as `source_currency`, which is meant without it: currencies are not exchanged. */
  @Text({ min: 1, max: 64, optional: true })
  readonly dest_currency?: string;

  /** Whether the fees come out of the amount, so that less arrives, instead of on top of it. */
  @Flag()
  readonly amount_includes_fees: boolean = false;

  /** Whether a payment of the chain's own coin is made even where its quoted fee exceeds what arrives. */
  @Flag()
  readonly allow_high_fee: boolean = false;

  /** An id of the caller's own, unique within the app for ever. A number is taken as its digits, and answered so. */
  @AnyOf([Text({ min: 1, max: MAX_LENGTH.customId }), WholeNumber()], { optional: true, nullable: true })
  readonly custom_id?: string | number | null;

  @Text({ max: MAX_LENGTH.notes })
  readonly notes: string = '';

  /** Whose the source has to be. */
  @IdOf('user', { optional: true })
  readonly user_id?: UserId;
}

/** What a request orders. */
export function orderIn(body: CreateTransferRequest): TransferOrder {
  return {
    source: body.source,
    dest: body.dest,
    amount: body.source_amount,
    sourceCurrency: body.source_currency,
    destCurrency: body.dest_currency,
    amountIncludesFees: body.amount_includes_fees,
    allowHighFee: body.allow_high_fee,
    customId: body.custom_id?.toString() ?? null,
    notes: body.notes,
    owner: body.user_id,
  };
}

export class ConfirmTransferRequest {
  /** Whose the source has to be: guards against mistakes. */
  @IdOf('user', { optional: true })
  readonly user_id?: UserId;
}

export class ListTransfersRequest {
  /** Only of this user. */
  @IdOf('user', { optional: true })
  readonly user_id?: UserId;

  /** Only from this wallet. */
  @IdOf('wallet', { optional: true })
  readonly source?: WalletId;

  @WholeNumber({ min: 10, max: 100 })
  readonly limit: number = 50;

  @WholeNumber({ min: 0, max: 1_000_000 })
  readonly offset: number = 0;
}

/** One transaction signed for a transfer. */
export class TransferAttemptResponse {
  /** Ethereum: the transaction's hash; Solana: its signature. */
  readonly hash: string;
  /** `payment`, or `cancellation`: a transaction of nothing in its place. */
  readonly kind: string;
  /** Ethereum only. */
  readonly nonce: number | null;
  /** Solana only. */
  readonly blockhash: string | null;
  /** The most it can cost, as decimal text in the coin of the chain. */
  readonly max_fee: string;
  /** When a node first took it, in epoch seconds; 0 before. */
  readonly accepted_at: number;
  /** Epoch seconds. */
  readonly created_at: number;

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

/** Why a transfer failed. */
export class TransferFailureResponse {
  readonly code: string;
  /** Whether it is certain that paying again does not pay twice. */
  readonly retry_safe: boolean;
  /** `nonce_used_elsewhere`: the hash of the transaction that used the nonce. Otherwise empty. */
  readonly used_by: string;
}

export class TransferResponse {
  /** Begins with `transfer_`. */
  readonly id: string;
  readonly app_id: string;
  /** The owner of the source. */
  readonly user_id: string;
  /** `unconfirmed`, `pending`, `completed`, `failed`, `expired` or `cancelled`. */
  readonly status: string;
  /** How far a pending one is: `queued`, `signed`, `submitted`, `mined`; otherwise empty. */
  readonly stage: string;
  /** The wallet that pays. */
  readonly source: string;
  /** What leaves the wallet: of the chain's own coin with fees, which are an upper bound until the transfer has ended. */
  readonly source_amount: string;
  /** The address that is paid. */
  readonly dest: string;
  /** What arrives. */
  readonly dest_amount: string;
  readonly source_currency: string;
  readonly dest_currency: string;
  readonly custom_id: string | null;
  /** In the coin of the chain: what it took, and until the transfer has ended the most it may take. */
  readonly total_fees: string;
  readonly notes: string;
  /** Empty until signed. May change as long as the transfer is pending. */
  readonly blockchain_tx_hash: string;
  readonly attempts: TransferAttemptResponse[];
  readonly failure: TransferFailureResponse | null;
  /** Since when it has been pending for suspiciously long, in epoch seconds; else 0. */
  readonly stuck_since: number;
  /**
   * Why, when `stuck_since` is set: `waits_in_queue`, `not_in_a_block`, `not_final`, `node_lacks_history`, `nodes_disagree`,
   * `fee_above_ceiling`, `sequencer_or_node_down`; otherwise empty.
   */
  readonly stuck_reason: string;
  /** Epoch seconds; 0 when not completed. */
  readonly completed_at: number;
  /** Epoch seconds; 0 when not cancelled. */
  readonly cancelled_at: number;
  /** Since when it is to be cancelled as soon as that is proven to be safe, in epoch seconds; else 0. */
  readonly cancel_requested_at: number;
  /** Until when it can be confirmed, in epoch seconds. */
  readonly expires_at: number;
  /** Epoch seconds. */
  readonly created_at: number;
  /** Epoch seconds. */
  readonly updated_at: number;

  static of({ transfer, attempts }: TransferView): TransferResponse {
    const asset = transfer.asset();
    const coin = NATIVE_ASSETS[transfer.chain];
    const { failureCode: code, retrySafe, nonceUsedBy } = transfer;
    return {
      id: transfer.id,
      app_id: transfer.appId,
      user_id: transfer.userId,
      status: transfer.status,
      stage: transfer.stage ?? '',
      source: transfer.source,
      source_amount: formatAmount(transfer.sourceAmount(), asset),
      dest: transfer.dest,
      dest_amount: formatAmount(transfer.amount, asset),
      source_currency: transfer.currency,
      dest_currency: transfer.currency,
      custom_id: transfer.customId,
      total_fees: formatAmount(transfer.totalFees(), coin),
      notes: transfer.notes,
      blockchain_tx_hash: transfer.hash ?? '',
      attempts: attempts.map((attempt) => TransferAttemptResponse.of(attempt, coin)),
      failure: code === null ? null : { code, retry_safe: retrySafe === true, used_by: nonceUsedBy ?? '' },
      stuck_since: epochSeconds(transfer.stuckSince),
      stuck_reason: transfer.stuckReason ?? '',
      completed_at: epochSeconds(transfer.completedAt),
      cancelled_at: epochSeconds(transfer.cancelledAt),
      cancel_requested_at: epochSeconds(transfer.cancelRequestedAt),
      expires_at: epochSeconds(transfer.expiresAt),
      created_at: epochSeconds(transfer.createdAt),
      updated_at: epochSeconds(transfer.updatedAt),
    };
  }
}

export class ListTransfersResponse {
  /** Newest first. */
  readonly transfers: TransferResponse[];
  /** How many there are on all pages: exact up to 10,000, an estimate beyond. */
  readonly count: number;
  /** Whether `count` is an estimate. */
  readonly count_estimated: boolean;
  readonly limit: number;
  readonly offset: number;
}
