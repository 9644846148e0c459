import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../kernel/outbox.js';
import { type PaymentSigner, WalletsFacade } from '../../wallet/index.js';
import type { Attempt } from '../domain/attempt.js';
import type { Chain, Nonces } from '../../../kernel/chain/chain.js';
import { assertCovered, type PreparedPayment } from '../../../kernel/chain/payment.js';
import { NetworkChanged } from '../../../kernel/chain/chain.errors.js';
import { isFull, type SenderQueue, nonceFor } from '../domain/sender-queue.js';
import { SenderQueueRepository } from '../domain/sender-queue.repository.js';
import type { Transfer } from '../domain/transfer.js';
import { TransferEvent } from '../domain/transfer.events.js';
import { type TimedTransfer, TransferRepository } from '../domain/transfer.repository.js';

/** What the chain says to a payment, asked for before any lock. */
export interface Terms {
  readonly prepared: PreparedPayment;
  readonly nonces: Nonces | null;
}

/** What a payment is signed by, and with which nonce, while the lock is held. */
export interface Place {
  readonly lane: SenderQueue;
  readonly signer: PaymentSigner;
}

/** Puts a payment into its wallet's lane: covered, numbered, signed and stored, or nothing of it. */
@Injectable()
export class SignPayment {
  constructor(
    private readonly transfers: TransferRepository,
    private readonly lanes: SenderQueueRepository,
    private readonly wallets: WalletsFacade,
    private readonly events: DomainEvents,
  ) {}

  /** Asks the chain within the quote. Throws what `Chain.prepare` throws, and `NetworkChanged`. */
  async terms({ transfer }: TimedTransfer, chain: Chain, earlier: readonly Attempt[] = []): Promise<Terms> {
    const [network, prepared, nonces] = await Promise.all([
      chain.network(),
      chain.prepare(transfer.payment(), transfer.feeCap, earlier),
      chain.nonces(transfer.sourceAddress),
    ]);
    if (network !== transfer.network) throw new NetworkChanged(transfer.network, network);
    return { prepared, nonces };
  }

  /**
   * Locks the transfer's lane. Called in one turn with locking the transfer, and after it, so that both go out together.
   * Throws `AppNotFound`, `WalletNotFound`, `WalletNotOwnedByUser` and `WalletReadOnly`, which concerns only who gets the
   * transfer: nobody else need wait for it.
   */
  lockPlace(transfer: Transfer, { prepared }: Terms): Promise<Place> {
    const { appId, source, userId } = transfer;
    const place = Promise.all([
      this.lanes.lock(transfer.lane(), transfer, prepared.balancesAt),
      this.wallets.paying(appId, source, userId),
    ]).then(([lane, { signer }]) => ({ lane, signer }));
    place.catch(() => undefined);
    return place;
  }

  /**
   * Within a transaction that has locked the transfer and its lane. Answers the transfer as it is then stored, and what was signed:
   * null when the lane is full and the transfer waits in its queue, behind those confirmed before it. `ordinal` says how
   * many attempts there are already.
   * Throws `InsufficientFunds` and `BelowRentMinimum` when the lane's open transfers leave too little.
   */
  async execute(
    { transfer, now }: TimedTransfer,
    { lane, signer }: Place,
    { prepared, nonces }: Terms,
    ordinal: number,
  ): Promise<{ transfer: Transfer; attempt: Attempt | null }> {
    const { id, network } = transfer;
    assertCovered(transfer.payment(), prepared, lane.reserved);
    if (isFull(lane)) {
      if (transfer.stage === 'queued') return { transfer, attempt: null };
      const queued = transfer.queue(now);
      if (transfer.status !== 'pending') await this.events.publish(TransferEvent.of(queued));
      this.transfers.store(queued);
      return { transfer: queued, attempt: null };
    }
    const bytes = prepared.sign(signer, nonceFor(lane, nonces));
    if (bytes.network !== network || bytes.maxFee > transfer.feeCap) {
      throw new Error(`What was signed for ${id} is not within its quote.`);
    }
    const signed = transfer.sign(bytes.hash, now);
    if (transfer.status !== 'pending') await this.events.publish(TransferEvent.of(signed));
    return { transfer: signed, attempt: this.transfers.storeSigned(signed, bytes, ordinal) };
  }
}
