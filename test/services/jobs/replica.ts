import { createHash } from 'node:crypto';
import { pino } from 'pino';
import { DataSource } from 'typeorm';
import type { Vault } from '../../../src/kernel/vault.js';
import { Config } from '../../../src/services/config/config.js';
import { EnvelopeVault } from '../../../src/services/crypto/envelope-vault.js';
import { KeyringKeyWrapper } from '../../../src/services/crypto/keyring-key-wrapper.js';
import { Keyring } from '../../../src/services/crypto/keyring.js';
import { Database } from '../../../src/postgres/database.js';
import { SharedConnections } from '../../../src/postgres/shared-connections.js';
import { PostgresTransactions } from '../../../src/postgres/postgres-transactions.js';
import { JobQueue } from '../../../src/services/jobs/job-queue.js';
import { PostgresJobs } from '../../../src/services/jobs/postgres-jobs.js';
import type { Log } from '../../../src/kernel/log.js';
import { HttpMetrics } from '../../../src/services/observability/metrics.js';

const vault = new EnvelopeVault(
  new KeyringKeyWrapper(Keyring.parse(`test:${createHash('sha256').update('jobs').digest('base64')}`)),
);

/** Seconds, but for the counts. Short, but for the lease and the drain: a busy machine must not lose a job to another replica. */
const TIMING = {
  concurrency: 8,
  ready: 24,
  poll: 0.1,
  lease: 60,
  heartbeat: 0.1,
  firstPause: 0.1,
  longestPause: 0.4,
  attempts: 4,
  drain: 20,
};

/** One process's share of the service, as far as jobs go. */
export async function startReplica(
  databaseUrl: string,
  {
    role = 'all',
    poolSize = 10,
    timing = {},
  }: { role?: string; poolSize?: number; timing?: Partial<typeof TIMING> } = {},
) {
  const dataSource = new DataSource({ type: 'postgres', url: databaseUrl, poolSize });
  await dataSource.initialize();
  const database = new Database(dataSource, new SharedConnections(dataSource));
  const queue = new JobQueue(database, vault as Vault);
  const metrics = new HttpMetrics();
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) }) as Log;
  const jobs = new (class extends PostgresJobs {
    protected override readonly timing = { ...TIMING, ...timing };
  })(queue, Config.read({ NODE_ENV: 'test', ROLE: role }), log, metrics);
  return {
    jobs,
    queue,
    database,
    metrics,
    /** What was logged. */
    lines,
    transactions: new PostgresTransactions(dataSource),
    start: () => jobs.onApplicationBootstrap(),
    stop: async () => {
      await jobs.beforeApplicationShutdown();
      await dataSource.destroy();
    },
  };
}

export type Replica = Awaited<ReturnType<typeof startReplica>>;
