import type { Database } from '../../postgres/database.js';
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

const HELD = `
  select count(*)::int as held from known_apps k join sender_queues l on l.app_id = k.app_id and l.history = ''`;
// Reading all queues would take too long. The last transfers of each app show that the database has come to another history.
const UNCOMPARED = `
  select count(*)::int as uncompared
    from known_apps k cross join lateral (
      select distinct t.app_id, t.network, t.source_address
        from (select * from transfers t where t.app_id = k.app_id order by t.id desc limit 10) t
        left join sender_queues l on l.app_id = t.app_id and l.network = t.network and l.address = t.source_address
       where t.confirmed_at is not null
         and coalesce(t.history, '') <> database_history() and coalesce(l.history, 'none') not in ('', database_history())) q
   where q.app_id = k.app_id`;

/** Reads the state of the sender queues from the database alone: `doctor` must not load the module. */
export async function storedBooks(database: Database): Promise<string> {
  const [{ held }] = (await database.list(HELD)) as [{ held: number }];
  if (held > 0) throw new Error(`The service holds ${held} sender queues. Run: transfers reconcile`);
  const [{ uncompared }] = (await database.list(UNCOMPARED)) as [{ uncompared: number }];
  const since = uncompared > 0 ? `; not compared since the database was restored or promoted: ${uncompared}` : '';
  return `no sender queue is held${since}; doctor --chains compares them with the chain`;
}
