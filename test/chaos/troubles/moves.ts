import { setTimeout as sleep } from 'node:timers/promises';
import { Anvil } from '../../support/anvil.js';
import { ETH, SOL } from '../../support/money.js';
import { SolanaRuntime } from '../../support/solana-runtime.js';
import { type NetworkName, NETWORKS } from '../networks/names.js';
import { oneOf, type TroubleKind } from './trouble.js';

const MOVED_MS = 2_000;

/**
 * An endpoint comes to answer for another chain with the same id, on which the same wallets have coins, and later for its own
 * chain again. Payments that are made there count for nothing.
 */
export const moves = (): TroubleKind<'moves'> => {
  const twins = new Map<NetworkName, Anvil | SolanaRuntime>();
  return {
    name: 'moves',
    networks: NETWORKS,
    everyMs: 10_000,
    async prepare({ chains, wallets }) {
      for (const { name, anvil } of chains.evm) {
        const twin = await Anvil.start({ chainId: anvil.chainId, blockTime: 1 });
        twins.set(name, twin);
        for (const { chain, address } of wallets) if (chain === 'ethereum') await twin.fund(address, 100n * ETH);
      }
      const twin = await SolanaRuntime.start({ slotMs: 100, finalizedAfter: 4 });
      twins.set('solana', twin);
      for (const { chain, address } of wallets) if (chain === 'solana') twin.fund(address, 100n * SOL);
    },
    async make({ chains, random, pace }, network) {
      const proxy = oneOf(chains.named(network).proxies, random)!;
      const { target } = proxy;
      proxy.target = twins.get(network)!.url;
      await sleep(MOVED_MS * pace.factor);
      proxy.target = target;
    },
    async stop() {
      for (const twin of twins.values()) await twin.stop();
    },
  };
};
