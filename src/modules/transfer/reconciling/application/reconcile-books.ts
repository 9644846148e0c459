import { Injectable } from '@nestjs/common';
import { Chains } from '../../../../kernel/chain/chain.js';
import { ChainUnavailable } from '../../../../kernel/chain/chain.errors.js';
import { DomainError } from '../../../../kernel/domain-error.js';
import type { AppId, TransferId, WalletId } from '../../../../kernel/ids.js';
import { DomainEvents } from '../../../../kernel/domain-events.js';
import type { Requester } from '../../../../kernel/requester.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { AppsFacade } from '../../../apps/index.js';
import { WalletsFacade } from '../../../wallet/index.js';
import type { ListedQueue } from '../../transfer/domain/books.js';
import { isWaiting, keyOf } from '../../transfer/domain/sender-queue.js';
import { SenderQueueRepository } from '../../transfer/domain/sender-queue.repository.js';
import { TransferNotFound } from '../../transfer/domain/transfer.errors.js';
import { TransferEvent } from '../../transfer/domain/transfer.events.js';
import { TransferRepository, TransferStateRepository } from '../../transfer/domain/transfer.repository.js';
import { type Reconciliation, ReconcileQueue } from './reconcile-queue.js';
import { assertOnNetwork } from '../../transfer/application/pending-payment.js';

export interface ComparedQueue {
  readonly queue: ListedQueue;
  readonly found: Reconciliation | null;
  readonly fault: string;
}

export interface ReconcileOrder {
  readonly by: Requester;
  readonly reason: string;
}

const MOST_QUEUES = 1_000;
const LAST_USED = 50;

const MAY_MAKE_OPEN = 'a transaction may make an open transfer';

/** Operators' commands for books that are older than the chain. Each change is audited with its reason. */
@Injectable()
export class ReconcileBooks {
  constructor(
    private readonly queues: SenderQueueRepository,
    private readonly transfers: TransferRepository,
    private readonly states: TransferStateRepository,
    private readonly reconcileQueue: ReconcileQueue,
    private readonly chains: Chains,
    private readonly wallets: WalletsFacade,
    private readonly apps: AppsFacade,
    private readonly transactions: Transactions,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Compares the suspicious queues, and adds those of the last paid ones that do not agree: a restore to an older state concerns these
   * first. With `wallet` it compares that queue without a bound, suspicious or not. Changes nothing.
   */
  async compare(appId: AppId | null, wallet?: WalletId): Promise<ComparedQueue[]> {
    const compared: ComparedQueue[] = [];
    for (const queue of await this.queues.suspects(appId, wallet ?? null, MOST_QUEUES))
      compared.push(await this.compareQueue(queue, wallet !== undefined));
    if (wallet !== undefined) return compared;
    const done = new Set(compared.map(({ queue }) => keyOf(queue)));
    for (const queue of await this.queues.lastUsed(appId, LAST_USED)) {
      if (done.has(keyOf(queue))) continue;
      const each = await this.compareQueue(queue);
      if (each.found !== null && !each.found.agrees) compared.push(each);
    }
    return compared;
  }

  /** Stores what needs no decision. */
  async apply({ queue, found }: ComparedQueue): Promise<void> {
    if (found) await this.reconcileQueue.settle(queue, found);
  }

  /** For a transaction that fits several transfers. False when it does not make the payment. */
  async adopt(
    { by, reason }: ReconcileOrder,
    { queue, found }: ComparedQueue,
    hash: string,
    id: TransferId,
  ): Promise<boolean> {
    const transaction = found?.ambiguous.find((each) => each.hash === hash && each.makes.includes(id));
    if (!found || !transaction) return false;
    await this.record({ by, reason }, queue.appId, 'transfer.adopted', id);
    return this.reconcileQueue.adopt(found.books, transaction, id);
  }

  /**
   * The operator accepts the unknown transactions. `isUsedElsewhere`: this service did not make them, so further ones do not hold the
   * queue. Returns why it does not sign yet; empty when it does.
   */
  async release(
    { by, reason }: ReconcileOrder,
    { queue, found }: ComparedQueue,
    isUsedElsewhere: boolean,
  ): Promise<string> {
    if (!found || found.books.hasMore || found.ambiguous.length > 0) return MAY_MAKE_OPEN;
    // Code of the account and authorisations use nonces without a transaction, so the rest may never be found. Without an open
    // transfer it makes none.
    if (!found.isRead && (!isUsedElsewhere || found.books.open.length > 0)) return MAY_MAKE_OPEN;
    // It may make an open transfer, unless another user of the key has signed it.
    if (!isUsedElsewhere && found.nonces && isWaiting(found.nonces, found.books.nextNonce)) return MAY_MAKE_OPEN;
    if (isUsedElsewhere) await this.wallets.recordUseElsewhere(queue.appId, queue.source);
    await this.record({ by, reason }, queue.appId, 'sender_queue.released', queue.source);
    const isReleased = await this.reconcileQueue.settle(queue, found, { accepts: true });
    return isReleased ? '' : 'the chain may still carry out what was signed before; repeat it after two minutes';
  }

  /** The end has no proof, so the transfer is never safe to repeat. */
  async close({ by, reason }: ReconcileOrder, appId: AppId, id: TransferId): Promise<void> {
    const seen = await this.transfers.find(appId, id);
    if (!seen) throw new TransferNotFound();
    await this.transactions.run(
      async () => {
        const { transfer, now } = await this.states.lock(seen.transfer);
        const closed = transfer.close(now);
        await this.events.publish(...TransferEvent.ofChange(transfer, closed));
        this.states.store(closed);
        await this.apps.audit(by, appId, 'transfer.closed', id, [`reason: ${reason}`]);
      },
      { signs: true },
    );
  }

  private async compareQueue(queue: ListedQueue, readsAll = false): Promise<ComparedQueue> {
    try {
      const chain = this.chains.named(queue.chain);
      await assertOnNetwork(queue, chain);
      return { queue, found: await this.reconcileQueue.compare(queue, queue, chain, readsAll), fault: '' };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      // The cause of a `ChainUnavailable` says why, without texts of the node.
      const cause = error instanceof ChainUnavailable && error.cause instanceof Error ? ` ${error.cause.message}` : '';
      return { queue, found: null, fault: `${error.message}${cause}` };
    }
  }

  private record({ by, reason }: ReconcileOrder, appId: AppId, action: string, target: string): Promise<void> {
    return this.transactions.run(() => this.apps.audit(by, appId, action, target, [`reason: ${reason}`]));
  }
}
