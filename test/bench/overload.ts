import autocannon from 'autocannon';
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
import { EVENT_IDS, Sink, STORE_EVENTS } from './sink.js';

// Measures what is left of the service's capacity when more calls come than it can work on, and what becomes of another app's webhooks. The
// calls change users. Beside the rates stand those of a second of the service's processor time, which other work of the machine changes less.

const { values: options } = parseArgs({ options: { seconds: { type: 'string', default: '60' } } });
const SECONDS = Number(options.seconds);
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
  const quiet = await load(key, other!, SECONDS, {});
  const capacity = quiet.perSecond;
  const rows = [['as much as it can', String(Math.round(capacity)), '', '', '', `${Math.round(quiet.webhooks)}/s`]];
  for (const [times, part] of GOALS) {
    const under = await load(key, other!, SECONDS, { connections: CLIENTS, overallRate: Math.round(times * capacity) });
    rows.push([
      `${times} times as much`,
      String(Math.round(under.perSecond)),
      verdict([under.perSecond / capacity], { least: part }),
      (under.perProcessorSecond / quiet.perProcessorSecond).toFixed(2),
      String(Math.round(under.p50)),
      verdict([under.readyMs], { most: MOST_MS_OF_READYZ }),
      verdict([under.webhooks / quiet.webhooks], { least: LEAST_OF_WEBHOOKS }),
    ]);
    // The calls that wait still must have ended before the next measurement.
    await sleep(12_000);
  }
  console.log(`\n${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores; Node ${process.version}.\n`);
  const ofCapacity = ['of the capacity', 'by processor time'];
  table(['Calls', '200s a second', ...ofCapacity, 'p50 of all, ms', '/readyz at most, ms', 'webhooks'], rows);
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
  readonly overallRate?: number;
}

async function load(key: string, other: string, seconds: number, { connections = 20, ...rate }: Overload) {
  const requests = users.map((id, index) => ({
    method: 'PUT',
    path: `/v1/auth/users/${id}/update`,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ first_name: `Ann ${index}` }),
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
  const result = await autocannon({
    url: service.url,
    connections,
    duration: seconds,
    timeout: 30,
    ...rate,
    setupClient: (client) => client.setRequests(requests.toSorted(() => Math.random() - 0.5)),
  });
  isOver = true;
  const processorSeconds = ((await service.cpu()) - cpu) / 1_000_000;
  const delivered = (await sink.report()).ages.length / ((performance.now() - began) / 1_000);
  await Promise.all([probing, storing]);
  if (rate.overallRate === undefined && result.non2xx > 0)
    throw new Error(`${result.non2xx} calls failed without overload.`);
  return {
    perSecond: result['2xx'] / result.duration,
    perProcessorSecond: result['2xx'] / processorSeconds,
    webhooks: delivered,
    p50: result.latency.p50,
    readyMs,
  };
}
