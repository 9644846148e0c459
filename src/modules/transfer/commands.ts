import type { Commands } from '../../services/cli/command.js';
import { orderIn } from '../../services/cli/requester.js';

export const NETWORK_COMMANDS: Commands = {
  'networks begin-anew': {
    summary:
      'Use the chain on which the nodes of --network are now, such as a development chain that was restarted. The transfers of the earlier chain keep their state under another name, and what is pending there stays pending.',
    options: { network: { type: 'string' }, reason: { type: 'string' } },
    required: ['network', 'reason'],
    async run(values, workspace) {
      const { BeginNetworkAnew } = await import('./deposits/application/begin-network-anew.js');
      const beginAnew = (await workspace.service()).get(BeginNetworkAnew);
      const { earlier, pending } = await beginAnew.execute(orderIn(values), String(values['network']));
      return { earlier_network: earlier, pending_there: pending };
    },
  },
  'deposits restart': {
    summary:
      'Begin the search for deposits on --network again at its newest final block. Payments in the blocks that it has not reached are not found.',
    options: { network: { type: 'string' }, reason: { type: 'string' } },
    required: ['network', 'reason'],
    async run(values, workspace) {
      const { RestartDeposits } = await import('./deposits/application/restart-deposits.js');
      const restart = (await workspace.service()).get(RestartDeposits);
      const network = String(values['network']);
      await restart.execute(orderIn(values), network);
      return { restarted: network };
    },
  },
};
