import { WrongUsage } from '../services/cli/arguments.js';
import type { Commands } from '../services/cli/command.js';
import { BY_CLI } from '../services/cli/requester.js';
import type { Workspace } from './workspace.js';

export const DEVELOPMENT_COMMANDS: Commands<Workspace> = {
  'demo reset': {
    summary: 'Give the demo app of a development start its first settings and objects again. Its keys stay valid.',
    async run(_, workspace) {
      if (workspace.config.nodeEnv !== 'development') throw new Error('Only a development start has a demo app.');
      // A production service never loads src/dev.
      const { resetDemo } = await import('../dev/demo-reset.js');
      return { app_id: await resetDemo(await workspace.service(), BY_CLI) };
    },
  },
  fund: {
    summary: 'Send ether to an address on the local Ethereum network that a start in development brings with it.',
    operands: ['address', 'amount'],
    async run(values, { config }) {
      const { getAddress } = await import('ethers/address');
      const { formatEther, parseEther } = await import('ethers/utils');
      const address = valid(
        () => getAddress(String(values['address'])),
        'The address must be an Ethereum address (0x…).',
      );
      const wei = valid(() => parseEther(String(values['amount'])), 'The amount must be a decimal number of ether.');
      if (wei <= 0n) throw new WrongUsage('The amount must be positive.');
      if (!config.hasLocalChain)
        throw new Error(
          'Only a start in development without DATABASE_URL and without an Ethereum network of its own (ETHEREUM_RPC_URL, NETWORKS) has a local network.',
        );
      const { fundOnLocalChain } = await import('../dev/local-chain.js');
      const { hash, balance } = await fundOnLocalChain(config.dataDir, address, wei);
      return { transaction: hash, balance: formatEther(balance) };
    },
  },
};

function valid<T>(parse: () => T, fault: string): T {
  try {
    return parse();
  } catch {
    throw new WrongUsage(fault);
  }
}
