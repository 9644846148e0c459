import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { createDatabases, spread, table, verdict } from './figures.js';
import { MeasuredProcess } from './measured-process.js';
import { pacedLoad } from './paced-load.js';

// Measures what the spans of OpenTelemetry cost a read, in processor time, when one trace of twenty is sampled. All processes get the same
// calls at the same time, so that other work of the machine slows them alike. A second process without spans shows what is chance.

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '15' }, seconds: { type: 'string', default: '4' } },
});
/** The processor time of a read with spans, divided by that of one without. */
const MOST = 1.03;
const USERS = 200;
const LOAD = { connections: 20, perSecond: 500 };
const WARM_UP_SECONDS = 25;

const temporary = await mkdtemp(join(tmpdir(), 'bench-'));
const postgres = await EmbeddedPostgres.start({ dataDir: join(temporary, 'postgres') });
const collector = createServer((request, response) => void request.resume().on('end', () => response.end()));
await once(collector.listen(0, '127.0.0.1'), 'listening');
const [databaseUrl] = await createDatabases(postgres, 'service');
const env = {
  NODE_ENV: 'development',
  DATABASE_URL: databaseUrl!,
  DATA_DIR: temporary,
  MANAGEMENT_KEY: `mk_${randomBytes(24).toString('hex')}`,
  LOG_LEVEL: 'info',
  ROLE: 'api',
};
const main = join(import.meta.dirname, '../../dist/src/main.js');
const node = process.execPath;
const without = await MeasuredProcess.server(main, { node, env });
const again = await MeasuredProcess.server(main, { node, env });
const sampled = await MeasuredProcess.server(main, {
  node,
  env: {
    ...env,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.05',
  },
});
try {
  const limits = { secret_key_calls_per_second: 1_000_000 };
  const app = await post('/management/v1/apps', env.MANAGEMENT_KEY, { name: 'Bench', mode: 'test', limits });
  const key = app['secret_key']!;
  const calls: { method: string; path: string; key: string }[] = [];
  while (calls.length < USERS) {
    const { user_id: id } = await post('/v1/auth/users/create', key, { email: `${calls.length}@example.com` });
    calls.push({ method: 'GET', path: `/v1/auth/users/${id}`, key });
  }
  const cost = async (server: MeasuredProcess, seconds: number): Promise<number> => {
    const before = await server.cpu();
    const { counts } = await pacedLoad(server.url, calls, { ...LOAD, seconds });
    if (Object.keys(counts).join() !== '200') throw new Error(`Calls failed: ${JSON.stringify(counts)}`);
    return ((await server.cpu()) - before) / counts['200']!;
  };
  const costs = (seconds: number): Promise<number[]> =>
    Promise.all([without, again, sampled].map((server) => cost(server, seconds)));
  await costs(WARM_UP_SECONDS);
  const rounds: number[][] = [];
  while (rounds.length < Number(options.rounds)) rounds.push(await costs(Number(options.seconds)));
  const of = (index: number): number[] => rounds.map((round) => round[index]!);
  const chance = rounds.map(([plain, again]) => again! / plain!);
  const ratios = rounds.map(([plain, again, spans]) => (2 * spans!) / (plain! + again!));
  console.log(`\n${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores; Node ${process.version}.\n`);
  table(
    ['GET users/{id}', 'processor time, µs', 'ratio'],
    [
      ['without spans', spread(of(0), 0), ''],
      ['without spans, again', spread(of(1), 0), spread(chance, 2)],
      ['5 % sampled', spread(of(2), 0), verdict(ratios, { most: MOST })],
    ],
  );
} finally {
  await without.stop();
  await again.stop();
  await sampled.stop();
  collector.close();
  await postgres.stop();
  await rm(temporary, { recursive: true });
}

async function post(path: string, key: string, body: object): Promise<Record<string, string>> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(without.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Record<string, string>;
}
