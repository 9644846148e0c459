import { Injectable } from '@nestjs/common';
import type { AppId, TransferId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/outbox.js';
import { Transactions } from '../../../kernel/transactions.js';
import { FeeTooHigh } from '../../../kernel/fee-too-high.js';
import { FeeLimitExceeded } from '../../apps/index.js';
import { WalletsFacade } from '../../wallet/index.js';
import { type Attempt, mayBeSignedAnew } from '../domain/attempt.js';
import { type Chain, Chains } from '../../../kernel/chain/chain.js';
import type { PaymentStatus, StuckReason } from '../../../kernel/chain/payment-status.js';
import {
  BelowRentMinimum,
  ChainUnavailable,
  FeesAboveQuote,
  InsufficientFunds,
  isShortage,
  NetworkChanged,
  PaymentRefusedByChain,
} from '../../../kernel/chain/chain.errors.js';
import { LANE_CAPACITY, type SenderQueueId } from '../domain/sender-queue.js';
import { SenderQueueRepository } from '../domain/sender-queue.repository.js';
import type { Transfer } from '../domain/transfer.js';
import { TransferNotFound } from '../domain/transfer.errors.js';
import { TransferEvent } from '../domain/transfer.events.js';
import { type TimedTransfer, TransferRepository } from '../domain/transfer.repository.js';
import { TransferSettings } from '../domain/transfer-settings.js';
import { SenderQueueWaits } from './sender-queue-turns.js';
import { ReplacePayment } from './replace-payment.js';
import { SignPayment } from './sign-payment.js';

/** A refusal to sign what was never signed, or anew what is proven to be dead: the transfer ends by it. */
const FINAL_REFUSALS = [InsufficientFunds, BelowRentMinimum, PaymentRefusedByChain, FeesAboveQuote, NetworkChanged];
/** How many times longer a payment in a block may take until that is final, before it counts as stuck. */
const PATIENCE_WITH_FINALITY = 4;

/** One look at a pending transfer, and what follows from it. Any process may look at any time, several at once too. */
@Injectable()
export class TrackTransfer {
  constructor(
    private readonly transfers: TransferRepository,
    private readonly lanes: SenderQueueRepository,
    private readonly chains: Chains,
    private readonly wallets: WalletsFacade,
    private readonly transactions: Transactions,
    private readonly turns: SenderQueueWaits,
    private readonly events: DomainEvents,
    private readonly signPayment: SignPayment,
    private readonly replacePayment: ReplacePayment,
    private readonly settings: TransferSettings,
  ) {}

  /** The transfer as it is afterwards. Throws `TransferNotFound`, `ChainNotConfigured`. */
  async execute(appId: AppId, id: TransferId): Promise<Transfer> {
    const seen = await this.transfers.find(appId, id);
    if (!seen) throw new TransferNotFound();
    if (seen.transfer.status !== 'pending') return seen.transfer;
    return this.look(seen, await this.transfers.attempts(appId, id));
  }

  /** As `execute`, at a pending transfer and its attempts as they were read or stored just now. */
  async look(seen: TimedTransfer, attempts: readonly Attempt[]): Promise<Transfer> {
    const chain = this.chains.named(seen.transfer.chain);
    // Of what was never signed nothing can be on its way.
    const { sourceAddress, proofProgress } = seen.transfer;
    const standing: PaymentStatus =
      attempts.length === 0 ? { is: 'dead' } : await chain.status(sourceAddress, attempts, proofProgress);
    if ('progress' in standing && standing.progress !== undefined) {
      await this.transfers.storeProgress(seen.transfer, standing.progress);
    }
    const { transfer: current, stuckReason } = await this.follow(seen, chain, attempts, standing);
    const reasonOf = (transfer: Transfer) => stuckReason ?? stuckReasonOf(transfer, standing);
    if (!this.isToBeMarked(current, reasonOf(current), seen.now)) return current;
    // Another process may have seen it move, or have marked it already.
    return this.change(seen, attempts.length, (locked, now) => {
      const reason = reasonOf(locked);
      return this.isToBeMarked(locked, reason, now) ? locked.markStuck(reason, now) : locked;
    });
  }

  /** Looks at what is under way in a lane, as far as anything can be. */
  async executeLine(lane: SenderQueueId): Promise<void> {
    const ids = await this.lanes.line(lane);
    await Promise.allSettled(ids.map((id) => this.execute(lane.appId, id)));
  }

  private async follow(
    seen: TimedTransfer,
    chain: Chain,
    attempts: readonly Attempt[],
    standing: PaymentStatus,
  ): Promise<Followed> {
    const { transfer } = seen;
    const change = async (next: Change) => ({ transfer: await this.change(seen, attempts.length, next) });
    switch (standing.is) {
      case 'unknown':
        return { transfer };
      case 'not_seen':
        return this.push(seen, chain, attempts, false);
      case 'submitted':
        return this.push(seen, chain, attempts, true, standing.hash);
      case 'mined':
        if (transfer.isMinedAs(standing)) return { transfer };
        return change((current, now) => current.mine(standing, now));
      case 'final': {
        const { kind } = attempts.find(({ hash }) => hash === standing.hash)!;
        return change((current, now) => ended(current, kind, standing, now));
      }
      case 'dead':
        if (mayBeSignedAnew(attempts)) {
          if (transfer.cancelRequestedAt === null) return this.signAnew(seen, chain, attempts);
          return change((current, now) => current.cancel(now, true));
        }
        // Another transaction of the wallet, made elsewhere, has used up the nonce.
        return change((current, now) =>
          current.fail('nonce_used_elsewhere', { retrySafe: true, fee: 0n, usedBy: standing.usedBy }, now),
        );
    }
  }

  /** Not in a block: it is sent again, made dearer when it has waited for long, and nonces missing before it are used up. */
  private async push(
    seen: TimedTransfer,
    chain: Chain,
    attempts: readonly Attempt[],
    isHeld: boolean,
    hash = attempts.at(-1)!.hash,
  ): Promise<Followed> {
    const { transfer, now } = seen;
    const lane = transfer.lane();
    const current =
      transfer.stage === 'mined' || (isHeld && (transfer.stage !== 'submitted' || transfer.hash !== hash))
        ? await this.change(seen, attempts.length, (current, at) => current.submit(hash, at))
        : transfer;
    if (current.status !== 'pending') return { transfer: current };
    if (!isHeld && transfer.cancelRequestedAt === null) await this.resend(chain, attempts);
    if (!this.isOverdue(attempts, now) || (await this.lanes.line(lane))[0] !== transfer.id)
      return { transfer: current };
    try {
      // While a nonce before it is missing, higher fees are of no use.
      const hasGap = await this.closeGap(lane, seen, chain);
      if (!hasGap) await this.bump(seen, chain, attempts);
      return { transfer: current };
    } catch (error) {
      if (error instanceof FeeTooHigh || error instanceof FeeLimitExceeded) return waitingForFees(current);
      throw error;
    }
  }

  /**
   * The newest bytes, and if no node takes them those before: whichever gets into a block, it does the same. A payment that
   * is to be cancelled is not sent any more, though what is out already may still come first.
   */
  private async resend(chain: Chain, attempts: readonly Attempt[]): Promise<void> {
    const kind = attempts.at(-1)?.kind;
    for (const attempt of attempts.toReversed()) {
      if (attempt.kind === kind && (await chain.send(attempt)).accepted) return;
    }
  }

  private async bump({ transfer }: TimedTransfer, chain: Chain, attempts: readonly Attempt[]): Promise<void> {
    const { kind } = attempts.at(-1)!;
    const signed = await unlessPostponed(this.replacePayment.execute(transfer, chain, attempts, kind));
    if (signed) await chain.send(signed);
  }

  /**
   * A head whose nonce is above what the chain counts waits for nonces nobody holds: of a transaction made elsewhere that
   * nodes have dropped, or of one the chain took back after it was final. A payment the chain took back is sent again; else
   * a transaction of nothing uses the nonce up. Answers whether there was such a gap.
   */
  private async closeGap(lane: SenderQueueId, seen: TimedTransfer, chain: Chain): Promise<boolean> {
    const nonces = await unlessPostponed(chain.nonces(lane.address));
    const [head] = await this.transfers.attempts(lane.appId, seen.transfer.id);
    if (!nonces || head?.nonce === null || head?.nonce === undefined) return false;
    const end = Math.min(head.nonce, nonces.latest + LANE_CAPACITY);
    for (let nonce = nonces.latest; nonce < end; nonce++) {
      const known = await this.lanes.attemptsAt(lane, nonce);
      if (await this.arePaid(lane.appId, known)) await this.resend(chain, known.filter(isPayment));
      else await this.useUp(lane, nonce, known, seen, chain);
    }
    return nonces.latest < head.nonce;
  }

  /** Whether these are attempts of a payment that was made or is owed. Those of one that failed must not be carried out any more. */
  private async arePaid(appId: AppId, attempts: readonly Attempt[]): Promise<boolean> {
    const id = attempts.find(({ transferId }) => transferId !== null)?.transferId;
    const status = id && (await this.transfers.find(appId, id))?.transfer.status;
    return status === 'pending' || status === 'completed';
  }

  /** Takes a nonce by a transaction of nothing: the one there is, or a dearer one when that has waited for long. */
  private async useUp(
    lane: SenderQueueId,
    nonce: number,
    known: readonly Attempt[],
    { transfer, now }: TimedTransfer,
    chain: Chain,
  ): Promise<void> {
    const cancellations = known.filter((attempt) => !isPayment(attempt));
    await this.resend(chain, cancellations);
    if (cancellations.length > 0 && !this.isOverdue(cancellations, now)) return;
    const signable = await unlessPostponed(chain.prepareCancellation(lane.address, known, transfer.cancellationCap()));
    if (!signable) return;
    const signed = await this.transactions.runSigning(async () => {
      await this.lanes.lock(lane, transfer, 0);
      if ((await this.lanes.attemptsAt(lane, nonce)).length !== known.length) return null;
      const { signer } = await this.wallets.paying(lane.appId, transfer.source, transfer.userId);
      const attempt = signable.sign(signer, nonce);
      this.lanes.storeCancellation(lane, attempt, known.length);
      return attempt;
    });
    if (signed) await chain.send(signed);
  }

  /** For the first time out of the queue, or after proof that nothing signed before can be carried out any more. */
  private async signAnew(seen: TimedTransfer, chain: Chain, attempts: readonly Attempt[]): Promise<Followed> {
    const { transfer } = seen;
    // Before the balances are asked for, so that whatever is under way then is known to be.
    const line = await this.lanes.line(transfer.lane());
    if (transfer.stage === 'queued' && !line.includes(transfer.id)) return { transfer };
    const [first = transfer.id] = line;
    try {
      const terms = await this.signPayment.terms(seen, chain, attempts);
      const signed = await this.turns.run(transfer.lane(), async () => {
        const locking = this.transfers.lockUnchanged(transfer, attempts.length);
        const place = this.signPayment.lockPlace(transfer, terms);
        const locked = await locking;
        // Cancelled at the next look, which proves again that nothing signed can be carried out.
        if (locked?.transfer.cancelRequestedAt !== null) return null;
        return this.signPayment.execute(locked, await place, terms, attempts.length);
      });
      if (!signed) return { transfer };
      if (signed.attempt) await chain.send(signed.attempt);
      return { transfer: signed.transfer };
    } catch (error) {
      if (error instanceof ChainUnavailable) return { transfer };
      if (error instanceof FeeTooHigh) return waitingForFees(transfer);
      const refusal = FINAL_REFUSALS.find((Refusal) => error instanceof Refusal);
      if (!refusal) throw error;
      // What others of the lane have paid counts twice until that is noted, and what they need not pay comes back.
      if (first !== transfer.id && isShortage(error)) return { transfer };
      const fail: Change = (current, now) => current.fail(refusal.code, { retrySafe: true, fee: 0n }, now);
      return { transfer: await this.change(seen, attempts.length, fail) };
    }
  }

  /** Whether the last of these attempts has waited for so long that a dearer one is due. */
  private isOverdue(attempts: readonly Attempt[], now: Date): boolean {
    return now.getTime() - attempts.at(-1)!.createdAt.getTime() >= this.settings.bumpAfterSeconds * 1000;
  }

  /** Whether it has been pending for too long and is not marked as stuck for this reason. */
  private isToBeMarked(transfer: Transfer, reason: StuckReason, now: Date): boolean {
    const { status, stage, confirmedAt, updatedAt, stuckSince } = transfer;
    if (status !== 'pending' || confirmedAt === null) return false;
    if (stuckSince !== null) return transfer.stuckReason !== reason;
    const { stuckAfterSeconds: seconds } = this.settings;
    if (stage === 'mined' && reason === 'not_final')
      return now.getTime() - updatedAt.getTime() >= seconds * 1000 * PATIENCE_WITH_FINALITY;
    return now.getTime() - confirmedAt.getTime() >= seconds * 1000;
  }

  /** Stores what was found out, unless the transfer or its attempts are no longer those it was found out about. */
  private change({ transfer }: TimedTransfer, attempts: number, next: Change): Promise<Transfer> {
    return this.transactions.runSigning(async () => {
      const locked = await this.transfers.lockUnchanged(transfer, attempts);
      if (!locked) return transfer;
      const changed = next(locked.transfer, locked.now);
      if (changed.status !== 'pending') await this.events.publish(TransferEvent.of(changed));
      else if (changed.stuckSince !== null && locked.transfer.stuckSince === null)
        await this.events.publish(TransferEvent.stuck(changed));
      this.transfers.store(changed);
      return changed;
    });
  }
}

function isPayment({ kind }: Attempt): boolean {
  return kind === 'payment';
}

type Change = (transfer: Transfer, now: Date) => Transfer;

/** A transfer after a look, and what stands in its way where the chain does not say it. */
interface Followed {
  readonly transfer: Transfer;
  readonly stuckReason?: StuckReason;
}

function waitingForFees(transfer: Transfer): Followed {
  return { transfer, stuckReason: 'fee_above_ceiling' };
}

/** What a pending transfer is stuck for, if it is. */
function stuckReasonOf({ stage }: Transfer, standing: PaymentStatus): StuckReason {
  if ('stuckReason' in standing && standing.stuckReason !== undefined) return standing.stuckReason;
  if (stage === 'queued') return 'waits_in_queue';
  return stage === 'mined' ? 'not_final' : 'not_in_a_block';
}

function ended(
  transfer: Transfer,
  kind: Attempt['kind'],
  final: Extract<PaymentStatus, { is: 'final' }>,
  now: Date,
): Transfer {
  const { outcome, fee } = final;
  // Whatever became of it by itself, the nonce of the payment is gone.
  if (kind === 'cancellation') {
    return transfer.fail('replaced_by_cancellation', { retrySafe: true, fee, mined: final }, now);
  }
  switch (outcome) {
    case 'success':
      return transfer.complete(final, now);
    case 'reverted':
      return transfer.fail('reverted', { retrySafe: true, fee, mined: final }, now);
    case 'diverged':
      return transfer.fail('diverged', { retrySafe: false, fee, mined: final }, now);
  }
}

/** What the node or the balance does not allow now waits for the next look. */
async function unlessPostponed<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ChainUnavailable || error instanceof InsufficientFunds) return null;
    throw error;
  }
}
