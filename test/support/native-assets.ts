import { type ConfiguredNetwork, networkOf } from '../../src/kernel/chain/networks.js';
import type { WalletType } from '../../src/kernel/chain/chain-name.js';

const network = (name: WalletType, symbol: string): ConfiguredNetwork =>
  networkOf({ name, id: null, kind: name, symbol, explorer: null, hasNode: true });

/** The networks with the name of a wallet type. */
export const STANDARD_NETWORKS = [network('ethereum', 'ETH'), network('solana', 'SOL')] as const;

/** Their coins. */
export const NATIVE_ASSETS = { ethereum: STANDARD_NETWORKS[0].native, solana: STANDARD_NETWORKS[1].native };
