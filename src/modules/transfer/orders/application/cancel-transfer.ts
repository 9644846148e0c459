import { Injectable } from '@nestjs/common';
import type { AppId, TransferId } from '../../../../kernel/ids.js';
import { DomainEvents } from '../../../../kernel/domain-events.js';
import { Transactions } from '../../../../kernel/transactions.js';
import {
  hasStartedBetween,
  ProofOutdated,
  type SeenTransfer,
  TransferRepository,
  TransferStateRepository,
} from '../../transfer/domain/transfer.repository.js';
import { maySignAgain, type Transfer } from '../../transfer/domain/transfer.js';
import { Chains } from '../../../../kernel/chain/chain.js';
import {
  BooksBehindChain,
  ChainNotConfigured,
  ChainUnavailable,
  FeeTooHigh,
  HistoryTooLong,
  InsufficientFunds,
  NetworkChanged,
} from '../../../../kernel/chain/chain.errors.js';
import { type Ask, NodeCalls } from '../../../../kernel/chain/node-calls.js';
import { FeeLimitExceeded, Gate } from '../../../policy/index.js';
import {
  NonceUsed,
  TransferAlreadyConfirmed,
  TransferExpired,
  TransferNotFound,
} from '../../transfer/domain/transfer.errors.js';
import { TransferEvent } from '../../transfer/domain/transfer.events.js';
import { ExpireTransfers } from '../../tracking/application/expire-transfers.js';
import { ReconcileQueue } from '../../reconciling/application/reconcile-queue.js';
import { ReplacePayment } from '../../paying/application/replace-payment.js';
import { assertOnNetwork } from '../../transfer/application/pending-payment.js';

/** The transfer or the database server may change meanwhile. */
const TRIES = 5;

/**
 * Cancels at once while nothing is signed. The tracker cancels later if the account must be read first, or on Solana once the expiry is
 * proven. A stuck transfer on Ethereum is replaced by a cancellation: it fails once that is final, or completes if the payment is mined
 * first.
 */
@Injectable()
export class CancelTransfer {
  static readonly refusals = [
    TransferExpired,
    TransferAlreadyConfirmed,
    BooksBehindChain,
    NonceUsed,
    NetworkChanged,
    InsufficientFunds,
    FeeTooHigh,
    FeeLimitExceeded,
    ChainNotConfigured,
    ChainUnavailable,
  ];

  constructor(
    private readonly transfers: TransferRepository,
    private readonly states: TransferStateRepository,
    private readonly chains: Chains,
    private readonly nodeCalls: NodeCalls,
    private readonly transactions: Transactions,
    private readonly events: DomainEvents,
    private readonly replacePayment: ReplacePayment,
    private readonly reconcileQueue: ReconcileQueue,
    private readonly expireTransfers: ExpireTransfers,
    private readonly gate: Gate,
  ) {}

  /**
   * An operator's call has `record`: then a payment of a frozen wallet may be cancelled too. It runs in the transaction of the change, but
   * before a cancellation transaction is signed, so after an error only its rows may remain.
   */
  async execute(appId: AppId, id: TransferId, record?: () => Promise<void>, tries = TRIES): Promise<void> {
    try {
      return await this.tryTo(appId, id, record);
    } catch (error) {
      if (!(error instanceof ProofOutdated)) throw error;
      // Two connections that lead to different servers never agree.
      if (tries === 1) throw new BooksBehindChain(id);
      return this.execute(appId, id, record, tries - 1);
    }
  }

