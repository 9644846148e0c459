import { Injectable } from '@nestjs/common';
import { Chains } from '../../../../kernel/chain/chain.js';
import type { PaymentStatus, StuckReason } from '../../../../kernel/chain/payment.js';
import {
  BooksBehindChain,
  ChainUnavailable,
  FeeTooHigh,
  HistoryTooLong,
  isShortage,
} from '../../../../kernel/chain/chain.errors.js';
import type { ChainName } from '../../../../kernel/chain/chain-name.js';
import { NodeCalls } from '../../../../kernel/chain/node-calls.js';
import type { AppId, TransferId } from '../../../../kernel/ids.js';
import { SharedRuns } from '../../../../kernel/shared-runs.js';
import { FeeLimitExceeded, Gate, POLICY_REFUSALS } from '../../../policy/index.js';
import { type TimedTransfer, TransferRepository } from '../../transfer/domain/transfer.repository.js';
import { type Attempt, isOverdue, maySignAgain, type Transfer } from '../../transfer/domain/transfer.js';
import { keyOf, type SenderQueueId } from '../../transfer/domain/sender-queue.js';
import { SenderQueueRepository } from '../../transfer/domain/sender-queue.repository.js';
import { TransferNotFound } from '../../transfer/domain/transfer.errors.js';
import { TrackingRepository } from '../domain/tracking.repository.js';
import { TransferSettings } from '../../transfer/domain/transfer-settings.js';
import { CloseNonceGap, type NonceGap } from '../../paying/application/close-nonce-gap.js';
import { MarkStuck, SettleTransfer, UpdateTransfer } from '../../paying/application/settle-transfer.js';
import {
  frozenReason,
  type PendingPayment,
  type Step,
  unlessPostponed,
  rebroadcast,
} from '../../transfer/application/pending-payment.js';
import { ReconcileQueue } from '../../reconciling/application/reconcile-queue.js';
import { ReplacePayment } from '../../paying/application/replace-payment.js';
import { SignPendingPayment } from '../../paying/application/sign-pending-payment.js';

type Observed<Is extends PaymentStatus['is']> = Extract<PaymentStatus, { is: Is }>;

const STUCK_BY_GAP: Readonly<Record<NonceGap, StuckReason | null>> = {
  none: null,
  being_closed: null,
  used: null,
  too_wide: 'nodes_disagree',
  another_chain: 'another_chain',
  books_behind_chain: 'books_behind_chain',
};

/** What a refused replacement makes of the payment. With null it goes on: a signed attempt may be carried out at any time. */
const STUCK_BY_ERROR: readonly (readonly [abstract new (...args: never[]) => Error, StuckReason | null])[] = [
  [FeeTooHigh, 'fee_above_ceiling'],
  [FeeLimitExceeded, 'fee_above_ceiling'],
  [BooksBehindChain, 'books_behind_chain'],
  [ChainUnavailable, null],
  ...POLICY_REFUSALS.map((Refusal) => [Refusal, null] as const),
];

function stepOf(transfer: Transfer, stuckReason: StuckReason | null): Step {
  return { transfer, ...(stuckReason && { stuckReason }) };
}

/** One observation of a pending transfer and the next step. Any process may do this at any time, several at once too. */
@Injectable()
export class TrackTransfer {
  constructor(
    private readonly transfers: TransferRepository,
    private readonly queues: SenderQueueRepository,
    private readonly chains: Chains,
    private readonly tracking: TrackingRepository,
    private readonly updateTransfer: UpdateTransfer,
    private readonly settleTransfer: SettleTransfer,
    private readonly signPendingPayment: SignPendingPayment,
    private readonly closeNonceGap: CloseNonceGap,
    private readonly replacePayment: ReplacePayment,
    private readonly markStuck: MarkStuck,
    private readonly reconcileQueue: ReconcileQueue,
    private readonly settings: TransferSettings,
    private readonly gate: Gate,
  ) {}

