import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { createDatabases, table, verdict } from './figures.js';
import { MeasuredProcess } from './measured-process.js';
import { pacedLoad } from './paced-load.js';
import { EVENT_IDS, Sink, STORE_EVENTS } from './sink.js';

// Measures what is left of the service's capacity when more calls come than it can work on, and what becomes of another app's webhooks. The
// calls change users. Beside the rates stand those of a second of the service's processor time, which other work of the machine changes less.

const { values: options } = parseArgs({ options: { seconds: { type: 'string', default: '60' } } });
const SECONDS = Number(options.seconds);
/** Clients that always wait for an answer: the service works all the time, and refuses none of them. */
const ENOUGH = 200;
/** So many calls wait, and the clients of more wait for them. */
const CLIENTS = 2_000;
/** The part of the capacity that must be left at a multiple of it. */
const GOALS = [
  [2, 0.8],
  [4, 0.7],
] as const;
const MOST_MS_OF_READYZ = 1_000;
/** Events of the other app a second, and the part of its deliveries that must go on. */
const EVENTS_PER_SECOND = 50;
const LEAST_OF_WEBHOOKS = 0.5;
const USERS = 200;

const temporary = await mkdtemp(join(tmpdir(), 'bench-'));
const postgres = await EmbeddedPostgres.start({ dataDir: join(temporary, 'postgres') });
const [databaseUrl] = await createDatabases(postgres, 'service');
const managementKey = `mk_${randomBytes(24).toString('hex')}`;
const service = await MeasuredProcess.server(join(import.meta.dirname, '../../dist/src/main.js'), {
  node: process.execPath,
  env: {
    NODE_ENV: 'development',
    DATABASE_URL: databaseUrl!,
    DATA_DIR: temporary,
    MANAGEMENT_KEY: managementKey,
    LOG_LEVEL: 'silent',
    TRUST_PROXY: 'loopback',
  },
});
const sink = await Sink.start();
const writer = new Client({ connectionString: databaseUrl });
await writer.connect();
await writer.query(EVENT_IDS);
const users: string[] = [];
try {
  const limits = { secret_key_calls_per_second: 1_000_000 };
  const app = await post('/management/v1/apps', managementKey, { name: 'Bench', mode: 'test', limits });
  const key = app['secret_key']!;
  while (users.length < USERS)
    users.push((await post('/v1/auth/users/create', key, { email: `${users.length}@example.com` }))['user_id']!);
  const { id: other } = await post('/management/v1/apps', managementKey, { name: 'Other', mode: 'test' });
  await post(`/management/v1/apps/${other}/webhook_endpoints`, managementKey, { url: `${sink.url}/prompt` });
  await load(key, other!, Math.min(5, SECONDS), {});
  let quiet = await load(key, other!, SECONDS, {});
  const rows = [rowOf('as much as it can', quiet)];
  for (const [times, part] of GOALS) {
    const perSecond = Math.round(times * quiet.perSecond);
    const under = await load(key, other!, SECONDS, { connections: CLIENTS, perSecond });
    // The calls that wait still must have ended before the next measurement.
    await sleep(12_000);
    const before = quiet;
    quiet = await load(key, other!, SECONDS, {});
    // Other work of the machine comes and goes.
    const mean = (of: (figures: Figures) => number): number => (of(before) + of(quiet)) / 2;
    const name = `${times} times as much`;
    rows.push(
      rowOf(
        name,
        under,
        verdict([under.perSecond / mean((figures) => figures.perSecond)], { least: part }),
        (under.perProcessorSecond / mean((figures) => figures.perProcessorSecond)).toFixed(2),
        verdict([under.webhooks / mean((figures) => figures.webhooks)], { least: LEAST_OF_WEBHOOKS }),
      ),
      rowOf('as much as it can', quiet),
    );
  }
  console.log(`\n${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores; Node ${process.version}.\n`);
  const ofCapacity = ['of the capacity', 'by processor time', 'webhooks'];
  const head = ['Calls', 'sent a second', '200s a second', ...ofCapacity, 'p50 of 200s, ms'];
  table([...head, '/readyz at most, ms', "the load's own lag, p99, ms"], rows);
} finally {
  await writer.end();
  sink.stop();
  await service.stop();
  await postgres.stop();
  await rm(temporary, { recursive: true });
}

async function post(path: string, key: string, body: object): Promise<Record<string, string>> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Record<string, string>;
}

interface Overload {
  readonly connections?: number;
  readonly perSecond?: number;
}

type Figures = Awaited<ReturnType<typeof load>>;

function rowOf(name: string, figures: Figures, ofCapacity = '', byProcessor = '', webhooks = ''): string[] {
  const { sent, perSecond, p50, readyMs, lagMs } = figures;
  const ready = verdict([readyMs], { most: MOST_MS_OF_READYZ });
  const rounded = (number: number): string => String(Math.round(number));
  return [
    name,
    rounded(sent),
    rounded(perSecond),
    ofCapacity,
    byProcessor,
    webhooks,
    rounded(p50),
    ready,
    rounded(lagMs),
  ];
}

async function load(key: string, other: string, seconds: number, { connections = ENOUGH, perSecond }: Overload) {
  const calls = users.map((id, index) => ({
    method: 'PUT',
    path: `/v1/auth/users/${id}/update`,
    key,
    body: { first_name: `Ann ${index}` },
  }));
  let isOver = false;
  let readyMs = 0;
  await sink.report();
  const [began, cpu] = [performance.now(), await service.cpu()];
  const storing = (async () => {
    for (let stored = 0; !isOver; await sleep(100)) {
      const due = Math.floor(((performance.now() - began) / 1_000) * EVENTS_PER_SECOND);
      await writer.query(STORE_EVENTS, [other, due - stored]);
      stored = due;
    }
  })();
  const probing = (async () => {
    while (!isOver) {
      const began = performance.now();
      await fetch(`${service.url}/readyz`).then((response) => response.text());
      readyMs = Math.max(readyMs, performance.now() - began);
      await sleep(500);
    }
  })();
  const result = await pacedLoad(service.url, calls, { connections, perSecond, seconds });
  isOver = true;
  const processorSeconds = ((await service.cpu()) - cpu) / 1_000_000;
  const delivered = (await sink.report()).ages.length / ((performance.now() - began) / 1_000);
  await Promise.all([probing, storing]);
  if (perSecond === undefined && Object.keys(result.counts).join() !== '200')
    throw new Error(`Calls failed without overload: ${JSON.stringify(result.counts)}`);
  const answered = Object.values(result.counts).reduce((sum, count) => sum + count, 0);
  return {
    sent: answered / seconds,
    perSecond: result.perSecond,
    perProcessorSecond: result.counts[200]! / processorSeconds,
    webhooks: delivered,
    p50: result.p50,
    readyMs,
    lagMs: result.lagMs,
  };
}
