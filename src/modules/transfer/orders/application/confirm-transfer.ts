import { Injectable } from '@nestjs/common';
import { Chains } from '../../../../kernel/chain/chain.js';
import { ConfiguredNetworks } from '../../../../kernel/chain/networks.js';
import { type Ask, NodeCalls } from '../../../../kernel/chain/node-calls.js';
import { isRefusal } from '../../../../kernel/domain-error.js';
import type { AppId, TransferId, UserId } from '../../../../kernel/ids.js';
import { AppsFacade, isAcceptedInBlock } from '../../../apps/index.js';
import { Gate, TooManyApprovals } from '../../../policy/index.js';
import { WalletNotOwnedByUser } from '../../../wallet/index.js';
import {
  type TimedTransfer,
  TransferRepository,
  type TransferView,
} from '../../transfer/domain/transfer.repository.js';
import { asStoredWith, TRACKED_AFTER_SECONDS, type Transfer } from '../../transfer/domain/transfer.js';
import {
  TransferInBatch,
  TransferNotFound,
  TransferExpired,
  TransferCancelled,
} from '../../transfer/domain/transfer.errors.js';
import { TransferSettings } from '../../transfer/domain/transfer-settings.js';
import { ExpireTransfers } from '../../tracking/application/expire-transfers.js';
import { ObserveQueue, TrackTransfer } from '../../tracking/application/track-transfer.js';
import {
  type Confirmation,
  requestOf,
  type SignedPayment,
  type SigningOrder,
  SignPayment,
} from '../../paying/application/sign-payment.js';
import { BooksBehindChain, NetworkNotEnabled } from '../../../../kernel/chain/chain.errors.js';

export interface Confirming {
  readonly id: AppId;
  readonly keyId: string;
}

/**
 * Pays. The signed bytes and the new status, which keeps every other process from signing again, are committed before the
 * first packet leaves; only stored bytes are ever sent. If the process dies at any line, the tracker continues.
 */
@Injectable()
export class ConfirmTransfer {
  static readonly refusals = [
    TooManyApprovals,
    ...SignPayment.refusals,
    TransferExpired,
    TransferCancelled,
    TransferInBatch,
    BooksBehindChain,
    NetworkNotEnabled,
  ];

  constructor(
    private readonly transfers: TransferRepository,
    private readonly chains: Chains,
    private readonly nodeCalls: NodeCalls,
    private readonly apps: AppsFacade,
    private readonly networks: ConfiguredNetworks,
    private readonly gate: Gate,
    private readonly expireTransfers: ExpireTransfers,
    private readonly signPayment: SignPayment,
    private readonly observeQueue: ObserveQueue,
    private readonly trackTransfer: TrackTransfer,
    private readonly settings: TransferSettings,
  ) {}

  /** The transfer is completed if the chain is quick. One that was confirmed before is returned unchanged. An error changes nothing. */
  async execute({ id: appId, keyId }: Confirming, id: TransferId, expectedOwner?: UserId): Promise<TransferView> {
    const seen = await this.transfers.find(appId, id);
    if (!seen) throw new TransferNotFound();
    const { transfer } = seen;
    if (expectedOwner !== undefined && transfer.userId !== expectedOwner) throw new WalletNotOwnedByUser();
    try {
      return await this.pay(seen, { keyId, namesUser: expectedOwner !== undefined || transfer.namesUser });
    } catch (error) {
      if (!isRefusal(error) || (await this.awaitsConfirmation(seen))) throw error;
      return this.view(transfer);
    }
  }

  private async pay({ transfer, now }: TimedTransfer, confirmation: Confirmation): Promise<TransferView> {
    if (!transfer.awaitsConfirmation(now)) return this.view(transfer);
    if (transfer.batchId !== null) throw new TransferInBatch(transfer.batchId);
    await this.apps.requireNetwork(transfer.appId, transfer.chain);
    const chain = this.chains.named(transfer.chain);
    // The policy may have become stricter since the quote. Checked before the network is asked, and again at the signature.
    await this.gate.open(requestOf(transfer, chain, confirmation));
    // Used only until the signature: then bytes are sent and the status is read without a wait for a slot.
    const ask: Ask = (reads) => this.nodeCalls.run(transfer.chain, transfer.appId, reads);
    const order: SigningOrder = {
      transfers: [transfer],
      chain,
      earlier: [],
      confirmation,
      isBatch: false,
      maySign: ([locked]) => locked!.transfer.awaitsConfirmation(locked!.now),
      ask,
    };
    const payments = await this.observeQueue.unlessShort(transfer, () => this.signPayment.execute(order));
    // The first caller to lock signs; each later one locks after its commit.
    if (!payments) return this.view(transfer);
    const [signed] = payments as [SignedPayment];
    if (signed.attempt) await chain.send(signed.attempt);
    return this.waitForEnd(signed);
  }

  /** The lock waits for a confirmation that is being committed: its payment may have left the balance, or it began in time. */
  private async awaitsConfirmation(seen: TimedTransfer): Promise<boolean> {
    const { transfer, now } = await this.expireTransfers.settle(seen, false);
    return transfer.awaitsConfirmation(now);
  }

  /** Waits at most as long as the operator allows; a block suffices if the app accepts that. */
  private async waitForEnd(signed: SignedPayment): Promise<TransferView> {
    const { transfer, attempt } = signed;
    const attempts = attempt ? [attempt] : [];
    const deadline = performance.now() + this.settings.confirmWaitSeconds * 1000;
    const isOver = (): boolean => performance.now() >= deadline || this.settings.isStopping;
    if (transfer.status !== 'pending' || isOver()) return { transfer, attempts };
    const { acceptConfirmed, assets } = await this.apps.settings(transfer.appId);
    const isAccepted = isAcceptedInBlock(acceptConfirmed, transfer.payment(), assets, this.networks);
    // At once and without reading the transfer again: some chains have carried it out already.
    let current = await this.trackTransfer.track(signed, attempts);
    const isAwaited = ({ status, includedAt }: Transfer): boolean =>
      status === 'pending' && !(isAccepted && includedAt !== null);
    const isDone = !isAwaited(current) && current.hash === transfer.hash;
    // Later than this, workers track it too and may have stored attempts that are not known here.
    if (isDone && current.updatedAt.getTime() - transfer.updatedAt.getTime() < TRACKED_AFTER_SECONDS * 1000) {
      return { transfer: current, attempts: attempts.map((each) => asStoredWith(current, each)) };
    }
    for (let pause = 50; isAwaited(current) && !isOver(); pause = Math.min(pause * 1.5 + 50, 1000)) {
      const left = deadline - performance.now();
      await new Promise((resolve) => setTimeout(resolve, Math.min(pause, left)));
      current = await this.trackTransfer.execute(transfer.appId, transfer.id);
    }
    return this.view(current);
  }

  private view({ appId, id }: Transfer): Promise<TransferView> {
    return this.transfers.view(appId, id);
  }
}
