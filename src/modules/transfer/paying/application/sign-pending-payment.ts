import { Injectable } from '@nestjs/common';
import {
  BelowRentMinimum,
  ChainUnavailable,
  DataFeesTooHigh,
  FeesAboveQuote,
  HistoryTooLong,
  InsufficientFunds,
  isShortage,
  NetworkChanged,
  PaymentRefusedByChain,
  FeeTooHigh,
} from '../../../../kernel/chain/chain.errors.js';
import { UserInactive } from '../../../identity/index.js';
import { POLICY_REFUSALS, TooManyApprovals } from '../../../policy/index.js';
import { SenderQueueRepository } from '../../transfer/domain/sender-queue.repository.js';
import { isUnchanged } from '../../transfer/domain/transfer.repository.js';
import {
  frozenReason,
  type PendingPayment,
  type Step,
  unlessPostponed,
} from '../../transfer/application/pending-payment.js';
import { ReconcileQueue } from '../../reconciling/application/reconcile-queue.js';
import { confirmationOf, type SignedPayment, SignPayment } from './sign-payment.js';
import { UpdateTransfer } from './settle-transfer.js';

const BEHIND = { stuckReason: 'books_behind_chain' } as const;

/** These end a transfer if nothing that the chain can carry out is signed for it. */
const FINAL_REFUSALS = [
  InsufficientFunds,
  BelowRentMinimum,
  PaymentRefusedByChain,
  FeesAboveQuote,
  DataFeesTooHigh,
  NetworkChanged,
  TooManyApprovals,
  ...POLICY_REFUSALS,
];

/** A remembered policy is at most half as old. A policy read after this time is not older than the one that allowed the confirmation. */
const POLICY_SETTLES_MS = 1_000;

@Injectable()
export class SignPendingPayment {
  constructor(
    private readonly queues: SenderQueueRepository,
    private readonly signPayment: SignPayment,
    private readonly reconcileQueue: ReconcileQueue,
    private readonly updateTransfer: UpdateTransfer,
  ) {}

  async execute(payment: PendingPayment): Promise<Step> {
    const { transfer, attempts, chain, now } = payment;
    // Read before the balances, so that every transfer they do not include yet is among these.
    const unmined = await this.queues.unminedTransfers(transfer.senderQueue());
    if (transfer.stage === 'queued' && !unmined.includes(transfer.id)) return { transfer };
    const [first = transfer.id] = unmined;
    try {
      // Before anything is concluded from the balance: a payment that was forgotten has left it.
      const reasonHeld = await this.reconcileQueue.reasonHeld(transfer);
      if (reasonHeld) return { transfer, stuckReason: reasonHeld };
      // With a cancel request the next observation cancels it, after it has proven again that nothing signed can be carried out.
      const payments = await this.signPayment.execute({
        transfers: [transfer],
        chain,
        earlier: attempts,
        confirmation: confirmationOf(transfer),
        isBatch: false,
        maySign: ([locked]) =>
          isUnchanged(locked!, payment, attempts.length) && locked!.transfer.cancelRequestedAt === null,
      });
      if (!payments) return { transfer };
      const [signed] = payments as [SignedPayment];
      if (signed.attempt) await chain.send(signed.attempt);
      return { transfer: signed.transfer, ...(signed.isHeld && BEHIND) };
    } catch (error) {
      if (error instanceof HistoryTooLong) throw error;
      // While the node is unavailable nothing is compared, and a queue that is not current stays held.
      if (error instanceof ChainUnavailable)
        return { transfer, ...(!(await this.reconcileQueue.isCurrent(transfer)) && BEHIND) };
      // It waits: a reactivation lets it go on, and the app may cancel it.
      if (error instanceof UserInactive) return { transfer, stuckReason: 'user_inactive' };
      const frozen = frozenReason(error);
      if (frozen) return { transfer, stuckReason: frozen };
      if (error instanceof FeeTooHigh && !(error instanceof DataFeesTooHigh))
        return { transfer, stuckReason: 'fee_above_ceiling' };
      const refusal = FINAL_REFUSALS.find((Refusal) => error instanceof Refusal);
      if (!refusal) throw error;
      // Payments before it that are not recorded as mined count twice until they are, and unused reservations come back. So does a
      // self-transfer, until a later nonce is recorded as mined in a block of the balances.
      if (
        isShortage(error) &&
        (first !== transfer.id || (await this.queues.hasRecentSelfTransfers(transfer.senderQueue())))
      )
        return { transfer };
      // The policy may have been loosened before the confirmation, and this process may still remember the stricter one.
      const isRefusedByPolicy = POLICY_REFUSALS.some((Refusal) => error instanceof Refusal);
      if (isRefusedByPolicy && now.getTime() - transfer.confirmedAt!.getTime() < POLICY_SETTLES_MS) return { transfer };
      const isUnpaid = await unlessPostponed(this.isUnpaid(payment, error));
      if (isUnpaid === null) return { transfer };
      if (!isUnpaid) return { transfer, ...BEHIND };
      const failure = { retrySafe: true, fee: 0n };
      return {
        transfer: await this.updateTransfer.execute(payment, (current, now) =>
          current.fail(refusal.code, failure, now),
        ),
      };
    }
  }

  /** On another network the chain shows nothing of it. */
  private isUnpaid({ transfer, attempts }: PendingPayment, refusal: unknown): Promise<boolean> {
    if (refusal instanceof NetworkChanged) return this.reconcileQueue.isCurrent(transfer);
    return this.reconcileQueue.isUnpaid(transfer, attempts);
  }
}
