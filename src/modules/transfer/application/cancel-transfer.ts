import { Injectable } from '@nestjs/common';
import type { AppId, TransferId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/outbox.js';
import { Transactions } from '../../../kernel/transactions.js';
import { Chains } from '../domain/chain.js';
import { InsufficientFunds } from '../domain/chain.errors.js';
import type { Transfer } from '../domain/transfer.js';
import { TransferAlreadyConfirmed, TransferNotFound } from '../domain/transfer.errors.js';
import { TransferEvent } from '../domain/transfer.events.js';
import { TransferRepository } from '../domain/transfer.repository.js';
import { ReplacePayment } from './replace-payment.js';

/**
 * Takes back a transfer that nobody has confirmed; one already taken back stays so. For one that is stuck, a transaction of
 * nothing takes the place of what was signed: it fails once that is final, or completes if the payment comes first after all.
 */
@Injectable()
export class CancelTransfer {
  constructor(
    private readonly transfers: TransferRepository,
    private readonly chains: Chains,
    private readonly transactions: Transactions,
    private readonly events: DomainEvents,
    private readonly replacePayment: ReplacePayment,
  ) {}

  /**
   * Throws `TransferNotFound`, `TransferExpired`, `TransferAlreadyConfirmed`; and for a stuck one `InsufficientFunds` when
   * the wallet cannot pay for replacing it, `ChainUnavailable`, `ChainNotConfigured`.
   */
  async execute(appId: AppId, id: TransferId): Promise<void> {
    const seen = await this.transfers.find(appId, id);
    if (!seen) throw new TransferNotFound();
    await (seen.transfer.status === 'pending' ? this.replace(appId, id) : this.takeBack(seen.transfer));
  }

  private takeBack(seen: Transfer): Promise<void> {
    return this.transactions.run(async () => {
      const locked = await this.transfers.lock(seen);
      const cancelled = locked.transfer.cancel(locked.now);
      if (cancelled === locked.transfer) return;
      await this.events.publish(TransferEvent.of(cancelled));
      this.transfers.store(cancelled);
    });
  }

  /** Of several callers one signs; whoever was outrun, also by a dearer payment, looks again. */
  private async replace(appId: AppId, id: TransferId): Promise<void> {
    for (let known = 0; ;) {
      const seen = await this.transfers.find(appId, id);
      const attempts = await this.transfers.attempts(appId, id);
      if (attempts.at(-1)?.kind === 'cancellation') return;
      if (!seen?.transfer.isReplaceable() || attempts.every(({ nonce }) => nonce === null)) {
        throw new TransferAlreadyConfirmed(id);
      }
      if (attempts.length === known) {
        throw new InsufficientFunds('The wallet does not hold what replacing the payment would take.');
      }
      known = attempts.length;
      const chain = this.chains.named(seen.transfer.chain);
      const signed = await this.replacePayment.execute(seen.transfer, chain, attempts, 'cancellation');
      if (signed) {
        await chain.send(signed);
        return;
      }
    }
  }
}
