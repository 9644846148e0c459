import { Injectable } from '@nestjs/common';
import type { AppId, TransferId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/outbox.js';
import { Transactions } from '../../../kernel/transactions.js';
import { WalletsFacade } from '../../wallet/index.js';
import { type Attempt, mayBeSignedAnew } from '../domain/attempt.js';
import { type Chain, Chains, type Standing } from '../domain/chain.js';
import {
  BelowRentMinimum,
  ChainUnavailable,
  FeesAboveQuote,
  InsufficientFunds,
  isShortage,
  NetworkChanged,
  PaymentRefusedByChain,
} from '../domain/chain.errors.js';
import { LANE_CAPACITY, type LaneId } from '../domain/lane.js';
import { LaneRepository } from '../domain/lane.repository.js';
import type { Transfer } from '../domain/transfer.js';
import { TransferNotFound } from '../domain/transfer.errors.js';
import { TransferEvent } from '../domain/transfer.events.js';
import { type TimedTransfer, TransferRepository } from '../domain/transfer.repository.js';
import { TransferSettings } from '../domain/transfer-settings.js';
import { LaneTurns } from './lane-turns.js';
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
    private readonly lanes: LaneRepository,
    private readonly chains: Chains,
    private readonly wallets: WalletsFacade,
    private readonly transactions: Transactions,
    private readonly turns: LaneTurns,
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
    const standing: Standing =
      attempts.length === 0 ? { is: 'dead' } : await chain.status(seen.transfer.sourceAddress, attempts);
    const current = await this.follow(seen, chain, attempts, standing);
    if (!this.isStuck(current, seen.now)) return current;
    // Somebody else may have seen it move, or have told so already.
    return this.change(seen, attempts.length, (locked, now) =>
      this.isStuck(locked, now) ? locked.stick(now) : locked,
    );
  }

  /** Looks at what is under way in a lane, as far as anything can be. */
  async executeLine(lane: LaneId): Promise<void> {
    const ids = await this.lanes.line(lane);
    await Promise.allSettled(ids.map((id) => this.execute(lane.appId, id)));
  }

  private follow(
    seen: TimedTransfer,
    chain: Chain,
    attempts: readonly Attempt[],
    standing: Standing,
  ): Promise<Transfer> {
    const { transfer } = seen;
    const change = (next: Change) => this.change(seen, attempts.length, next);
    switch (standing.is) {
      case 'unknown':
        return Promise.resolve(transfer);
      case 'not_seen':
        return this.push(seen, chain, attempts, false);
      case 'submitted':
        return this.push(seen, chain, attempts, true, standing.hash);
      case 'mined':
        if (transfer.isMinedAs(standing)) return Promise.resolve(transfer);
        return change((current, now) => current.mine(standing, now));
      case 'final': {
        const { kind } = attempts.find(({ hash }) => hash === standing.hash)!;
        return change((current, now) => ended(current, kind, standing, now));
      }
      case 'dead':
        if (mayBeSignedAnew(attempts)) return this.signAnew(seen, chain, attempts);
        // Another transaction of the wallet, made elsewhere, has used up the nonce.
        return change((current, now) => current.fail('nonce_used_elsewhere', { retrySafe: true, fee: 0n }, now));
    }
  }

  /** Not in a block: it is sent again, made dearer when it has waited for long, and nonces missing before it are used up. */
  private async push(
    seen: TimedTransfer,
    chain: Chain,
    attempts: readonly Attempt[],
    isHeld: boolean,
    hash = attempts.at(-1)!.hash,
  ): Promise<Transfer> {
    const { transfer, now } = seen;
    const lane = transfer.lane();
    const current =
      transfer.stage === 'mined' || (isHeld && (transfer.stage !== 'submitted' || transfer.hash !== hash))
        ? await this.change(seen, attempts.length, (current, at) => current.submit(hash, at))
        : transfer;
    if (current.status !== 'pending') return current;
    if (!isHeld) await this.resend(chain, attempts);
    if (this.isOverdue(attempts, now) && (await this.lanes.line(lane))[0] === transfer.id) {
      // While a nonce before it is missing, higher fees are of no use.
      const hasGap = await this.closeGap(lane, seen, chain);
      if (!hasGap) await this.bump(seen, chain, attempts);
    }
    return current;
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
    const signed = await unlessAway(this.replacePayment.execute(transfer, chain, attempts, kind));
    if (signed) await chain.send(signed);
  }

  /**
   * A head whose nonce is above what the chain counts waits for nonces nobody holds: of a transaction made elsewhere that
   * nodes have dropped, or of one the chain took back after it was final. A payment the chain took back is sent again; else
   * a transaction of nothing uses the nonce up. Answers whether there was such a gap.
   */
  private async closeGap(lane: LaneId, seen: TimedTransfer, chain: Chain): Promise<boolean> {
    const nonces = await unlessAway(chain.nonces(lane.address));
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

  /** Whether these are attempts of a payment that was made. Those of one that failed must not come true any more. */
  private async arePaid(appId: AppId, attempts: readonly Attempt[]): Promise<boolean> {
    const id = attempts.find(({ transferId }) => transferId !== null)?.transferId;
    return id !== undefined && id !== null && (await this.transfers.find(appId, id))?.transfer.status !== 'failed';
  }

  /** Takes a nonce by a transaction of nothing: the one there is, or a dearer one when that has waited for long. */
  private async useUp(
    lane: LaneId,
    nonce: number,
    known: readonly Attempt[],
    { transfer, now }: TimedTransfer,
    chain: Chain,
  ): Promise<void> {
    const cancellations = known.filter((attempt) => !isPayment(attempt));
    await this.resend(chain, cancellations);
    if (cancellations.length > 0 && !this.isOverdue(cancellations, now)) return;
    // Dearer than the head may be it would be of no use, unless it has to be to come before a payment that failed.
    const cap = cancellations.length === known.length ? transfer.feeCap : undefined;
    const signable = await unlessAway(chain.prepareCancellation(lane.address, known, cap));
    if (!signable) return;
    const signed = await this.transactions.run(async () => {
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
  private async signAnew(seen: TimedTransfer, chain: Chain, attempts: readonly Attempt[]): Promise<Transfer> {
    const { transfer } = seen;
    // Before the balances are asked for, so that whatever is under way then is known to be.
    const line = await this.lanes.line(transfer.lane());
    if (transfer.stage === 'queued' && !line.includes(transfer.id)) return transfer;
    const [first = transfer.id] = line;
    try {
      const terms = await this.signPayment.terms(seen, chain);
      const signed = await this.turns.run(transfer.lane(), async () => {
        const locking = this.transfers.lockUnchanged(transfer, attempts.length);
        const place = this.signPayment.lockPlace(transfer, terms);
        const locked = await locking;
        return locked && this.signPayment.execute(locked, await place, terms, attempts.length);
      });
      if (!signed) return transfer;
      if (signed.attempt) await chain.send(signed.attempt);
      return signed.transfer;
    } catch (error) {
      if (error instanceof ChainUnavailable) return transfer;
      const refusal = FINAL_REFUSALS.find((Refusal) => error instanceof Refusal);
      if (!refusal) throw error;
      // What others of the lane have paid counts twice until that is noted, and what they need not pay comes back.
      if (first !== transfer.id && isShortage(error)) return transfer;
      return this.change(seen, attempts.length, (current, now) =>
        current.fail(refusal.code, { retrySafe: true, fee: 0n }, now),
      );
    }
  }

  /** Whether the last of these attempts has waited for so long that a dearer one is due. */
  private isOverdue(attempts: readonly Attempt[], now: Date): boolean {
    return now.getTime() - attempts.at(-1)!.createdAt.getTime() >= this.settings.bumpAfterSeconds * 1000;
  }

  private isStuck({ status, stage, confirmedAt, updatedAt, stuckSince }: Transfer, now: Date): boolean {
    if (status !== 'pending' || stuckSince !== null || confirmedAt === null) return false;
    const { stuckAfterSeconds: seconds } = this.settings;
    if (stage === 'mined') return now.getTime() - updatedAt.getTime() >= seconds * 1000 * PATIENCE_WITH_FINALITY;
    return now.getTime() - confirmedAt.getTime() >= seconds * 1000;
  }

  /** Stores what was found out, unless the transfer or its attempts are no longer those it was found out about. */
  private change({ transfer }: TimedTransfer, attempts: number, next: Change): Promise<Transfer> {
    return this.transactions.run(async () => {
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

function ended(
  transfer: Transfer,
  kind: Attempt['kind'],
  final: Extract<Standing, { is: 'final' }>,
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

/** What needs the node waits for the next look when it is away. */
async function unlessAway<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ChainUnavailable) return null;
    throw error;
  }
}
