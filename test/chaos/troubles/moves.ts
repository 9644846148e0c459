import { setTimeout as sleep } from 'node:timers/promises';
import { Anvil } from '../../support/anvil.js';
import { ETH, SOL } from '../../support/money.js';
import { SolanaRuntime } from '../../support/solana-runtime.js';
import { oneOf, type TroubleKind } from './trouble.js';

const MOVED_MS = 2_000;

/**
 * An endpoint comes to answer for another chain with the same id, on which the same wallets have coins, and later for its own
 * chain again. Payments that are made there count for nothing.
 */
export const moves = (): TroubleKind<'moves'> => {
  let ethereum: Anvil | undefined;
  let solana: SolanaRuntime | undefined;
  return {
    name: 'moves',
    everyMs: 5_000,
    async prepare({ chains, wallets }) {
      ethereum = await Anvil.start({ chainId: chains.anvil.chainId, blockTime: 1 });
      solana = await SolanaRuntime.start({ slotMs: 100, finalizedAfter: 4 });
      for (const { chain, address } of wallets) {
        if (chain === 'ethereum') await ethereum.fund(address, 100n * ETH);
        else solana.fund(address, 100n * SOL);
      }
    },
    async make({ chains, random, pace }) {
      const isEthereum = random() < 0.5;
      const proxy = oneOf(isEthereum ? chains.proxies.ethereum : chains.proxies.solana, random)!;
      const { target } = proxy;
      proxy.target = (isEthereum ? ethereum : solana)!.url;
      await sleep(MOVED_MS * pace.factor);
      proxy.target = target;
    },
    async stop() {
      await ethereum?.stop();
      await solana?.stop();
    },
  };
};
