import type { Commands } from '../../services/cli/command.js';

export const CHAIN_COMMANDS: Commands = {
  networks: {
    summary: 'List the networks that the service has used, each with the block by which it is known.',
    run: (_, workspace) =>
      workspace.withDatabase(async (database) => {
        const networks = await database.list<{ network: string; block: string }>(
          `select network, concat('block ', block_number, ' is ', block_hash) as block from networks order by network`,
        );
        return Object.fromEntries(networks.map(({ network, block }) => [network, block]));
      }),
  },
};
