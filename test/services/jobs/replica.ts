import { createHash } from 'node:crypto';
import { pino } from 'pino';
import { DataSource } from 'typeorm';
import type { NewJob } from '../../../src/kernel/jobs.js';
import type { Vault } from '../../../src/kernel/vault.js';
import { Config } from '../../../src/services/config/config.js';
import { EnvelopeVault } from '../../../src/services/crypto/envelope-vault.js';
import { KeyringKeyWrapper } from '../../../src/services/crypto/keyring-key-wrapper.js';
import { Keyring } from '../../../src/services/crypto/keyring.js';
import { Database } from '../../../src/postgres/database.js';
import { SharedConnections } from '../../../src/postgres/shared-connections.js';
import { PostgresTransactions } from '../../../src/postgres/postgres-transactions.js';
import { DeadJobs } from '../../../src/services/jobs/dead-jobs.js';
import { JobQueue } from '../../../src/services/jobs/job-queue.js';
import { PostgresJobs } from '../../../src/services/jobs/postgres-jobs.js';
import type { Log } from '../../../src/kernel/log.js';
import { HttpMetrics } from '../../../src/services/observability/metrics.js';
import { eventually } from '../../support/eventually.js';
import { createDatabase, type TestDatabase } from '../../support/database.js';

const vault = new EnvelopeVault(
  new KeyringKeyWrapper(Keyring.parse(`test:${createHash('sha256').update('jobs').digest('base64')}`)),
);

/** Short times, except for the lease and the drain: on a busy machine a job must not move to another replica. */
const SETTINGS = {
  workerSlots: 8,
  pollSeconds: 0.1,
  leaseSeconds: 60,
  heartbeatSeconds: 0.1,
  firstPauseSeconds: 0.1,
  longestPauseSeconds: 0.4,
  attempts: 4,
  drainSeconds: 20,
};

/** The jobs of one process, without the rest of the service. */
export async function startReplica(
  databaseUrl: string,
  {
    role = 'all',
    poolSize = 10,
    settings = {},
  }: { role?: string; poolSize?: number; settings?: Partial<typeof SETTINGS> } = {},
) {
  const dataSource = new DataSource({ type: 'postgres', url: databaseUrl, poolSize });
  await dataSource.initialize();
  const database = new Database(dataSource, new SharedConnections(dataSource));
  const transactions = new PostgresTransactions(dataSource);
  const queue = new JobQueue(database, transactions, vault as Vault);
  const metrics = new HttpMetrics();
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) }) as Log;
  const jobs = new (class extends PostgresJobs {
    protected override readonly settings = { ...SETTINGS, ...settings };
  })(queue, Config.read({ NODE_ENV: 'test', ROLE: role }), log, metrics);
  return {
    jobs,
    /** Stores a job in a transaction of its own, or in the current one. */
    enqueue: (job: NewJob) => transactions.run(async () => jobs.enqueue(job)),
    queue,
    dead: new DeadJobs(database),
    database,
    databaseUrl,
    metrics,
    /** The lines of the log. */
    lines,
    transactions,
    start: () => jobs.onApplicationBootstrap(),
    stop: async () => {
      await jobs.beforeApplicationShutdown();
      if (dataSource.isInitialized) await dataSource.destroy();
    },
  };
}

export type Replica = Awaited<ReturnType<typeof startReplica>>;

/** Gives each test a database of its own. The function it returns starts a replica, which is stopped after the test. */
export function replicasOfTest(): (options?: Parameters<typeof startReplica>[1]) => Promise<Replica> {
  let database: TestDatabase;
  const replicas: Replica[] = [];
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(async () => {
    await Promise.all(replicas.splice(0).map(({ stop }) => stop()));
    await database.drop();
  });
  return async (options) => {
    const started = await startReplica(database.url, options);
    replicas.push(started);
    return started;
  };
}

export function rows({ database }: Replica) {
  return database.write<{ kind: string; attempt: number; lease: string | null; error: string | null }>(
    `select kind, attempt, lease, error from jobs order by created_at`,
  );
}

/** A gate that opens once. */
export function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

let probes = 0;
/** Resolves when `worker` has claimed all jobs that were due for it before this call. */
export async function claimsOf(worker: Replica): Promise<void> {
  const kind = `probe ${probes++}`;
  const begun = gate();
  worker.jobs.handle(kind, async () => begun.open());
  await worker.enqueue({ kind, payload: {} });
  await begun.opened;
}

/** Resolves when heartbeats have extended all leases. */
export async function heartbeatOf({ database }: Replica): Promise<void> {
  const ends = () =>
    database
      .write<{ first: Date; last: Date }>(
        'select min(due_at) as first, max(due_at) as last from jobs where lease is not null',
      )
      .then((rows) => rows[0] ?? null);
  const before = await ends();
  await eventually(async () => expect(Number((await ends())!.first)).toBeGreaterThan(Number(before!.last)));
}
