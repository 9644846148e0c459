import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../kernel/outbox.js';
import { type PaymentSigner, WalletsFacade } from '../../wallet/index.js';
import { assertCovered, type Chain, type Nonces, type PreparedPayment, type SignedAttempt } from '../domain/chain.js';
import { NetworkChanged } from '../domain/chain.errors.js';
import { isFull, type Lane, nonceFor } from '../domain/lane.js';
import { LaneRepository } from '../domain/lane.repository.js';
import type { Transfer } from '../domain/transfer.js';
import { TransferEvent } from '../domain/transfer.events.js';
import { type TimedTransfer, TransferRepository } from '../domain/transfer.repository.js';

/** All that signing needs, asked for before any lock. */
export interface Terms {
  readonly prepared: PreparedPayment;
  readonly nonces: Nonces | null;
  readonly signer: PaymentSigner;
}

/** Puts a payment into its wallet's lane: covered, numbered, signed and stored, or nothing of it. */
@Injectable()
export class SignPayment {
  constructor(
    private readonly transfers: TransferRepository,
    private readonly lanes: LaneRepository,
    private readonly wallets: WalletsFacade,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Asks the chain within the quote. Throws what `Chain.prepare` throws, `NetworkChanged`, `WalletNotFound`,
   * `WalletNotOwnedByUser` and `WalletReadOnly`.
   */
  async terms({ transfer }: TimedTransfer, chain: Chain): Promise<Terms> {
    const [{ signer }, network, prepared, nonces] = await Promise.all([
      this.wallets.paying(transfer.appId, transfer.source, transfer.userId),
      chain.network(),
      chain.prepare(transfer.payment(), transfer.feeCap),
      chain.nonces(transfer.sourceAddress),
    ]);
    if (network !== transfer.network) throw new NetworkChanged(transfer.network, network);
    return { prepared, nonces, signer };
  }

  /**
   * Locks the transfer's lane. Called in one turn with locking the transfer, and after it, so that both go out together.
   * Throws what `LaneRepository.lock` throws, which concerns only who gets the transfer: nobody else need wait for it.
   */
  lockLane(transfer: Transfer, { prepared }: Terms): Promise<Lane> {
    const { appId, network, sourceAddress: address } = transfer;
    const lane = this.lanes.lock({ appId, network, address }, transfer, prepared.balancesAt);
    lane.catch(() => undefined);
    return lane;
  }

  /**
   * Within a transaction that has locked the transfer and its lane. Answers the transfer as it is then stored, and what was signed:
   * null when the lane is full and the transfer waits in its queue, behind those confirmed before it. `ordinal` says how
   * many attempts there are already.
   * Throws `InsufficientFunds` and `BelowRentMinimum` when the lane's open transfers leave too little.
   */
  async execute(
    { transfer, now }: TimedTransfer,
    lane: Lane,
    { prepared, nonces, signer }: Terms,
    ordinal: number,
  ): Promise<{ transfer: Transfer; attempt: SignedAttempt | null }> {
    const { id, network } = transfer;
    assertCovered(transfer.payment(), prepared, lane.reserved);
    if (isFull(lane)) {
      if (transfer.stage === 'queued') return { transfer, attempt: null };
      const queued = transfer.queue(now);
      if (transfer.status !== 'pending') await this.events.publish(TransferEvent.of(queued));
      this.transfers.store(queued);
      return { transfer: queued, attempt: null };
    }
    const attempt = prepared.sign(signer, nonceFor(lane, nonces));
    if (attempt.network !== network || attempt.maxFee > transfer.feeCap) {
      throw new Error(`What was signed for ${id} is not within its quote.`);
    }
    const signed = transfer.sign(attempt.hash, now);
    if (transfer.status !== 'pending') await this.events.publish(TransferEvent.of(signed));
    this.transfers.storeSigned(signed, attempt, ordinal);
    return { transfer: signed, attempt };
  }
}
