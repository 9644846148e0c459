import { WALLET_TYPES, type WalletType } from '../../../src/kernel/chain/chain-name.js';
import { parseUnits } from 'ethers';
import { makeWallet, type Order, type Wallet } from '../client.js';
import { type NetworkName, NETWORKS, walletTypeOf } from '../networks/names.js';
import type { Stage, TroubleKind } from './trouble.js';

/** The coins of a payer before a payment. Below the second amount it gets new ones, so that a second payment would be possible. */
const HELD = '0.05';
const LOW = '0.02';

/**
 * A wallet pays everything that it has (`max`) while another payment of it is open. After a reorganisation, which may take the coins
 * back, it gets them again.
 */
export const max = (): TroubleKind<'max'> => {
  const payers = new Map<WalletType, Wallet>();
  const last = new Map<NetworkName, Order>();
  let funding: NodeJS.Timeout | undefined;

  async function fund({ chains }: Stage): Promise<void> {
    for (const network of chains.all) {
      const { address } = payers.get(walletTypeOf(network.name))!;
      if ((await network.balance(address)) < parseUnits(LOW, network.decimals))
        await network.fund(address, parseUnits(HELD, network.decimals));
    }
  }

  return {
    name: 'max',
    networks: NETWORKS,
    everyMs: 5_000,
    isHeavy: true,
    async prepare(stage) {
      for (const type of WALLET_TYPES)
        payers.set(type, await makeWallet(stage.client, type, stage.wallets[0]!, `max-${type}@example.com`));
      await fund(stage);
      // At any time, because an order that is paid again waits for coins, and those that serve orders wait for it.
      funding = setInterval(() => void fund(stage).catch(() => undefined), 1_000).unref();
    },
    async make({ client, books, orders }, network) {
      const former = last.get(network)?.transfers.at(-1);
      if (former !== undefined && (await books.read()).get(former)?.status !== 'completed') return false;
      const wallet = payers.get(walletTypeOf(network))!;
      const beside = client.orderOf(wallet, network);
      const all: Order = { ...client.orderOf(wallet, network), amount: 'max' };
      last.set(network, all);
      await client.pay(beside);
      orders.push(beside);
      await client.pay(all);
      orders.push(all);
    },
    async stop() {
      clearInterval(funding);
    },
  };
};
