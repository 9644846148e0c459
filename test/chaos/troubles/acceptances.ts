import { AMOUNT, MANAGEMENT_KEY } from '../client.js';
import { NETWORKS } from '../networks/names.js';
import type { TroubleKind } from './trouble.js';

/** An app waits only for the first block of its payments in coins (`accept_confirmed`), which a reorganisation may drop. */
export const acceptances = (): TroubleKind<'acceptances'> => ({
  name: 'acceptances',
  networks: NETWORKS,
  async prepare({ client, wallets }) {
    const accept_confirmed = NETWORKS.map((currency) => ({ currency, max_amount: AMOUNT }));
    await client.insist('PATCH', `/management/v1/apps/${wallets[0]!.appId}`, MANAGEMENT_KEY, { accept_confirmed });
  },
  shape: async (order, { wallets }) => (order.token || order.wallet.appId !== wallets[0]!.appId ? null : order),
});
