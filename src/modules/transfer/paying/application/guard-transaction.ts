import { Injectable } from '@nestjs/common';
import { Chains } from '../../../../kernel/chain/chain.js';
import { FeeTooHigh } from '../../../../kernel/chain/chain.errors.js';
import { NodeCalls } from '../../../../kernel/chain/node-calls.js';
import {
  type SigningGuard,
  type TransactionIntent,
  WalletHasOpenTransfers,
  type WalletView,
} from '../../../wallet/index.js';
import { SenderQueueRepository } from '../../transfer/domain/sender-queue.repository.js';
import { TransferSettings } from '../../transfer/domain/transfer-settings.js';

/** Applies the operator's fee ceilings to a caller's own transaction, and keeps it from blocking the wallet's transfers. */
@Injectable()
export class GuardTransaction implements SigningGuard {
  constructor(
    private readonly queues: SenderQueueRepository,
    private readonly settings: TransferSettings,
    private readonly chains: Chains,
    private readonly nodeCalls: NodeCalls,
  ) {}

  /** The fees that the chain itself sets; a network without an endpoint cannot be asked. */
  async assertFees({ appId }: WalletView, transaction: TransactionIntent): Promise<void> {
    const ceilings = this.settings.feeCeilings(transaction.network);
    const chain = this.chains.all.find(({ name }) => name === ceilings?.name);
    if (chain?.takesDataFees) await this.nodeCalls.run(chain.name, appId, () => chain.assertDataFees(transaction));
  }

  async assertMaySign({ appId, publicAddress: address }: WalletView, transaction: TransactionIntent): Promise<void> {
    const { network, maxFeePerGas, maxPriorityFeePerGas } = transaction;
    const ceilings = this.settings.feeCeilings(network);
    if (ceilings && maxFeePerGas > ceilings.maxFeePerGas)
      throw FeeTooHigh.above('ETHEREUM_MAX_FEE_PER_GAS', ceilings.name);
    if (ceilings && maxPriorityFeePerGas > ceilings.maxTip) throw FeeTooHigh.above('ETHEREUM_MAX_TIP', ceilings.name);
    // A transaction of the caller with a nonce of the sender queue would block its transfers, or make them appear dead.
    if (await this.queues.hasOpenTransfers({ appId, network, address })) throw new WalletHasOpenTransfers();
  }
}
