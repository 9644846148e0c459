import { Wallet as EthersWallet, parseEther } from 'ethers';
import { AMOUNT } from '../client.js';
import { EVM_NETWORKS } from '../networks/names.js';
import { oneOf, URGENT_FEES, type TroubleKind } from './trouble.js';

/**
 * The other holder of a wallet's key sends a transaction of its account to the node itself, with the nonce of a payment of the
 * service. Half of them make that very payment: the order then is paid by the holder.
 */
export const elsewhere = (): TroubleKind<'elsewhere'> => ({
  name: 'elsewhere',
  networks: EVM_NETWORKS,
  everyMs: 700,
  async make({ chains, books, orders, keys, random }, name) {
    const { anvil, id: network, foreign } = chains.evmNamed(name)!;
    const address = oneOf([...keys.keys()], random);
    if (address === undefined) return false;
    const holder = new EthersWallet(keys.get(address)!);
    const nonce = await anvil.provider.getTransactionCount(address, random() < 0.7 ? 'latest' : 'pending');
    const id = await books.paymentWith(network, address, nonce);
    const payment = orders.find((order) => !order.token && id !== null && order.transfers.includes(id)) ?? null;
    const order = random() < 0.5 ? payment : null;
    const raw = await holder.signTransaction({
      chainId: anvil.chainId,
      type: 2,
      to: order?.dest ?? address,
      value: order ? parseEther(AMOUNT) : 0n,
      nonce,
      gasLimit: 100_000,
      ...URGENT_FEES,
    });
    // Refused if the nonce was used meanwhile.
    const hash = await anvil.call<string>('eth_sendRawTransaction', raw).catch(() => null);
    if (hash === null) return false;
    foreign.set(hash, { hash, from: address, nonce, order });
  },
  happened: async ({ chains }, name) => {
    const network = chains.evmNamed(name)!;
    return (await network.landedOf([...network.foreign.values()])).length;
  },
});
