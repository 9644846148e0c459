import { Injectable } from '@nestjs/common';
import { NATIVE_ASSETS } from '../../../kernel/chain/asset.js';
import { MOST_WAITING } from '../../../kernel/chain/chain.js';
import type { AppId } from '../../../kernel/ids.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AppsFacade } from '../../apps/index.js';
import { WalletsFacade } from '../../wallet/index.js';
import { type Attempt, isOverdue } from '../domain/attempt.js';
import { SENDER_QUEUE_CAPACITY } from '../domain/sender-queue.js';
import { SenderQueueRepository } from '../domain/sender-queue.repository.js';
import { TransferRepository } from '../domain/transfer.repository.js';
import { TransferSettings } from '../domain/transfer-settings.js';
import type { PendingPayment } from './pending-payment.js';
import { unlessPostponed } from './postponed.js';
import { rebroadcast } from './rebroadcast.js';
import { assertOnNetwork } from './transfer-network.js';

/**
 * The gap before the head of a sender queue. `too_wide`: the nonce of the head or the chain's count must be wrong. `used`: the
 * chain counts the nonce of the head, so nothing can replace it.
 */
export type NonceGap = 'none' | 'being_closed' | 'too_wide' | 'used';

/**
 * Closes the gap before the head of a sender queue whose nonce is above the chain's count. Such a gap remains when nodes
 * dropped a transaction made elsewhere, or a reorganisation removed a final one.
 */
@Injectable()
export class CloseNonceGap {
  constructor(
    private readonly transfers: TransferRepository,
    private readonly queues: SenderQueueRepository,
    private readonly wallets: WalletsFacade,
    private readonly apps: AppsFacade,
    private readonly transactions: Transactions,
    private readonly settings: TransferSettings,
  ) {}

  /**
   * A payment on a missing nonce that is still owed is sent again; any other nonce is used by a zero-value self-transfer, but
   * none of a gap that is too wide. Throws `NetworkChanged`, and `FeeTooHigh` or `FeeLimitExceeded` when that would cost too
   * much.
   */
  async execute(head: PendingPayment): Promise<NonceGap> {
    const { transfer, chain } = head;
    const { appId, id, sourceAddress } = transfer;
    const asked = assertOnNetwork(transfer, chain).then(() => chain.nonces(sourceAddress));
    const nonces = await unlessPostponed(asked);
    const [first] = await this.transfers.attempts(appId, id);
    if (!nonces || first?.nonce === null || first?.nonce === undefined) return 'none';
    const isTooWide = first.nonce - nonces.latest > MOST_WAITING;
    const end = Math.min(first.nonce, nonces.latest + SENDER_QUEUE_CAPACITY);
    for (let nonce = nonces.latest; nonce < end; nonce++) {
      const attempts = await this.queues.attemptsAt(transfer.senderQueue(), nonce);
      if (await this.areOwed(appId, attempts)) await rebroadcast(chain, attempts.filter(isPayment));
      else if (!isTooWide) await this.useNonce(nonce, attempts, head);
    }
    if (isTooWide) return 'too_wide';
    if (nonces.latest > first.nonce) return 'used';
    return nonces.latest < first.nonce ? 'being_closed' : 'none';
  }

  /** Whether these are attempts of a payment that was made or is still to be made. A failed payment must not be carried out. */
  private async areOwed(appId: AppId, attempts: readonly Attempt[]): Promise<boolean> {
    const id = attempts.find(({ transferId }) => transferId !== null)?.transferId;
    const status = id && (await this.transfers.find(appId, id))?.transfer.status;
    return status === 'pending' || status === 'completed';
  }

  /** Sends the self-transfer on this nonce; without one, or when it is overdue, signs one with higher fees. */
  private async useNonce(nonce: number, attempts: readonly Attempt[], head: PendingPayment): Promise<void> {
    const { transfer, now, chain } = head;
    const queue = transfer.senderQueue();
    const selfTransfers = attempts.filter((attempt) => !isPayment(attempt));
    await rebroadcast(chain, selfTransfers);
    if (selfTransfers.length > 0 && !isOverdue(selfTransfers, now, this.settings.bumpAfterSeconds)) return;
    const signable = await unlessPostponed(
      chain.prepareCancellation(queue.address, attempts, transfer.cancellationCap()),
    );
    if (!signable) return;
    const fee = { asset: NATIVE_ASSETS[transfer.chain], amount: signable.maxFee };
    await this.apps.assertMayTakeFee(queue.appId, fee);
    const signed = await this.transactions.run(
      async () => {
        await this.queues.lock(queue);
        if ((await this.queues.attemptsAt(queue, nonce)).length !== attempts.length) return null;
        const { signer } = await this.wallets.holdPaying(transfer.appId, transfer.source, transfer.userId);
        const attempt = signable.sign(signer, nonce);
        if (attempt.network !== queue.network) {
          throw new Error(`A self-transfer for ${queue.network} is signed for ${attempt.network}.`);
        }
        this.queues.storeSelfTransfer(queue, attempt, attempts.length);
        return attempt;
      },
      { signs: true },
    );
    if (signed) await chain.send(signed);
  }
}

function isPayment({ kind }: Attempt): boolean {
  return kind === 'payment';
}
