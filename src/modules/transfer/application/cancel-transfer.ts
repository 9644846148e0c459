import { Injectable } from '@nestjs/common';
import type { AppId, TransferId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/outbox.js';
import { Transactions } from '../../../kernel/transactions.js';
import { mayBeSignedAnew } from '../domain/attempt.js';
import { Chains } from '../../../kernel/chain/chain.js';
import type { Transfer } from '../domain/transfer.js';
import { TransferAlreadyConfirmed, TransferNotFound } from '../domain/transfer.errors.js';
import { TransferEvent } from '../domain/transfer.events.js';
import { TransferRepository } from '../domain/transfer.repository.js';
import { ReplacePayment } from './replace-payment.js';

/**
 * Cancels a transfer of which nothing signed can be carried out: at once where it is not confirmed or waits in the queue. What
 * was signed on Solana may be carried out until it expires: the request is kept, and the tracker cancels the transfer at the
 * proof. A stuck one on Ethereum is replaced by a zero-value self-transfer: it fails once that is final, or completes if the
 * payment comes first after all.
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
   * Throws `TransferNotFound`, `TransferExpired`, `TransferAlreadyConfirmed`; and for a stuck one `ChainNotConfigured` and what
   * `ReplacePayment` throws: then nothing has changed.
   */
  async execute(appId: AppId, id: TransferId): Promise<void> {
    const seen = await this.transfers.find(appId, id);
    if (!seen) throw new TransferNotFound();
    const isSigned = seen.transfer.status === 'pending' && seen.transfer.stage !== 'queued';
    if (isSigned && !mayBeSignedAnew(await this.transfers.attempts(appId, id))) return this.replace(appId, id);
    return this.cancel(seen.transfer);
  }

  /** Under the lock of the transfer: of a caller and a process that confirms or signs it, the first to commit decides. */
  private cancel(seen: Transfer): Promise<void> {
    return this.transactions.runSigning(async () => {
      const { transfer, now } = await this.transfers.lock(seen);
      if (transfer.status === 'pending' && transfer.stage !== 'queued') {
        if (!mayBeSignedAnew(await this.transfers.attempts(transfer.appId, transfer.id))) {
          throw new TransferAlreadyConfirmed(transfer.id);
        }
        if (transfer.cancelRequestedAt === null) this.transfers.storeCancelRequest(transfer.requestCancellation(now));
        return;
      }
      const cancelled = transfer.cancel(now);
      if (cancelled === transfer) return;
      await this.events.publish(TransferEvent.of(cancelled));
      this.transfers.store(cancelled);
    });
  }

  /** Of several callers one signs. A caller that another one, or a payment with higher fees, came before looks again. */
  private async replace(appId: AppId, id: TransferId): Promise<void> {
    for (;;) {
      const seen = await this.transfers.find(appId, id);
      const attempts = await this.transfers.attempts(appId, id);
      if (attempts.at(-1)?.kind === 'cancellation') return;
      if (!seen?.transfer.isReplaceable()) throw new TransferAlreadyConfirmed(id);
      const chain = this.chains.named(seen.transfer.chain);
      const signed = await this.replacePayment.execute(seen.transfer, chain, attempts, 'cancellation');
      if (signed) {
        await chain.send(signed);
        return;
      }
    }
  }
}
