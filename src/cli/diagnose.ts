import * as fs from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { liveReplicas } from '../postgres/replicas.js';
import { parseChoice, WrongUsage } from '../services/cli/arguments.js';
import { type Commands, FaultsFound } from '../services/cli/command.js';
import { filesOf, type Order, type Outcome, pidFileOf, startOf } from '../services/observability/diagnosis.js';
import { BUILD, VERSION } from '../services/version.js';
import type { Config } from '../services/config/config.js';
import { DOCTOR_COMMANDS } from './doctor.js';
import { withoutHosts } from './without-hosts.js';
import type { Workspace } from './workspace.js';

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const MOST_SECONDS = 600;
/** Beside the time of a profile. A heap of a gigabyte takes half a minute. */
const PATIENCE_MS = 120_000;

export const DIAGNOSE_COMMANDS: Commands<Workspace> = {
  diagnose: {
    summary:
      'Ask the process that runs in DATA_DIR (or --pid) for --take log (--level debug), profile (processor time, --seconds) or heap, without a restart. Files are in DATA_DIR/diagnosis; a heap holds every secret in memory. --take support writes a bundle for a report, without secrets.',
    options: {
      take: { type: 'string' },
      pid: { type: 'string' },
      level: { type: 'string', default: 'debug' },
      seconds: { type: 'string', default: '30' },
    },
    required: ['take'],
    async run({ take, pid, level, seconds }, workspace) {
      const kind = parseChoice('take', take, ['log', 'profile', 'heap', 'support']);
      if (kind === 'support') return { file: await writeSupportBundle(workspace) };
      const time = Number(seconds);
      if (!Number.isInteger(time) || time < 1 || time > MOST_SECONDS)
        throw new WrongUsage(`--seconds must be a whole number from 1 to ${MOST_SECONDS}.`);
      const order: Order =
        kind === 'log'
          ? { take: kind, level: parseChoice('level', level, LEVELS) }
          : kind === 'profile'
            ? { take: kind, seconds: time }
            : { take: kind };
      const { dataDir } = workspace.config;
      const patience = PATIENCE_MS + (kind === 'profile' ? time * 1_000 : 0);
      return { [kind]: await give(order, dataDir, await processOf(dataDir, pid), patience) };
    },
  },
};

async function processOf(dataDir: string, given: unknown): Promise<number> {
  const named = typeof given === 'string' ? given : await fs.readFile(pidFileOf(dataDir), 'utf8').catch(() => '');
  const [id, start] = named.split(' ');
  const pid = Number(id);
  if (!Number.isInteger(pid) || pid < 1)
    throw new WrongUsage('No process has named itself in DATA_DIR. Give its id: --pid 1.');
  if (start && start !== (await startOf(pid)))
    throw new WrongUsage('The process that has named itself in DATA_DIR has ended. Give the id of another: --pid 1.');
  return pid;
}

async function give(order: Order, dataDir: string, pid: number, patienceMs: number): Promise<string> {
  const files = filesOf(dataDir, pid);
  await fs.mkdir(files.folder, { recursive: true, mode: 0o700 });
  await fs.rm(files.outcome, { force: true });
  await fs.writeFile(files.order, JSON.stringify(order), { mode: 0o600 });
  try {
    process.kill(pid, 'SIGUSR2');
    for (const end = performance.now() + patienceMs; performance.now() < end; await pause(100)) {
      const outcome = await fs.readFile(files.outcome, 'utf8').catch(() => null);
      if (outcome !== null) return (JSON.parse(outcome) as Outcome).done;
    }
    throw new Error(`The process ${pid} did not answer. It must run with the same DATA_DIR.`);
  } finally {
    await fs.rm(files.order, { force: true });
    await fs.rm(files.outcome, { force: true });
  }
}

/** The settings whose values say nothing about keys, addresses or hosts. */
const SHOWN = [
  'nodeEnv',
  'readOnly',
  'metricsOn',
  'databasePoolSize',
  'logLevel',
  'publicRate',
  'drainSeconds',
  'eventRetentionDays',
  'deliveryRetentionDays',
  'auditRefusalsDays',
  'transferConfirmWaitSeconds',
  'transferBumpAfterSeconds',
  'transferStuckAfterSeconds',
] as const satisfies readonly (keyof Config)[];

const SIZES = `
  select relname as name, n_live_tup::float8 as rows, pg_total_relation_size(relid)::float8 as bytes
    from pg_stat_user_tables order by bytes desc, name limit 100`;
const SERVER = `
  select name, setting as value from pg_settings
   where name in ('server_version', 'max_connections', 'shared_buffers', 'synchronous_commit', 'fsync', 'TimeZone', 'lc_collate')`;

function* hostsIn(settings: unknown): Generator<string> {
  if (typeof settings === 'string' && URL.canParse(settings)) yield new URL(settings).hostname;
  else if (typeof settings === 'object' && settings !== null)
    for (const each of Object.values(settings)) yield* hostsIn(each);
}

async function writeSupportBundle(workspace: Workspace): Promise<string> {
  const { config } = workspace;
  const doctor = await DOCTOR_COMMANDS['doctor']!.run({ chains: true }, workspace).catch((error: unknown) => {
    if (error instanceof FaultsFound) return error.result;
    throw error;
  });
  const hosts = [...hostsIn(config), hostname()];
  const database = await workspace
    .withDatabase(async (connections) => ({
      replicas: (await liveReplicas((sql) => connections.list(sql))).map(({ host, ...replica }) => {
        hosts.push(host);
        return replica;
      }),
      server: await connections.list(SERVER),
      tables: await connections.list(SIZES),
    }))
    .catch((error: Error) => ({ fault: error.message }));
  const bundle = {
    version: VERSION,
    ...BUILD,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    settings: Object.fromEntries(SHOWN.map((name) => [name, config[name]])),
    networks: config.networks.map(({ name, kind, rpc }) => ({ name, kind, endpoints: rpc.length })),
    has: {
      key_provider: config.keyProviders?.current ?? 'none',
      direct_url: config.databaseDirectUrl !== undefined,
      mail: config.smtpUrl !== undefined,
      sms: config.smsUrl !== undefined || config.twilio !== undefined,
      open_telemetry: config.openTelemetry !== undefined,
    },
    doctor,
    database,
  };
  const { folder } = filesOf(config.dataDir, process.pid);
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `support-${process.pid}.json`);
  const shown = (_: string, value: unknown) => (typeof value === 'string' ? withoutHosts(value, hosts) : value);
  await fs.writeFile(file, `${JSON.stringify(bundle, shown, 2)}\n`, { mode: 0o600 });
  return file;
}
