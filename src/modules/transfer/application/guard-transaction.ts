import { Injectable } from '@nestjs/common';
import { FeeTooHigh } from '../../../kernel/chain/chain.errors.js';
import { AppsFacade, isBounding } from '../../apps/index.js';
import { type TransactionIntent, WalletHasOpenTransfers, type WalletView } from '../../wallet/index.js';
import { assetOfToken, NATIVE_ASSETS } from '../../../kernel/chain/asset.js';
import { SenderQueueRepository } from '../domain/sender-queue.repository.js';
import { TransferSettings } from '../domain/transfer-settings.js';

/** Refuses to sign a caller's own transaction when it would circumvent the app's policy or block the wallet's transfers. */
@Injectable()
export class GuardTransaction {
  constructor(
    private readonly apps: AppsFacade,
    private readonly queues: SenderQueueRepository,
    private readonly settings: TransferSettings,
  ) {}

  /**
   * Throws the errors of `AppsFacade.assertMayPay`, `WalletHasOpenTransfers`, and `FeeTooHigh` when the app has a transfer policy and the
   * fees are above the operator's ceilings.
   */
  async execute({ appId, publicAddress: address }: WalletView, transaction: TransactionIntent): Promise<void> {
    const { network, payment, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = transaction;
    const { assets, transferPolicy } = await this.apps.settings(appId);
    // On another network the same addresses mean other tokens and other owners.
    const isOurs = network === this.settings.ethereumNetwork;
    const asset = payment && isOurs ? assetOfToken('ethereum', payment.token, assets) : null;
    const fee = { asset: NATIVE_ASSETS.ethereum, amount: gasLimit * maxFeePerGas, isChosen: true };
    await this.apps.assertMayPay(appId, payment && asset && { ...payment, asset }, fee);
    if (isBounding(transferPolicy)) {
      const { ethereumMaxFeePerGas, ethereumMaxTip } = this.settings;
      if (maxFeePerGas > ethereumMaxFeePerGas) throw FeeTooHigh.above('ETHEREUM_MAX_FEE_PER_GAS');
      if (maxPriorityFeePerGas > ethereumMaxTip) throw FeeTooHigh.above('ETHEREUM_MAX_TIP');
    }
    // A transaction of the caller with a nonce of the sender queue would block its transfers, or make them appear dead.
    if (await this.queues.hasOpenTransfers({ appId, network, address })) throw new WalletHasOpenTransfers();
  }
}
