import { type AppId, newId, type UserId } from '../../../src/kernel/ids.js';
import { DepositRepository } from '../../../src/modules/transfer/deposits/domain/deposit.js';
import { WalletRepository } from '../../../src/modules/wallet/wallets/domain/wallet.repository.js';
import type { ModuleFacts } from '../../support/module-facts.js';
import { newAddress } from '../../support/money.js';
import { NATIVE_ASSETS } from '../../support/native-assets.js';

export const facts: ModuleFacts = {
  // A wallet of the user with three deposits, so that their list has pages.
  ids: async ({ nest }, app, userId) => {
    const appId = app.id as AppId;
    const { items } = await nest
      .get(WalletRepository, { strict: false })
      .list(appId, { limit: 1 }, { userId: userId as UserId });
    const walletId = items[0]!.id;
    const deposits = [1, 2, 3].map((block) => ({
      appId,
      id: newId('deposit'),
      walletId,
      userId: userId as UserId,
      asset: NATIVE_ASSETS.ethereum,
      network: 'eip155:1',
      amount: 1n,
      from: newAddress('ethereum'),
      hash: `0x${String(block).repeat(64)}`,
      position: -1,
      block,
      at: new Date(),
    }));
    await nest.get(DepositRepository, { strict: false }).add(appId, deposits);
    return { wallet_id: walletId };
  },
};