  private async tryTo(appId: AppId, id: TransferId, record?: () => Promise<void>): Promise<void> {
    const seen = await this.transfers.find(appId, id);
    if (!seen) throw new TransferNotFound();
    const isSigned = seen.transfer.status === 'pending' && seen.transfer.stage !== 'queued';
    if (isSigned && !maySignAgain(await this.transfers.attempts(appId, id))) return this.replace(appId, id, record);
    // A confirmation that the database has forgotten may have paid it: `cancelled` promises that nothing was.
    const isUnpaid = await this.isUnpaid(seen.transfer).catch((error: unknown) => {
      if (error instanceof HistoryTooLong) return null;
      throw error;
    });
    if (isUnpaid === false) throw new BooksBehindChain(id);
    try {
      return await this.cancel(seen, isUnpaid !== null, record);
    } catch (error) {
      if (!(error instanceof TransferExpired)) throw error;
      // Stored before the app is refused: it must stay true when the clock of the database is set back.
      const { transfer } = await this.expireTransfers.settle(seen, isUnpaid !== null);
      if (transfer.status === 'expired') throw error;
      return this.cancel({ ...seen, transfer }, isUnpaid !== null, record);
    }
  }

  /** If another process confirms or signs the transfer meanwhile, the first to commit decides. */
  private cancel(seen: SeenTransfer, isRead: boolean, record?: () => Promise<void>): Promise<void> {
    return this.transactions.run(
      async () => {
        const locked = await this.states.lock(seen.transfer);
        const { transfer, now, books } = locked;
        if (transfer.status === 'pending' && transfer.stage !== 'queued') {
          if (!maySignAgain(await this.transfers.attempts(transfer.appId, transfer.id))) {
            throw new TransferAlreadyConfirmed(transfer.id);
          }
          if (transfer.cancelRequestedAt !== null) return;
          this.states.storeCancelRequest(transfer.requestCancellation(now));
          return record?.();
        }
        const cancelled = isRead ? transfer.cancel(now) : transfer.cancelOnceRead(now);
        if (cancelled === transfer) return;
        if (isRead && hasStartedBetween(seen, locked)) throw new ProofOutdated();
        if (isRead && books !== 'current') throw new BooksBehindChain(transfer.id);
        // The tracker cancels it, and no approver decides on it any more.
        if (!isRead && transfer.status === 'awaiting_approval') await this.gate.withdraw(transfer.appId, transfer.id);
        await this.events.publish(...TransferEvent.ofChange(transfer, cancelled));
        this.states.store(cancelled);
        if (!isRead) this.states.storeCancelRequest(cancelled);
        await record?.();
      },
      { signs: true },
    );
  }

  private async isUnpaid(transfer: Transfer): Promise<boolean> {
    const { status, stage } = transfer;
    if (status === 'unconfirmed' && (await this.reconcileQueue.isCertain(transfer))) return true;
    const isUnsigned = status === 'unconfirmed' || status === 'awaiting_approval' || stage === 'queued';
    if (!isUnsigned) return true;
    return this.nodeCalls.run(transfer.chain, transfer.appId, () => this.reconcileQueue.isUnpaid(transfer, []));
  }

  /** One of several callers signs; the others read the attempts again. */
  private async replace(appId: AppId, id: TransferId, record?: () => Promise<void>): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      const seen = await this.transfers.find(appId, id);
      const attempts = await this.transfers.attempts(appId, id);
      if (attempts.at(-1)?.kind === 'cancellation') return;
      if (!seen?.transfer.isReplaceable()) throw new TransferAlreadyConfirmed(id);
      const chain = this.chains.named(seen.transfer.chain);
      const ask: Ask = (reads) => this.nodeCalls.run(chain.name, appId, reads);
      const nonces = await ask(async () => {
        await assertOnNetwork(seen.transfer, chain);
        return chain.nonces(seen.transfer.sourceAddress);
      });
      // A node refuses a transaction that is signed with a used nonce, and the caller would wait for a cancellation that never comes.
      if (nonces && attempts.some(({ nonce }) => nonce !== null && nonce < nonces.latest)) throw new NonceUsed(id);
      if (!(await ask(() => this.reconcileQueue.mayPay(seen.transfer)))) throw new BooksBehindChain(id);
      if (record && tries === 0) await this.transactions.run(record);
      const signed = await this.replacePayment.execute(
        seen,
        chain,
        attempts,
        'cancellation',
        ask,
        record !== undefined,
      );
      if (signed) {
        await chain.send(signed);
        return;
      }
    }
    throw new BooksBehindChain(id);
  }
}
