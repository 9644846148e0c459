import { Injectable } from '@nestjs/common';
import type { Chain, Nonces } from '../../../kernel/chain/chain.js';
import { NetworkChanged } from '../../../kernel/chain/chain.errors.js';
import type { Ask } from '../../../kernel/chain/node-calls.js';
import type { PreparedPayment } from '../../../kernel/chain/payment.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { type Decided, Gate, type SigningRequest } from '../../policy/index.js';
import { type PayingWallet, WalletsFacade } from '../../wallet/index.js';
import type { Attempt } from '../domain/attempt.js';
import { isAhead } from '../domain/books.js';
import { assertCovered, isFull, nonceFor, NoncesDoubted } from '../domain/sender-queue.js';
import type { Transfer } from '../domain/transfer.js';
import { TransferEvent } from '../domain/transfer.events.js';
import {
  type LockedForSigning,
  type LockedTransfer,
  TransferStateRepository,
} from '../domain/transfer-state.repository.js';
import { SenderQueueLimiter } from './sender-queue-limiter.js';

/** A transfer as it was stored under the lock. */
export interface SignedPayment {
  readonly transfer: Transfer;
  /** To be sent; null when the sender queue is full or held and the transfer waits in it, and when it awaits an approval or has ended. */
  readonly attempt: Attempt | null;
  /** Whether the sender queue is held until its books are compared with the chain. */
  readonly isHeld: boolean;
  readonly now: Date;
}

/** The call that confirms a transfer. */
export interface Confirmation {
  /** The id of the app's key that it comes with; null if it is not known. */
  readonly keyId: string | null;
  /** Whether it names the owner of the source, or the call that made the transfer did. */
  readonly namesUser: boolean;
}

/** The confirmation that a stored transfer had. */
export function confirmationOf({ confirmedBy, namesUser }: Transfer): Confirmation {
  return { keyId: confirmedBy, namesUser };
}

/** The chain's terms for a payment, read before any lock. */
interface Terms {
  readonly prepared: PreparedPayment;
  readonly nonces: Nonces | null;
  /** Whether the chain shows a payment for the transfer that is none of its attempts. */
  readonly isMade: boolean;
}

