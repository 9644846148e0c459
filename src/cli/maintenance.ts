import { liveReplicas } from '../postgres/replicas.js';
import { requireKeys } from './doctor.js';
import { endStop, stopAllSigning } from './signing-stop.js';
import { requireMigrations, type Workspace } from './workspace.js';
import { parseAppId } from '../services/cli/arguments.js';
import { orderIn } from '../services/cli/requester.js';
import { type Commands, FaultsFound, type Result } from '../services/cli/command.js';

const MAX_DEAD_JOBS = 100;

export const MAINTENANCE_COMMANDS: Commands<Workspace> = {
  migrate: {
    summary:
      'Apply all migrations that the database lacks. One that removes something refuses to run beside other replicas; --nobody-else says that there are none, where a pooler hides them.',
    options: { 'nobody-else': { type: 'boolean', default: false } },
    async run({ 'nobody-else': isAlone }, workspace) {
      const { migrate } = await import('../service.js');
      const { config, terminal } = workspace;
      const log = (line: string): void => terminal.err(`${line}\n`);
      return { applied: await migrate(config, await workspace.databaseUrl(), log, isAlone === true) };
    },
  },
  replicas: {
    summary: 'List the replicas that run: host, release, revision, role, start and last sign of life.',
    run: (_, workspace) =>
      workspace.withDataSource(async (dataSource) => {
        const replicas = await liveReplicas((sql) => dataSource.query(sql));
        return Object.fromEntries(
          replicas.map(({ id, host, version, revision, role, startedAt, seenAt }) => [
            id,
            `${host}, ${version}, revision ${revision}, role ${role}, started ${startedAt.toISOString()}, seen ${seenAt.toISOString()}`,
          ]),
        );
      }),
  },
  freeze: {
    summary:
      'Stop the keys of all apps (--all): from then on no replica signs. It needs the database alone. One app, user or wallet is frozen through the management API.',
    options: { all: { type: 'boolean' }, reason: { type: 'string' } },
    required: ['all', 'reason'],
    run: (values, workspace) =>
      workspace.withDataSource(async (dataSource) => {
        const { reason } = orderIn(values);
        const since = await stopAllSigning((sql, parameters) => dataSource.query(sql, parameters), reason);
        return { frozen_since: since.toISOString() };
      }),
  },
  thaw: {
    summary: 'End freeze --all. The freezes of apps, users and wallets stay.',
    options: { all: { type: 'boolean' } },
    required: ['all'],
    run: (_, workspace) =>
      workspace.withDatabase(async (database, dataSource) => {
        const { PostgresTransactions } = await import('../postgres/postgres-transactions.js');
        await requireKeys(workspace, dataSource);
        return { thawed: await endStop(database, new PostgresTransactions(dataSource)) };
      }),
  },
  distribute: {
    summary:
      'Distribute the tables over the nodes of a Citus cluster whose coordinator DATABASE_URL names. Safe to repeat.',
    async run(_, workspace) {
      const { distribute } = await import('../postgres/distribute.js');
      return workspace.withDataSource(async (dataSource) => {
        await requireMigrations(dataSource);
        return distribute(dataSource, (line) => workspace.terminal.err(`${line}\n`));
      });
    },
  },
  'rotate-signing-keys': {
    summary: "Make an app's next signing key sign its session JWTs from now on.",
    options: { app: { type: 'string' } },
    required: ['app'],
    async run({ app }, workspace) {
      const appId = parseAppId(app);
      const { SessionFacade } = await import('../modules/session/index.js');
      return { rotated: await (await workspace.service()).get(SessionFacade).rotateSigningKeys(appId) };
    },
  },
  rewrap: {
    summary:
      'Re-wrap all sealed values under the current master key. --retire also retires keys that seal nothing any more. Exits with status 1 when values do not open.',
    options: { retire: { type: 'boolean', default: false } },
    async run({ retire }, workspace) {
      const { Rewrapping } = await import('../services/crypto/rewrapping.js');
      const rewrapping = (await workspace.service()).get(Rewrapping);
      const { rewrapped, broken } = await rewrapping.rewrapAll();
      const retired = retire && { retired: (await rewrapping.retireUnused()).join(' ') || 'none' };
      const result = { rewrapped, broken, ...retired };
      if (broken > 0) throw new FaultsFound(result);
      return result;
    },
  },
  'seal rows': {
    summary:
      'Give the rows of a database of an earlier release their MACs, once no replica of that release is left: from then on rows without one are refused. Rows that had theirs before are compared. Exits with status 1 when a row is not as the service wrote it. It refuses to run beside replicas of an earlier release; --nobody-else says that there are none, where a pooler hides them.',
    options: { 'nobody-else': { type: 'boolean', default: false } },
    async run({ 'nobody-else': isAlone }, workspace): Promise<Result> {
      const { SealRows } = await import('../services/crypto/service-row-macs.js');
      const named: Record<string, string> = {};
      const rows = (await workspace.service()).get(SealRows);
      const others = { isPooled: workspace.config.databaseDirectUrl !== undefined, isAlone: isAlone === true };
      const { signed, wrong } = await rows.execute((table, done, isSigned) => {
        workspace.terminal.err(`${table}: ${done.rows} rows, ${done.wrong} without the right MAC\n`);
        if (done.wrong > 0 && !isSigned) named[table] = done.named.join(' ');
      }, others);
      if (wrong > 0) throw new FaultsFound({ signed, wrong, ...named });
      return { signed, wrong };
    },
  },
  'dead-jobs': {
    summary: 'List dead jobs with their last error. --revive <id> queues one of them again.',
    options: { revive: { type: 'string' } },
    async run({ revive }, workspace) {
      const { DeadJobs } = await import('../services/jobs/dead-jobs.js');
      return workspace.withDatabase(async (database): Promise<Result> => {
        const jobs = new DeadJobs(database);
        if (typeof revive === 'string') return { revived: await jobs.revive(revive) };
        const dead = await jobs.list(MAX_DEAD_JOBS);
        return Object.fromEntries(
          dead.map(({ id, kind, attempts, error }) => [id, `${kind}, ${attempts} tries: ${error}`]),
        );
      });
    },
  },
};
