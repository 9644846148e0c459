import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { createDatabases, median, quantile, table } from './figures.js';
import { MeasuredProcess } from './measured-process.js';
import { pacedLoad } from './paced-load.js';

// Measures what the spans of OpenTelemetry cost a read, in processor time, when one trace of twenty is sampled. One process gets the same
// calls in short blocks with spans, without, and without again, so that neither its compiled code nor other work of the machine differs. Two
// blocks without spans show what is chance.

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '40' }, seconds: { type: 'string', default: '2' } },
});
/** The processor time of a read with spans, divided by that of one without. */
const MOST = 1.03;
const USERS = 200;
const LOAD = { connections: 20, perSecond: 500 };
const WARM_UP_SECONDS = 20;
const BLOCKS = ['on', 'off', 'again'] as const;

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
const server = await MeasuredProcess.server(main, {
  node: process.execPath,
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
  const cost = async (hasSpans: boolean, seconds: number): Promise<number> => {
    await server.trace(hasSpans);
    const before = await server.cpu();
    const { counts } = await pacedLoad(server.url, calls, { ...LOAD, seconds });
    if (Object.keys(counts).join() !== '200') throw new Error(`Calls failed: ${JSON.stringify(counts)}`);
    return ((await server.cpu()) - before) / counts['200']!;
  };
  for (const hasSpans of [true, false, true]) await cost(hasSpans, WARM_UP_SECONDS / 2);
  const rounds: Record<(typeof BLOCKS)[number], number>[] = [];
  while (rounds.length < Number(options.rounds)) {
    const round = { on: 0, off: 0, again: 0 };
    // What drifts falls on each place alike.
    const first = rounds.length % BLOCKS.length;
    for (const block of [...BLOCKS.slice(first), ...BLOCKS.slice(0, first)])
      round[block] = await cost(block === 'on', Number(options.seconds));
    rounds.push(round);
  }
  const ratios = rounds.map(({ on, off, again }) => (2 * on) / (off + again));
  const chance = rounds.map(({ off, again }) => again / off);
  const half = (values: readonly number[]): string =>
    `${median(values).toFixed(3)}, half of the rounds ${quantile(values, 0.25).toFixed(3)}–${quantile(values, 0.75).toFixed(3)}`;
  const isMissed = median(ratios) > MOST;
  if (isMissed) process.exitCode = 1;
  console.log(`\n${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores; Node ${process.version}.\n`);
  table(
    ['GET users/{id}', 'processor time, µs', 'ratio'],
    [
      ['without spans', median(rounds.map(({ off }) => off)).toFixed(0), ''],
      ['without spans, again', median(rounds.map(({ again }) => again)).toFixed(0), half(chance)],
      ['5 % sampled', median(rounds.map(({ on }) => on)).toFixed(0), `${half(ratios)}${isMissed ? ' MISSED' : ''}`],
    ],
  );
} finally {
  await server.stop();
  collector.close();
  await postgres.stop();
  await rm(temporary, { recursive: true });
}

async function post(path: string, key: string, body: object): Promise<Record<string, string>> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Record<string, string>;
}
