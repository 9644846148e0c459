import { MANAGEMENT_KEY } from '../client.js';
import { NETWORKS } from '../networks/names.js';
import { putInForce, type TroubleKind } from './trouble.js';

/** The amounts of a coin that an agent may pay in a minute: 40 orders. */
const MOST_IN_A_MINUTE = '0.4';
/**
 * The amount that an agent may pay in an hour to one address: one order and its repetitions. An app may repeat a payment of which it has
 * seen that it was not made, and which stays counted without proof. It does so once for each nonce that the key was used for elsewhere,
 * until the service has compared its books with the chain again: in one run, two orders did so eleven times within ten seconds.
 */
const MOST_TO_AN_ADDRESS = '0.2';

/** Some orders in coins are paid by a restricted key with a budget of its own. */
export const agents = (): TroubleKind<'agents'> => {
  const keys = new Map<string, string>();
  let asked = 0;
  return {
    name: 'agents',
    async prepare(stage) {
      const { client, wallets } = stage;
      for (const id of new Set(wallets.map(({ appId }) => appId))) {
        const path = `/management/v1/apps/${id}`;
        const wanted = { kind: 'restricted', name: 'Agent', scopes: ['transfers:read', 'transfers:write'] };
        const key = await client.insist('POST', `${path}/keys`, MANAGEMENT_KEY, wanted);
        const rules = NETWORKS.map((coin) => ({
          id: coin,
          effect: 'allow',
          match: { operations: ['transfer'], assets: [coin] },
          windows: [
            { seconds: 60, max_amount: MOST_IN_A_MINUTE },
            { seconds: 3_600, max_amount: MOST_TO_AN_ADDRESS, per: 'destination' },
          ],
        }));
        const body = { name: 'Agent', scope: { kind: 'key', id: key['id'] }, rules };
        const policy = await client.insist('POST', `${path}/policies`, MANAGEMENT_KEY, body);
        await putInForce(stage, id, String(policy['id']));
        keys.set(id, String(key['key']));
      }
    },
    async shape(order) {
      if (order.token || asked++ % 3 !== 0) return null;
      return { ...order, wallet: { ...order.wallet, key: keys.get(order.wallet.appId)! } };
    },
  };
};
