import { Injectable } from '@nestjs/common';
import { FeeTooHigh } from '../../../kernel/chain/chain.errors.js';
import { type TransactionIntent, WalletHasOpenTransfers, type WalletView } from '../../wallet/index.js';
import { SenderQueueRepository } from '../domain/sender-queue.repository.js';
import { TransferSettings } from '../domain/transfer-settings.js';

/** Refuses to sign a caller's own transaction when its fees are above the operator's ceilings, or when it would block the wallet's transfers. */
@Injectable()
export class GuardTransaction {
  constructor(
    private readonly queues: SenderQueueRepository,
    private readonly settings: TransferSettings,
  ) {}

  /** Throws `WalletHasOpenTransfers`, and `FeeTooHigh` when the fees are above the operator's ceilings. */
  async execute({ appId, publicAddress: address }: WalletView, transaction: TransactionIntent): Promise<void> {
    const { network, maxFeePerGas, maxPriorityFeePerGas } = transaction;
    const ceilings = this.settings.feeCeilings(network);
    if (ceilings && maxFeePerGas > ceilings.maxFeePerGas)
      throw FeeTooHigh.above('ETHEREUM_MAX_FEE_PER_GAS', ceilings.name);
    if (ceilings && maxPriorityFeePerGas > ceilings.maxTip) throw FeeTooHigh.above('ETHEREUM_MAX_TIP', ceilings.name);
    // A transaction of the caller with a nonce of the sender queue would block its transfers, or make them appear dead.
    if (await this.queues.hasOpenTransfers({ appId, network, address })) throw new WalletHasOpenTransfers();
  }
}
