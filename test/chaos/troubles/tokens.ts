import type { WalletType } from '../../../src/kernel/chain/chain-name.js';
import { toBeHex } from 'ethers';
import { MANAGEMENT_KEY, type PaidToken } from '../client.js';
import type { TroubleKind } from './trouble.js';

const DECIMALS = 6;
const EACH_WALLET_HAS = 10n ** 15n;

/** Payments of a token on each chain, whose fees are paid in coins. */
export const tokens = (): TroubleKind<'tokens'> => {
  const made = new Map<WalletType, PaidToken>();
  const owners = new Set<string>();
  const asked: Record<WalletType, number> = { ethereum: 0, solana: 0 };
  return {
    name: 'tokens',
    async prepare({ chains: { anvil, solana }, client, wallets }) {
      const onEthereum = await anvil.deployToken(wallets[0]!.address, 1n, DECIMALS);
      const onSolana = solana.createMint(DECIMALS);
      made.set('ethereum', { name: 'coupon', address: onEthereum, decimals: DECIMALS });
      made.set('solana', { name: 'voucher', address: onSolana, decimals: DECIMALS });
      for (const { chain, address } of wallets) {
        owners.add(address);
        if (chain === 'solana') await solana.fundToken(onSolana, address, EACH_WALLET_HAS);
        else {
          const [slot, held] = [toBeHex(address, 32), toBeHex(EACH_WALLET_HAS, 32)];
          await anvil.call('anvil_setStorageAt', onEthereum, slot, held);
        }
      }
      const assets = [...made].map(([chain, { name, address, decimals }]) => {
        return { chain, name, symbol: name.slice(0, 3).toUpperCase(), decimals, token: address };
      });
      for (const appId of new Set(wallets.map((wallet) => wallet.appId))) {
        await client.insist('PATCH', `/management/v1/apps/${appId}`, MANAGEMENT_KEY, { assets });
      }
    },
    async shape(order) {
      const { chain, address } = order.wallet;
      return owners.has(address) && asked[chain]++ % 3 === 0 ? { ...order, token: made.get(chain)! } : null;
    },
  };
};
