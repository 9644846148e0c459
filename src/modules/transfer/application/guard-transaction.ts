import { Injectable } from '@nestjs/common';
import { AppsFacade } from '../../apps/index.js';
import { type TransactionIntent, WalletHasOpenTransfers, type WalletView } from '../../wallet/index.js';
import { assetOfToken } from '../domain/asset.js';
import { LaneRepository } from '../domain/lane.repository.js';
import { TransferSettings } from '../domain/transfer-settings.js';

/** Keeps a transaction that a caller is to send from getting around the app's policy, and out of the way of transfers. */
@Injectable()
export class GuardTransaction {
  constructor(
    private readonly apps: AppsFacade,
    private readonly lanes: LaneRepository,
    private readonly settings: TransferSettings,
  ) {}

  /** Throws what `AppsFacade.assertMayPay` throws, and `WalletHasOpenTransfers`. */
  async execute({ appId, publicAddress: address }: WalletView, { network, payment }: TransactionIntent): Promise<void> {
    const { assets } = await this.apps.settings(appId);
    // On another network the same addresses are other tokens, and other people's.
    const isOurs = network === this.settings.ethereumNetwork;
    const asset = payment && isOurs ? assetOfToken('ethereum', payment.token, assets) : null;
    await this.apps.assertMayPay(appId, payment && asset && { ...payment, asset });
    // A foreign transaction with a nonce of the lane would jam its transfers, or make them look dead.
    if (await this.lanes.isOpen({ appId, network, address })) throw new WalletHasOpenTransfers();
  }
}
