import { toBeHex } from 'ethers';
import { MANAGEMENT_KEY, type PaidToken } from '../client.js';
import { type NetworkName, NETWORKS } from '../networks/names.js';
import type { TroubleKind } from './trouble.js';

const DECIMALS = 6;
const EACH_WALLET_HAS = 10n ** 15n;

/** Payments of a token on each network, whose fees are paid in coins. On the EVM networks it has one name and one address. */
export const tokens = (): TroubleKind<'tokens'> => {
  const made = new Map<NetworkName, PaidToken>();
  const owners = new Set<string>();
  const asked: Record<NetworkName, number> = { ethereum: 0, sidechain: 0, solana: 0 };
  return {
    name: 'tokens',
    networks: NETWORKS,
    async prepare({ chains: { evm, solana }, client, wallets }) {
      for (const { address } of wallets) owners.add(address);
      for (const { name, anvil } of evm) {
        const token = await anvil.deployToken(wallets[0]!.address, 1n, DECIMALS);
        made.set(name, { name: 'coupon', address: token, decimals: DECIMALS });
        for (const { chain, address } of wallets) {
          if (chain === 'solana') continue;
          const [slot, held] = [toBeHex(address, 32), toBeHex(EACH_WALLET_HAS, 32)];
          await anvil.call('anvil_setStorageAt', token, slot, held);
        }
      }
      const mint = solana.runtime.createMint(DECIMALS);
      made.set('solana', { name: 'voucher', address: mint, decimals: DECIMALS });
      for (const { chain, address } of wallets)
        if (chain === 'solana') await solana.runtime.fundToken(mint, address, EACH_WALLET_HAS);
      const assets = [...made].map(([network, { name, address, decimals }]) => {
        return { network, name, symbol: name.slice(0, 3).toUpperCase(), decimals, token: address };
      });
      for (const appId of new Set(wallets.map((wallet) => wallet.appId))) {
        await client.insist('PATCH', `/management/v1/apps/${appId}`, MANAGEMENT_KEY, { assets });
      }
    },
    async shape(order) {
      const isNext = owners.has(order.wallet.address) && asked[order.network]++ % 3 === 0;
      return isNext ? { ...order, token: made.get(order.network)! } : null;
    },
  };
};