  /** The transfer has ended only if the chain proves its end, or that nothing signed for it can be carried out. */
  async execute(appId: AppId, id: TransferId): Promise<Transfer> {
    const seen = await this.transfers.find(appId, id);
    if (!seen) throw new TransferNotFound();
    if (seen.transfer.status !== 'pending') return seen.transfer;
    return this.track(seen, await this.transfers.attempts(appId, id));
  }

  async executeQueue(queue: SenderQueueId): Promise<void> {
    const ids = await this.queues.unminedTransfers(queue);
    await Promise.allSettled(ids.map((id) => this.execute(queue.appId, id)));
  }

  /** The transfer and its attempts were just read or stored. */
  async track(seen: TimedTransfer, attempts: readonly Attempt[]): Promise<Transfer> {
    const payment = { ...seen, attempts, chain: this.chains.named(seen.transfer.chain) };
    let status: PaymentStatus = { is: 'unknown', reason: 'It was not observed.' };
    let step: Step;
    let hasAdvanced = false;
    try {
      status = await this.observe(payment);
      step = await this.advance(payment, status).catch((error: unknown): Step => {
        if (!(error instanceof HistoryTooLong)) throw error;
        hasAdvanced = error.hasAdvanced;
        return { transfer: seen.transfer, stuckReason: 'history_too_long' };
      });
    } catch (error) {
      // An error that lasts, such as a key that does not open, must not prevent the mark that allows a cancellation.
      await this.markStuck.execute(payment, { transfer: seen.transfer }, status).catch(() => undefined);
      throw error;
    }
    const tracked = await this.markStuck.execute(payment, step, status);
    if (hasAdvanced) await this.tracking.makeDue(tracked);
    return tracked;
  }

  /** Also stores how far the proof of its end has come. */
  private async observe({ transfer, attempts, chain }: PendingPayment): Promise<PaymentStatus> {
    // The chain has nothing to carry out as long as there are no signed bytes.
    if (attempts.length === 0) return { is: 'dead' };
    const status = await chain.status(transfer.sourceAddress, attempts, transfer.proofProgress);
    if ('progress' in status && status.progress !== undefined) {
      await this.tracking.storeProgress(transfer, status.progress);
    }
    return status;
  }

  private async advance(payment: PendingPayment, status: PaymentStatus): Promise<Step> {
    const { transfer, attempts } = payment;
    switch (status.is) {
      case 'unknown':
        return { transfer };
      case 'not_seen':
      case 'submitted':
        return this.advanceUnmined(payment, status);
      case 'mined':
        return { transfer: await this.recordMined(payment, status) };
      case 'dead':
        if (maySignAgain(attempts) && transfer.cancelRequestedAt === null) {
          return this.settings.onlyObserves ? { transfer } : this.signPendingPayment.execute(payment);
        }
        return this.settleTransfer.execute(payment, status);
      case 'final':
        return this.settleTransfer.execute(payment, status);
    }
  }

  /**
   * Rebroadcasts the payment; when it is overdue at the head of its queue, closes a nonce gap or raises the fees. While its wallet is
   * frozen only a cancellation, which moves nothing, is sent again.
   */
  private async advanceUnmined(payment: PendingPayment, status: Observed<'not_seen' | 'submitted'>): Promise<Step> {
    const { transfer, attempts, chain, now } = payment;
    const current = await this.recordUnmined(payment, status);
    if (current.status !== 'pending' || this.settings.onlyObserves) return { transfer: current };
    const frozen = await this.gate.freezeOf(transfer.appId, { id: transfer.source, userId: transfer.userId });
    if (frozen && attempts.at(-1)!.kind === 'payment') return { transfer: current, stuckReason: frozenReason(frozen)! };
    if (status.is === 'not_seen' && transfer.cancelRequestedAt === null) await rebroadcast(chain, attempts);
    if (!isOverdue(attempts, now, this.settings.bumpAfterSeconds)) return { transfer: current };
    const [head] = await this.queues.unminedTransfers(transfer.senderQueue());
    if (head !== transfer.id) return { transfer: current };
    try {
      const reasonHeld = await this.reconcileQueue.reasonHeld(transfer);
      if (reasonHeld) return { transfer: current, stuckReason: reasonHeld };
      // While a nonce before it is missing, higher fees have no effect.
      const gap = await this.closeNonceGap.execute(payment, frozen !== null);
      if (gap === 'none') await this.replace(payment);
      return stepOf(current, STUCK_BY_GAP[gap]);
    } catch (error) {
      const reason = frozenReason(error) ?? STUCK_BY_ERROR.find(([Refusal]) => error instanceof Refusal)?.[1];
      if (reason === undefined || error instanceof HistoryTooLong) throw error;
      return stepOf(current, reason);
    }
  }