/** Signs a payment in its wallet's sender queue: covered, numbered, signed and stored in one transaction, or not at all. */
@Injectable()
export class SignPayment {
  constructor(
    private readonly transfers: TransferStateRepository,
    private readonly limiter: SenderQueueLimiter,
    private readonly wallets: WalletsFacade,
    private readonly gate: Gate,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Null when `maySign` returns false for the locked transfer: then nothing has changed, as after every error. `ask` runs the reads from
   * the chain, which are outside the transaction. Throws the errors of `ask`, `Chain.prepare`, `maySign` and `Gate`,
   * `NetworkChanged`, `AppNotFound`, `UserInactive`, `WalletNotFound`, `WalletNotOwnedByUser`, `WalletReadOnly`, and `InsufficientFunds` or
   * `BelowRentMinimum` when the queue's open transfers leave too little.
   */
  async execute(
    transfer: Transfer,
    chain: Chain,
    earlier: readonly Attempt[],
    confirmation: Confirmation,
    maySign: (locked: LockedTransfer) => boolean,
    ask: Ask = (reads) => reads(),
  ): Promise<SignedPayment | null> {
    const terms = await ask(() => termsOf(transfer, chain, earlier));
    try {
      return await this.executeOn(terms, transfer, chain, earlier, confirmation, maySign);
    } catch (error) {
      if (!(error instanceof NoncesDoubted)) throw error;
      const nonces = await ask(() => chain.nonces(transfer.sourceAddress, error.seen));
      return this.executeOn({ ...terms, nonces }, transfer, chain, earlier, confirmation, maySign);
    }
  }

  private executeOn(
    terms: Terms,
    transfer: Transfer,
    chain: Chain,
    earlier: readonly Attempt[],
    confirmation: Confirmation,
    maySign: (locked: LockedTransfer) => boolean,
  ): Promise<SignedPayment | null> {
    let isAgain = false;
    return this.limiter.run(transfer.senderQueue(), async () => {
      const pass = await this.gate.open(requestOf(transfer, chain, confirmation), isAgain);
      isAgain = true;
      const { locked, counted, wallet } = await this.transfers.lockForSigning(
        transfer,
        terms.prepared.balancesAt,
        () => this.gate.count(pass),
        () => this.wallets.holdPaying(transfer.appId, transfer.source, transfer.userId, pass),
      );
      if (!maySign(locked)) return null;
      wallet.assertMaySign();
      if (areBooksBehind(locked, wallet, terms)) {
        // It is judged when it is signed, on the word of the same key.
        const confirmed = locked.transfer.allow(confirmation, null);
        return this.waitForBooks({ ...locked, transfer: confirmed }, terms.nonces);
      }
      // It is decided when there is a place for it: the tracker tries until then.
      if (locked.transfer.stage === 'queued' && isFull(locked.queue))
        return { transfer: locked.transfer, attempt: null, isHeld: false, now: locked.now };
      const decided = await this.gate.decide(pass, counted);
      const transferDecided = locked.transfer.allow(confirmation, decided.decisionId);
      if (decided.end !== null || decided.awaits !== null) return this.withhold(transferDecided, locked.now, decided);
      const signed = await this.sign({ ...locked, transfer: transferDecided }, wallet, terms, earlier.length);
      if (signed.attempt) this.gate.useUp(pass, decided);
      return signed;
    });
  }

  private async sign(
    locked: LockedForSigning,
    wallet: PayingWallet,
    terms: Terms,
    ordinal: number,
  ): Promise<SignedPayment> {
    const { transfer, now, queue } = locked;
    const { prepared, nonces } = terms;
    assertCovered(transfer.payment(), prepared, queue.reserved);
    if (isFull(queue)) {
      const queued = transfer.queue(now);
      if (transfer.status !== 'pending') await this.events.publish(TransferEvent.of(queued));
      this.transfers.store(queued);
      return { transfer: queued, attempt: null, isHeld: false, now };
    }
    const bytes = prepared.sign(wallet.signer, nonceFor(queue, nonces));
    if (bytes.network !== transfer.network || bytes.maxFee > transfer.feeCap) {
      throw new Error(`The transaction signed for ${transfer.id} is not within its quote.`);
    }
    const signed = transfer.sign(bytes.hash, now);
    for (const event of TransferEvent.ofChange(transfer, signed)) await this.events.publish(event);
    // Every endpoint that responds says that the chain has nothing that the books lack.
    if (locked.books === 'unchecked') this.transfers.storeCompared(signed, locked.history);
    const attempt = this.transfers.storeSigned(signed, bytes, ordinal);
    return { transfer: signed, attempt, isHeld: false, now };
  }

  /** Nothing is signed: the payment must be approved first, or its approval has ended. */
  private async withhold(transfer: Transfer, now: Date, { awaits, end }: Decided): Promise<SignedPayment> {
    const withheld =
      end === 'expired'
        ? transfer.refuse('expired', 'approval_expired', now)
        : end !== null
          ? transfer.refuse('rejected', end, now)
          : transfer.awaitApproval(awaits!, now);
    await this.events.publish(TransferEvent.of(withheld));
    this.transfers.store(withheld);
    return { transfer: withheld, attempt: null, isHeld: false, now };
  }

  /** The payment waits in its queue, in which nothing is signed until `ReconcileQueue` has compared the books with the chain. */
  private async waitForBooks(
    { transfer, now, queue }: LockedForSigning,
    nonces: Nonces | null,
  ): Promise<SignedPayment> {
    const waiting = transfer.status === 'pending' ? transfer : transfer.queue(now);
    const held = waiting.markStuck('books_behind_chain', now);
    if (transfer.status !== 'pending') await this.events.publish(TransferEvent.of(waiting));
    if (transfer.stuckSince === null) await this.events.publish(TransferEvent.stuck(held));
    this.transfers.markQueueHeld(held, nonces && (queue.nextNonce ?? 0));
    this.transfers.store(held);
    return { transfer: held, attempt: null, isHeld: true, now };
  }
}

/**
 * Whether the database has lost transactions of the sender queue, or may have. The chain shows it by a payment that names the transfer, or
 * by nonces that the queue has not assigned, of a key that nothing else uses. Throws `NoncesDoubted` where one response does not suffice.
 */
function areBooksBehind(
  { books, queue }: LockedForSigning,
  { mayBeUsedElsewhere }: PayingWallet,
  { nonces, isMade }: Terms,
): boolean {
  if (isMade || books === 'behind') return true;
  // On a chain without nonces, nothing shows a transaction that the database forgot shortly after its signing, and that may still be
  // carried out.
  if (nonces === null) return books === 'unchecked';
  const isUnexplained = isAhead(nonces, queue.nextNonce) && (books === 'unchecked' || !mayBeUsedElsewhere);
  if ((isUnexplained || books === 'unchecked') && !nonces.areAgreed) throw new NoncesDoubted(nonces);
  return isUnexplained;
}

/** Asks the chain within the quote. */
async function termsOf(transfer: Transfer, chain: Chain, earlier: readonly Attempt[]): Promise<Terms> {
  const search = { since: transfer.createdAt, known: earlier.map(({ hash }) => hash) };
  const [network, prepared, nonces, isMade] = await Promise.all([
    chain.network(),
    chain.prepare(transfer.payment(), transfer.feeCap, earlier, transfer.dataFees()),
    chain.nonces(transfer.sourceAddress),
    // Where nothing was signed before, one endpoint is asked, and at the same time: its response may lag behind.
    chain.isMade(transfer.payment(), search, transfer.status === 'pending'),
  ]);
  if (network !== transfer.network) throw new NetworkChanged(transfer.network, network);
  return { prepared, nonces, isMade };
}

/** The request to use the wallet's key for a payment, which is judged at each signing. */
export function requestOf(
  transfer: Transfer,
  { native }: Pick<Chain, 'native'>,
  { keyId, namesUser }: Confirmation,
): SigningRequest {
  const { appId, id, source, userId, network, sourceAddress, approvalId } = transfer;
  const { asset, dest, amount } = transfer.payment();
  return {
    appId,
    wallet: { id: source, userId },
    keyId,
    namesUser,
    transferId: id,
    isTracked: transfer.status === 'pending',
    approvalId,
    use: {
      operation: 'transfer',
      asset,
      dest,
      amount,
      source: sourceAddress,
      network,
      fee: { asset: native, amount: transfer.feeCap },
    },
  };
}
