import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { EARLIER_APPLICATION_NAMES } from './data-source.js';

export interface Replica {
  readonly id: string;
  readonly host: string;
  readonly version: string;
  readonly revision: string;
  readonly role: string;
  readonly startedAt: Date;
  readonly seenAt: Date;
}

type Query = (sql: string, parameters?: readonly unknown[]) => Promise<unknown>;

const IS_LIVE = `seen_at > now() - interval '30 seconds'`;

/** An upsert, since the database may have been restored meanwhile. */
const BEAT = `
  insert into replicas (id, host, version, revision, role) values ($1, $2, $3, $4, $5)
  on conflict (id) do update set seen_at = now()`;

export function heartbeatOf({ version, revision, role }: Pick<Replica, 'version' | 'revision' | 'role'>) {
  const id = randomUUID();
  return {
    beat: (query: Query): Promise<unknown> => query(BEAT, [id, hostname(), version, revision, role]),
    /** Rows of killed processes are removed too. */
    end: (query: Query): Promise<unknown> =>
      query(`delete from replicas where id = $1 or seen_at < now() - interval '1 day'`, [id]),
  };
}
export type Heartbeat = ReturnType<typeof heartbeatOf>;

export async function liveReplicas(query: Query): Promise<readonly Replica[]> {
  return (await query(
    `select id, host, version, revision, role, started_at as "startedAt", seen_at as "seenAt"
       from replicas where ${IS_LIVE} order by started_at, id`,
  )) as Replica[];
}

export interface Others {
  readonly isPooled: boolean;
  /** The operator says that there are none, or none of an earlier release. */
  readonly isAlone: boolean;
}

/** Throws `ReplicasRun` if a replica gives a sign of life: the row of a killed process stays for 30 s. */
export async function untilAlone(
  query: Query,
  { log, ...others }: Others & { readonly log: (line: string) => void },
): Promise<void> {
  if (others.isAlone) return;
  await assertNoneEarlier(query, others);
  const first = await liveReplicas(query);
  for (let live = first; live.length > 0; live = await liveReplicas(query)) {
    const beating = live.filter(({ id, seenAt }) => !first.some((row) => row.id === id && +row.seenAt === +seenAt));
    if (beating.length > 0) throw new ReplicasRun(beating.map(named));
    log(`Waiting for a sign of life, or 30 s without one: ${live.map(named).join(', ')}.`);
    await pause(1_000);
  }
}

/** A pooler hides the names of connections, by which replicas of earlier releases are found. */
export async function assertNoneEarlier(query: Query, { isPooled, isAlone }: Others): Promise<void> {
  if (isAlone) return;
  if (isPooled) throw new ReplicasRun(['replicas of an earlier release that the pooler may hide']);
  const [{ connections }] = (await query(
    `select count(*)::integer as connections from pg_stat_activity
      where datname = current_database() and application_name = any ($1)`,
    [EARLIER_APPLICATION_NAMES],
  )) as [{ connections: number }];
  if (connections > 0) throw new ReplicasRun([`an earlier release with ${connections} connections`]);
}

const named = ({ id, host, version, revision }: Replica): string =>
  `replica ${id} on ${host} (${version}, revision ${revision})`;

/** A migration removes or rewrites what other running replicas use. */
export class ReplicasRun extends Error {
  override readonly name = 'ReplicasRun';

  constructor(replicas: readonly string[]) {
    super(
      `This would break what still runs: ${replicas.join(', ')}. Stop it and start again. ` +
        'If you know that it does not run, give the command --nobody-else.',
    );
  }
}
