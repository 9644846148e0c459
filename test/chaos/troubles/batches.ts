import { NETWORKS, walletTypeOf } from '../networks/names.js';
import { oneOf, type TroubleKind } from './trouble.js';

/** Three orders of a wallet are created as a batch, and confirmed together by several callers at once. */
export const batches = (): TroubleKind<'batches'> => ({
  name: 'batches',
  networks: NETWORKS,
  everyMs: 6_000,
  isHeavy: true,
  async make({ client, wallets, orders, random }, network) {
    const wallet = oneOf(
      wallets.filter(({ chain }) => chain === walletTypeOf(network)),
      random,
    )!;
    const order = () => client.orderOf(wallet, network);
    const made = [order(), order(), order()] as const;
    await client.payTogether(made);
    orders.push(...made);
  },
});
