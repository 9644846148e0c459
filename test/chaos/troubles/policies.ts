import { setTimeout as sleep } from 'node:timers/promises';
import { newAddress } from '../../support/money.js';
import { MANAGEMENT_KEY } from '../client.js';
import { NETWORKS } from '../networks/names.js';
import { oneOf, type TroubleKind } from './trouble.js';

const TIGHTENED_MS = 1_200;

/** An app allows payments to one address only, or smaller ones only, and then any again. */
export const policies = (): TroubleKind<'policies'> => ({
  name: 'policies',
  everyMs: 3_500,
  async make({ client, wallets, random, pace }) {
    const { appId } = oneOf(wallets, random)!;
    // A bound closes exports too, unless the app states otherwise.
    const signing_policy = { allows_export: true };
    const set = (transfer_policy: object) =>
      client.insist('PATCH', `/management/v1/apps/${appId}`, MANAGEMENT_KEY, { transfer_policy, signing_policy });
    const max_amounts = NETWORKS.map((currency) => ({ currency, max_amount: '0.001' }));
    await set(random() < 0.5 ? { allowed_destinations: [newAddress('ethereum')] } : { max_amounts });
    await sleep(TIGHTENED_MS * pace.factor);
    await set({ allowed_destinations: null, max_amounts: [] });
  },
});