  private async recordMined(payment: PendingPayment, status: Observed<'mined'>): Promise<Transfer> {
    const { transfer, attempts } = payment;
    const { kind } = attempts.find(({ hash }) => hash === status.hash)!;
    const isPaid = kind === 'payment' && status.outcome === 'success';
    if (transfer.isMinedAs(status, isPaid) || (!isPaid && (await this.isStillMined(payment)))) return transfer;
    return this.record(payment, (current, now) => current.mine(status, isPaid, now));
  }

  /** Stores only news: the chain has lost its block, or the nodes hold another attempt. */
  private async recordUnmined(payment: PendingPayment, status: Observed<'not_seen' | 'submitted'>): Promise<Transfer> {
    const { transfer, attempts } = payment;
    const hash = status.is === 'submitted' ? status.hash : attempts.at(-1)!.hash;
    const isNews = status.is === 'submitted' && (transfer.stage !== 'submitted' || transfer.hash !== hash);
    if (transfer.stage === 'mined' ? await this.isStillMined(payment) : !isNews) return transfer;
    return this.record(payment, (current, now) => current.submit(hash, now));
  }

  /** An endpoint that lags, or one that is wrong among several, does not take a transaction out of its block. */
  private async isStillMined({ transfer, chain }: PendingPayment): Promise<boolean> {
    const block = transfer.currentBlock();
    return block !== null && !(await chain.hasLost(transfer.hash!, block));
  }

  /** If two processes observe it at the same time, the slower one must not take back the newer observation. */
  private record(payment: PendingPayment, transition: (transfer: Transfer, now: Date) => Transfer): Promise<Transfer> {
    const readAt = payment.transfer.updatedAt.getTime();
    return this.updateTransfer.execute(payment, (current, now) =>
      current.updatedAt.getTime() === readAt ? transition(current, now) : current,
    );
  }

  private async replace(payment: PendingPayment): Promise<void> {
    const { chain, attempts } = payment;
    const { kind } = attempts.at(-1)!;
    const signed = await unlessPostponed(this.replacePayment.execute(payment, chain, attempts, kind));
    if (signed) await chain.send(signed);
  }
}

/** A payment that has left the balance but is not recorded as mined counts twice. So a call that needs the balance observes first. */
@Injectable()
export class ObserveQueue {
  private readonly observations = new SharedRuns();

  constructor(
    private readonly trackTransfer: TrackTransfer,
    private readonly nodeCalls: NodeCalls,
  ) {}

  /** Takes its slot before it begins; no step of it waits for another slot. */
  async execute(queue: SenderQueueId, chain: ChainName): Promise<void> {
    await this.observations.follow(keyOf(queue), () =>
      this.nodeCalls.run(chain, queue.appId, () => this.trackTransfer.executeQueue(queue)),
    );
  }

  /** Calls `pay` once more after an observation if the balance is too low. */
  async unlessShort<T>(transfer: Transfer, pay: () => Promise<T>): Promise<T> {
    try {
      return await pay();
    } catch (error) {
      if (!isShortage(error)) throw error;
      await this.execute(transfer.senderQueue(), transfer.chain);
      return pay();
    }
  }
}
