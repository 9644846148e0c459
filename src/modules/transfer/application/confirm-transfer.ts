import { Injectable } from '@nestjs/common';
import type { AppId, TransferId, UserId } from '../../../kernel/ids.js';
import { AppsFacade } from '../../apps/index.js';
import { WalletNotOwnedByUser } from '../../wallet/index.js';
import { asStoredWith, type Attempt } from '../domain/attempt.js';
import { NATIVE_ASSETS } from '../../../kernel/chain/asset.js';
import { type Chain, Chains } from '../../../kernel/chain/chain.js';
import { isShortage } from '../../../kernel/chain/chain.errors.js';
import { FIRST_LOOK_SECONDS, type Transfer } from '../domain/transfer.js';
import { TransferNotFound } from '../domain/transfer.errors.js';
import { type TimedTransfer, TransferRepository, type TransferView } from '../domain/transfer.repository.js';
import { TransferSettings } from '../domain/transfer-settings.js';
import { SenderQueueWaits } from './sender-queue-turns.js';
import { SignPayment, type Terms } from './sign-payment.js';
import { TrackTransfer } from './track-transfer.js';

/** What was stored by who confirmed it. */
interface Claim extends TimedTransfer {
  readonly attempt: Attempt | null;
}

/**
 * Pays. What is signed is committed before the first packet leaves, together with the claim that nobody signs again;
 * only those bytes are ever sent. Killed at any line, the tracker carries on from what is stored.
 */
@Injectable()
export class ConfirmTransfer {
  constructor(
    private readonly transfers: TransferRepository,
    private readonly chains: Chains,
    private readonly apps: AppsFacade,
    private readonly turns: SenderQueueWaits,
    private readonly signPayment: SignPayment,
    private readonly trackTransfer: TrackTransfer,
    private readonly settings: TransferSettings,
  ) {}

  /**
   * The transfer, completed if the chain is quick, else as far as it is. One that was confirmed before is answered as it
   * stands. Throws `TransferNotFound`, `TransferExpired`, `TransferCancelled`, `WalletNotOwnedByUser`, what
   * `AppsFacade.assertMayPay` and what `SignPayment` throws; then nothing has changed.
   */
  async execute(appId: AppId, id: TransferId, expectedOwner?: UserId): Promise<TransferView> {
    const seen = await this.transfers.find(appId, id);
    if (!seen) throw new TransferNotFound();
    const { transfer } = seen;
    if (expectedOwner !== undefined && transfer.userId !== expectedOwner) throw new WalletNotOwnedByUser();
    if (!transfer.awaitsConfirmation(seen.now)) return this.view(transfer);
    // Again, for it may have been narrowed since.
    const fee = { asset: NATIVE_ASSETS[transfer.chain], amount: transfer.feeCap };
    await this.apps.assertMayPay(appId, transfer.payment(), fee);
    const chain = this.chains.named(transfer.chain);
    const claimed = await this.claim(seen, chain).catch(async (error: unknown) => {
      if (!isShortage(error)) throw error;
      // A payment that has left the balance and of which nobody has noted it is counted twice.
      await this.trackTransfer.executeLine(transfer.lane());
      return this.claim(seen, chain);
    });
    if (!claimed) return this.view(transfer);
    if (claimed.attempt) await chain.send(claimed.attempt);
    return this.settled(claimed);
  }

  /** Null when another caller was first. */
  private async claim(seen: TimedTransfer, chain: Chain): Promise<Claim | null> {
    const terms = await this.signPayment.terms(seen, chain);
    return this.turns.run(seen.transfer.lane(), () => this.claimAndSign(seen.transfer, terms));
  }

  private async claimAndSign(seen: Transfer, terms: Terms): Promise<Claim | null> {
    const locking = this.transfers.lock(seen);
    const place = this.signPayment.lockPlace(seen, terms);
    const locked = await locking;
    // Of several callers the first to lock acts; the others come here after its commit.
    if (!locked.transfer.awaitsConfirmation(locked.now)) return null;
    return { ...(await this.signPayment.execute(locked, await place, terms, 0)), now: locked.now };
  }

  /** Waits for the chain, but not for long. */
  private async settled({ transfer, attempt, now }: Claim): Promise<TransferView> {
    const attempts = attempt ? [attempt] : [];
    const patience = performance.now() + this.settings.confirmWaitSeconds * 1000;
    const isOver = (): boolean => performance.now() >= patience || this.settings.isStopping;
    if (isOver()) return { transfer, attempts };
    // At once, and at what was just stored: there are chains that are done by then.
    let current = await this.trackTransfer.look({ transfer, now }, attempts);
    const isDone = current.status !== 'pending' && current.hash === transfer.hash;
    // Later, workers look at it too, and may have stored what is not known here.
    if (isDone && current.updatedAt.getTime() - transfer.updatedAt.getTime() < FIRST_LOOK_SECONDS * 1000) {
      return { transfer: current, attempts: attempts.map((each) => asStoredWith(current, each)) };
    }
    for (let pause = 50; current.status === 'pending' && !isOver(); pause = Math.min(pause * 1.5 + 50, 1000)) {
      const left = patience - performance.now();
      await new Promise((resolve) => setTimeout(resolve, Math.min(pause, left)));
      current = await this.trackTransfer.execute(transfer.appId, transfer.id);
    }
    return this.view(current);
  }

  private async view({ appId, id }: Transfer): Promise<TransferView> {
    const view = await this.transfers.view(appId, id);
    if (!view) throw new TransferNotFound();
    return view;
  }
}
