import { Injectable } from '@nestjs/common';
import { type Chain, Chains } from '../../../../kernel/chain/chain.js';
import { type Ask, NodeCalls } from '../../../../kernel/chain/node-calls.js';
import { isRefusal } from '../../../../kernel/domain-error.js';
import type { AppId, BatchId, UserId } from '../../../../kernel/ids.js';
import { AppsFacade } from '../../../apps/index.js';
import { Gate, ApprovalRequired, BatchTooLarge } from '../../../policy/index.js';
import { WalletNotOwnedByUser } from '../../../wallet/index.js';
import type { Transfer } from '../../transfer/domain/transfer.js';
import { awaitsConfirmation } from '../domain/transfer-batch.js';
import { SENDER_QUEUE_CAPACITY } from '../../transfer/domain/sender-queue.js';
import {
  BatchNotFound,
  TransferExpired,
  TransferCancelled,
  TransferAlreadyConfirmed,
} from '../../transfer/domain/transfer.errors.js';
import {
  type TimedTransfer,
  TransferRepository,
  type TransferView,
} from '../../transfer/domain/transfer.repository.js';
import { TransferSettings } from '../../transfer/domain/transfer-settings.js';
import type { Confirming } from './confirm-transfer.js';
import { ExpireTransfers } from '../../tracking/application/expire-transfers.js';
import { ObserveQueue } from '../../tracking/application/track-transfer.js';
import {
  type Confirmation,
  requestOf,
  type SignedPayment,
  SignPayment,
} from '../../paying/application/sign-payment.js';
import { NetworkNotEnabled, BooksBehindChain } from '../../../../kernel/chain/chain.errors.js';

type Batch = readonly (TransferView & TimedTransfer)[];

/** Confirms all transfers in one transaction, or none. From then on each is tracked by itself. */
@Injectable()
export class ConfirmBatch {
  static readonly refusals = [
    ApprovalRequired,
    BatchTooLarge,
    ...SignPayment.refusals,
    NetworkNotEnabled,
    BatchNotFound,
    TransferExpired,
    TransferCancelled,
    TransferAlreadyConfirmed,
    BooksBehindChain,
  ];

  constructor(
    private readonly transfers: TransferRepository,
    private readonly chains: Chains,
    private readonly nodeCalls: NodeCalls,
    private readonly apps: AppsFacade,
    private readonly gate: Gate,
    private readonly expireTransfers: ExpireTransfers,
    private readonly signPayment: SignPayment,
    private readonly observeQueue: ObserveQueue,
    private readonly settings: TransferSettings,
  ) {}

  /**
   * Does not wait for the chain. Before it asks the network, it calls `charge` with the calls that the batch counts for besides its own:
   * one for each payment that may be signed. A batch that was confirmed before is returned unchanged.
   */
  async execute(
    { id: appId, keyId }: Confirming,
    id: BatchId,
    charge: (calls: number) => void,
    expectedOwner?: UserId,
  ): Promise<readonly TransferView[]> {
    const batch = await this.read(appId, id);
    const [seen] = batch;
    const { transfer: first } = seen;
    if (expectedOwner !== undefined && first.userId !== expectedOwner) throw new WalletNotOwnedByUser();
    try {
      return await this.pay(batch, { keyId, namesUser: expectedOwner !== undefined || first.namesUser }, charge);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // A refusal may be due to another call, which has confirmed the batch and is being committed. It holds the lock of each transfer.
      await this.expireTransfers.settle(seen, false);
      const current = await this.read(appId, id);
      if (await awaitsConfirmation(transfersOf(current), current[0].now)) throw error;
      return current;
    }
  }

  private async pay(
    batch: Batch,
    confirmation: Confirmation,
    charge: (calls: number) => void,
  ): Promise<readonly TransferView[]> {
    const transfers = transfersOf(batch);
    const [first] = transfers as [Transfer];
    const { appId, chain: name, batchId } = first;
    if (!(await awaitsConfirmation(transfers, batch[0]!.now))) return batch;
    charge(Math.min(transfers.length, SENDER_QUEUE_CAPACITY) - 1);
    await this.apps.requireNetwork(appId, name);
    const chain = this.chains.named(name);
    // Checked before the network is asked, and again at the signature.
    await this.gate.openBatch(transfers.map((transfer) => requestOf(transfer, chain, confirmation)));
    const ask: Ask = (reads) => this.nodeCalls.run(name, appId, reads);
    const signed = await this.observeQueue.unlessShort(first, () =>
      this.signPayment.execute({
        transfers,
        chain,
        earlier: [],
        confirmation,
        isBatch: true,
        maySign: (locked) => awaitsConfirmation(transfersOf(locked), locked[0]!.now),
        ask,
      }),
    );
    if (!signed) return this.read(appId, batchId!);
    await this.send(signed, chain);
    return signed.map(viewOf);
  }

  /**
   * Sends in nonce order: some nodes refuse a nonce before the one that precedes it. Sends at least the first, and stops when the wait is
   * over or a freeze comes: the tracker sends the rest.
   */
  private async send(signed: readonly SignedPayment[], chain: Chain): Promise<void> {
    const deadline = performance.now() + this.settings.confirmWaitSeconds * 1000;
    const { appId, source, userId } = signed[0]!.transfer;
    for (const { attempt } of signed) {
      if (attempt) await chain.send(attempt);
      if (performance.now() >= deadline || this.settings.isStopping) return;
      // If the database does not respond, a freeze may have come.
      if (await this.gate.freezeOf(appId, { id: source, userId }).catch(() => true)) return;
    }
  }

  private async read(appId: AppId, id: BatchId): Promise<readonly [Batch[number], ...Batch]> {
    const [first, ...rest] = await this.transfers.batch(appId, id);
    if (!first) throw new BatchNotFound();
    return [first, ...rest];
  }
}

function transfersOf(batch: readonly TimedTransfer[]): Transfer[] {
  return batch.map(({ transfer }) => transfer);
}

function viewOf({ transfer, attempt }: SignedPayment): TransferView {
  return { transfer, attempts: attempt ? [attempt] : [] };
}
