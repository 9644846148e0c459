import { Wallet as EthersWallet } from 'ethers';
import { seal } from '../../support/hpke-peer.js';
import { ETH } from '../../support/money.js';
import type { Client } from '../client.js';
import { oneOf, type TroubleKind } from './trouble.js';

/** The imports of a run. Their addresses are funded before the first reorganisation, which could undo it. */
const MOST = 40;

/** A key is imported, and its wallet pays. The key exists outside the service too. */
export const imports = (): TroubleKind<'imports'> => {
  const spare = Array.from({ length: MOST }, () => new EthersWallet(EthersWallet.createRandom().privateKey));
  return {
    name: 'imports',
    everyMs: 2_500,
    async prepare({ chains }) {
      for (const network of chains.evm) for (const { address } of spare) await network.fund(address, 100n * ETH);
    },
    async make({ client, wallets, orders, keys, random }) {
      const owner = spare.pop();
      if (!owner) return false;
      const { appId, key } = oneOf(wallets, random)!;
      const email = `${owner.address.toLowerCase()}@example.com`;
      const user = await client.insist('POST', '/v1/auth/users/create', key, { email, wallet_type: 'none' });
      const userId = String(user['user_id']);
      let id: string | undefined;
      while (id === undefined) {
        await importKey(client, key, userId, owner.privateKey);
        const { wallets: stored } = await client.insist('GET', `/v1/wallets/list?user_id=${userId}`, key);
        id = (stored as { id: string }[])[0]?.id;
      }
      keys.set(owner.address, owner.privateKey);
      const order = client.orderOf({ chain: 'ethereum', id, address: owner.address, key, appId, userId });
      await client.pay(order);
      orders.push(order);
    },
  };
};

/** Ignores the response of the import: its success shows in the list of wallets. */
async function importKey(client: Client, key: string, user_id: string, secret: string): Promise<void> {
  const wanted = { user_id, wallet_type: 'ethereum' };
  const begun = await client.insist('POST', '/v1/wallets/import/begin', key, wanted);
  const { enc, ct } = seal(Buffer.from(String(begun['encryption_public_key']), 'base64'), Buffer.from(secret));
  const sealed = { encapsulated_key: enc.toString('base64'), ciphertext: ct.toString('base64') };
  await client.call('POST', '/v1/wallets/import', key, { id: begun['id'], ...sealed });
}
