import { Injectable } from '@nestjs/common';
import { type Chain, MOST_WAITING } from '../../../../kernel/chain/chain.js';
import type { AppId } from '../../../../kernel/ids.js';
import { DomainEvents } from '../../../../kernel/domain-events.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { Gate } from '../../../policy/index.js';
import { WalletsFacade } from '../../../wallet/index.js';
import { TransferRepository, TransferStateRepository } from '../../transfer/domain/transfer.repository.js';
import { type Attempt, isOverdue, type Transfer } from '../../transfer/domain/transfer.js';
import { SENDER_QUEUE_CAPACITY } from '../../transfer/domain/sender-queue.js';
import { SenderQueueRepository } from '../../transfer/domain/sender-queue.repository.js';
import { TransferSentAgain } from '../../transfer/domain/transfer.events.js';
import { TransferSettings } from '../../transfer/domain/transfer-settings.js';
import {
  type PendingPayment,
  unlessPostponed,
  rebroadcast,
  assertOnNetwork,
} from '../../transfer/application/pending-payment.js';
import { ReconcileQueue } from '../../reconciling/application/reconcile-queue.js';
import { upkeepOf } from './replace-payment.js';
import { confirmationOf, requestOf } from './sign-payment.js';

/**
 * `too_wide`: the nonce of the head or the chain's count must be wrong. `used`: the chain counts the head's nonce, so nothing can replace
 * it. `another_chain`: a missing nonce was signed for another chain; nothing is sent. `books_behind_chain`: the chain counts nonces that
 * the queue has not assigned, so it is held.
 */
export type NonceGap = 'none' | 'being_closed' | 'too_wide' | 'used' | 'another_chain' | 'books_behind_chain';

/** A gap remains when nodes dropped a transaction made elsewhere, or a reorganisation removed a final one. */
@Injectable()
export class CloseNonceGap {
  constructor(
    private readonly transfers: TransferRepository,
    private readonly queues: SenderQueueRepository,
    private readonly states: TransferStateRepository,
    private readonly events: DomainEvents,
    private readonly wallets: WalletsFacade,
    private readonly gate: Gate,
    private readonly transactions: Transactions,
    private readonly reconcileQueue: ReconcileQueue,
    private readonly settings: TransferSettings,
  ) {}

  /**
   * A payment that is still owed is sent again; other nonces are used by a zero-value self-transfer, unless the gap is too wide.
   * `isFrozen`: no payment is sent again, but a freeze does not stop self-transfers below a cancellation. A completed payment is sent again
   * only on its own chain: on a network that began anew it would be paid twice.
   */
  async execute(head: PendingPayment, isFrozen: boolean): Promise<NonceGap> {
    const { transfer, chain } = head;
    const { appId, id, sourceAddress } = transfer;
    const asked = assertOnNetwork(transfer, chain).then(() => chain.nonces(sourceAddress));
    const nonces = await unlessPostponed(asked);
    const [first] = await this.transfers.attempts(appId, id);
    if (!nonces || first?.nonce === null || first?.nonce === undefined) return 'none';
    if (!(await this.reconcileQueue.explains(transfer, nonces))) return 'books_behind_chain';
    const isTooWide = first.nonce - nonces.latest > MOST_WAITING;
    const end = Math.min(first.nonce, nonces.latest + SENDER_QUEUE_CAPACITY);
    for (let nonce = nonces.latest; nonce < end; nonce++) {
      const attempts = await this.queues.attemptsAt(transfer.senderQueue(), nonce);
      const owed = await this.owedBy(appId, attempts);
      if (attempts.length > 0 && !(await this.areOfThisChain(chain, attempts, owed))) return 'another_chain';
      if (owed && isFrozen) continue;
      if (owed?.status === 'completed') await this.recordSentAgain(owed);
      if (owed) await rebroadcast(chain, attempts.filter(isPayment));
      else if (!isTooWide) await this.useNonce(nonce, attempts, head);
    }
    if (isTooWide) return 'too_wide';
    if (nonces.latest > first.nonce) return 'used';
    return nonces.latest < first.nonce ? 'being_closed' : 'none';
  }

  /** Null for a failed payment, which must not be carried out. */
  private async owedBy(appId: AppId, attempts: readonly Attempt[]): Promise<Transfer | null> {
    const id = attempts.find(({ transferId }) => transferId !== null)?.transferId;
    const transfer = id ? (await this.transfers.find(appId, id))?.transfer : undefined;
    return transfer && (transfer.status === 'pending' || transfer.status === 'completed') ? transfer : null;
  }

  /** Attempts of an earlier release do not name their chain: only a completed payment is then held back. */
  private async areOfThisChain(chain: Chain, attempts: readonly Attempt[], owed: Transfer | null): Promise<boolean> {
    const known = attempts.filter(({ finalBlock }) => finalBlock !== null);
    if (known.length === 0) return owed?.status !== 'completed';
    return chain.areOfThisChain(known);
  }

  /** Stored once: an app and an operator must know that a final payment is not final after all. */
  private async recordSentAgain(transfer: Transfer): Promise<void> {
    if (transfer.sentAgainAt !== null) return;
    await this.transactions.run(async () => {
      const { transfer: locked, now } = await this.states.lock(transfer);
      if (locked.sentAgainAt !== null) return;
      const sent = locked.sendAgain(now);
      await this.events.publish(new TransferSentAgain(sent));
      this.states.store(sent);
    });
  }

  /** Signs a self-transfer if there is none yet, or one with higher fees if it is overdue. */
  private async useNonce(nonce: number, attempts: readonly Attempt[], head: PendingPayment): Promise<void> {
    const { transfer, now, chain } = head;
    const isCancellation = head.attempts.at(-1)!.kind === 'cancellation';
    const queue = transfer.senderQueue();
    const selfTransfers = attempts.filter((attempt) => !isPayment(attempt));
    await rebroadcast(chain, selfTransfers);
    if (selfTransfers.length > 0 && !isOverdue(selfTransfers, now, this.settings.bumpAfterSeconds)) return;
    const signable = await unlessPostponed(
      chain.prepareCancellation(queue.address, attempts, transfer.cancellationCap()),
    );
    if (!signable) return;
    const use = upkeepOf(chain, signable.maxFee);
    const request = { ...requestOf(transfer, chain, confirmationOf(transfer)), use, isCancellation };
    const signed = await this.transactions.run(
      async (isAgain) => {
        const pass = await this.gate.open(request, isAgain);
        await this.queues.lock(queue);
        if (!(await this.reconcileQueue.isCurrent(transfer))) return null;
        if ((await this.queues.attemptsAt(queue, nonce)).length !== attempts.length) return null;
        const { signer } = await this.wallets.holdPaying(transfer.appId, transfer.source, transfer.userId, pass);
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
