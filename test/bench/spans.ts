import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { createDatabases, table, verdict } from './figures.js';
import { compare } from './load.js';
import { MeasuredProcess } from './measured-process.js';

// Measures what the spans of OpenTelemetry cost a read, in processor time, when one trace of twenty is sampled.

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '4' } },
});
/** The processor time of a read with spans, divided by that of one without. */
const MOST = 1.03;
const USERS = 200;

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
};
const main = join(import.meta.dirname, '../../dist/src/main.js');
const node = process.execPath;
const without = await MeasuredProcess.server(main, { node, env });
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
  const headers = { authorization: `Bearer ${key}` };
  const requests = [];
  for (let n = 0; n < USERS; n++) {
    const { user_id: id } = await post('/v1/auth/users/create', key, { email: `${n}@example.com` });
    requests.push({ method: 'GET' as const, path: `/v1/auth/users/${id}`, headers });
  }
  const [off, on]: [number[], number[]] = [[], []];
  for (let round = 0; round < Number(options.rounds); round++) {
    const variants = [
      { name: 'off', server: without, requests },
      { name: 'on', server: sampled, requests },
    ];
    const measured = await compare(variants, Number(options.seconds));
    off.push(measured.get('off')!.cpu);
    on.push(measured.get('on')!.cpu);
  }
  const rounded = (times: readonly number[]): string => times.map((time) => Math.round(time)).join(', ');
  console.log(`\n${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores; Node ${process.version}.\n`);
  const ratios = on.map((time, round) => time / off[round]!);
  table(
    ['GET users/{id}', 'processor time, µs', 'ratio'],
    [
      ['without spans', rounded(off), ''],
      ['5 % sampled', rounded(on), verdict(ratios, { most: MOST })],
    ],
  );
} finally {
  await without.stop();
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
