import { evolve } from '../kernel/entity.js';
import { type Commands, FaultsFound, type Result } from '../services/cli/command.js';
import type { Config } from '../services/config/config.js';
import { Workspace } from './workspace.js';

export const BACKUP_COMMANDS: Commands<Workspace> = {
  'backup verify': {
    summary:
      'Prove that a backup can be used: a dump of pg_dump (any format), or the data directory of a volume snapshot. Restores it into a scratch database, which is removed afterwards; then all sealed values open, counts agree, the audit chains hold, the rows are as the service wrote them, and the transfers that need a decision are listed. The dump goes to the server of DATABASE_URL, or to that of --server. Exits with 1 when something is not right.',
    operands: ['backup'],
    options: {
      server: { type: 'string' },
      user: { type: 'string' },
      database: { type: 'string' },
      programs: { type: 'string' },
    },
    async run({ backup, server, user, database, programs }, workspace) {
      const { isDataDirectory, isOfService, restoreDump, startSnapshot } = await import('./scratch-database.js');
      const say = (line: string): void => workspace.terminal.err(`${line}\n`);
      const path = String(backup);
      const { databaseUrl, databaseDirectUrl } = workspace.config;
      const isSnapshot = await isDataDirectory(path);
      const scratch = isSnapshot
        ? await startSnapshot(
            {
              path,
              user: textOf(user) ?? decodeURIComponent(new URL(databaseUrl ?? 'postgres://postgres@x').username),
              database:
                textOf(database) ??
                decodeURIComponent(new URL(databaseUrl ?? 'postgres://x/postgres').pathname.slice(1)),
              programs: textOf(programs),
            },
            say,
          )
        : await restoreDump(path, textOf(server) ?? databaseDirectUrl ?? (await workspace.databaseUrl()), say);
      // The restored service runs no workers, and never uses the service's own database.
      const config = evolve<Config>(workspace.config, { databaseUrl: scratch.url, databaseDirectUrl: undefined });
      const restored = new Workspace(config, workspace.terminal);
      try {
        // Migrations would turn an empty or cut dump into a new database, in which nothing is wrong.
        if (!(await isOfService(scratch.url))) throw new Error('The backup holds no database of this service.');
        return await verify(restored, isSnapshot ? 'snapshot' : 'dump', say);
      } finally {
        await restored.close();
        await scratch.drop();
      }
    },
  },
};

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

async function verify(workspace: Workspace, backup: string, say: (line: string) => void): Promise<Result> {
  const [{ migrate }, { Rewrapping }, { SealRows }, { VerifyChains }, { Database }] = await Promise.all([
    import('../service.js'),
    import('../services/crypto/rewrapping.js'),
    import('../services/crypto/service-row-macs.js'),
    import('../modules/audit/index.js'),
    import('../postgres/database.js'),
  ]);
  const migrations = await migrate(workspace.config, await workspace.databaseUrl(), say, true);
  // It refuses to start without the master keys of the backup.
  const service = await workspace.service();
  say('opening sealed values');
  const keys = await service.get(Rewrapping).openAll((column, values) => say(`${column}: ${values} opened`));
  say('comparing rows with their MACs');
  const rows = await service.get(SealRows).verify((table, compared) => say(`${table}: ${compared} rows compared`));
  say('verifying the audit chains');
  const { faults, chains, entries, broken } = await service.get(VerifyChains).execute(null, say, null);
  const counts = await countsOf(service.get(Database));
  say('looking for open transfers');
  const open = await service.get(Database).list<OpenTransfer>(OPEN_TRANSFERS);
  const result: Record<string, string | number> = {
    backup,
    migrations_applied: migrations,
    ...counts.rows,
    counts: counts.faults.length === 0 ? 'agree' : counts.faults.join(' '),
    values_opened: keys.opened,
    values_not_opened: keys.broken,
    rows_compared: rows.compared,
    rows_wrong: rows.wrong,
    audit_chains: chains,
    audit_entries: entries,
    audit_broken: broken,
    transfers_to_decide: open.length,
  };
  for (const { appId, number, difference } of faults) result[`${appId || 'no app'} #${number}`] = difference;
  for (const [table, ids] of Object.entries(rows.named)) result[table] = ids.join(' ');
  for (const { appId, id, network, stage } of open) result[id] = `${appId} ${network}: ${DECISIONS[stage] ?? ON_CHAIN}`;
  if (counts.faults.length + keys.broken + rows.wrong + broken > 0) throw new FaultsFound(result);
  return result;
}

interface OpenTransfer {
  readonly appId: string;
  readonly id: string;
  readonly network: string;
  readonly stage: string;
}

const OPEN_TRANSFERS = `
  select t.app_id as "appId", t.id, t.network, coalesce(t.stage, t.status) as stage
    from known_apps a join transfers t on t.app_id = a.app_id
   where t.status in ('unconfirmed', 'awaiting_approval', 'pending') order by 1, 2 limit 1000`;

/** The sentence for a transfer that had not ended, by its stage. */
const DECISIONS: Readonly<Record<string, string>> = {
  unconfirmed: 'not confirmed in the backup; if it was confirmed later, the chain shows its payment',
  awaiting_approval: 'waits for approvals in the backup; if it was approved later, the chain shows its payment',
  queued: 'confirmed and not signed in the backup; it is paid after a restore unless the chain shows its payment',
};
const ON_CHAIN = 'signed in the backup; the chain decides whether it was paid';

interface Counts {
  readonly rows: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
}

/** Compares numbers of rows with what other tables say of them: a dump that was cut, or made of parts, has other ones. */
async function countsOf(database: { list<R extends object>(sql: string): Promise<R[]> }): Promise<Counts> {
  const rows: Record<string, number> = {};
  const faults: string[] = [];
  for (const [table, sql] of Object.entries(COUNTED)) {
    const [{ total, wrong }] = (await database.list<{ total: number; wrong: number }>(sql)) as [
      { total: number; wrong: number },
    ];
    rows[table] = total;
    if (wrong > 0) faults.push(`${table}: ${wrong} do not agree.`);
  }
  return { rows, faults };
}

/** The rows of each table, and how many of them lack the row to which they belong. */
const COUNTED: Readonly<Record<string, string>> = {
  apps: `select count(*)::int as total, 0 as wrong from known_apps a join live_apps l on l.app_id = a.app_id`,
  users: `select count(*)::int as total, 0 as wrong from known_apps a join users u on u.app_id = a.app_id`,
  emails: belongs('emails', 'users', 'user_id'),
  wallets: `select count(*)::int as total, 0 as wrong from known_apps a join wallets w on w.app_id = a.app_id`,
  transfers: belongs('transfers', 'wallets', 'source'),
  transfer_attempts: belongs('transfer_attempts', 'transfers', 'transfer_id'),
  // Positions have no gap, and a partition that was dropped is their beginning.
  events: `select coalesce(sum(l.events), 0)::int as total,
                  count(*) filter (where l.events <> p.last_position - l.first + 1)::int as wrong
             from known_apps a join event_positions p on p.app_id = a.app_id
             cross join lateral (select count(*) as events, min(position) as first from event_log e where e.app_id = a.app_id) l
            where l.events > 0`,
};

function belongs(table: string, owner: string, column: string): string {
  return `select count(*)::int as total, count(*) filter (where o.id is null)::int as wrong
            from known_apps a join ${table} t on t.app_id = a.app_id
            left join ${owner} o on o.app_id = t.app_id and o.id = t.${column}
           where t.${column} is not null`;
}
