import type { TroubleKind } from './trouble.js';

/** A second app, whose wallets pay at the same time. */
export const apps = (): TroubleKind<'apps'> => ({
  name: 'apps',
  shape: async (order, { wallets }) => (order.wallet.appId === wallets[0]!.appId ? null : order),
});
