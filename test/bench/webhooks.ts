import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { createDatabases, say } from './figures.js';
import { MeasuredProcess, resultOf } from './measured-process.js';
import { EVENT_IDS, type Report, Sink, STORE_EVENTS } from './sink.js';

// Measures how many events a second are sequenced and delivered, how an endpoint that hangs affects another one, and how fast a backlog is
// delivered after an outage. The receiver has a process of its own. Events are stored by SQL: what publishing costs is measured elsewhere.

const { values: options } = parseArgs({
  options: {
    rate: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '60' },
    /** Events a second around the outage: the backlog has to be delivered at three times this rate. */
    'outage-rate': { type: 'string', default: '300' },
    'outage-seconds': { type: 'string', default: '60' },
  },
});
const RATE = Number(options.rate);
const SECONDS = Number(options.seconds);
const OUTAGE_RATE = Number(options['outage-rate']);
const OUTAGE_SECONDS = Number(options['outage-seconds']);
const TICK_MS = 20;
const HERE = import.meta.dirname;
const node = process.execPath;

const temporary = await mkdtemp(join(tmpdir(), 'bench-'));
const postgres = await EmbeddedPostgres.start({ dataDir: join(temporary, 'postgres') });
const sink = await Sink.start();
const servers: MeasuredProcess[] = [];
try {
  const [database] = await createDatabases(postgres, 'service');
  const env = {
    NODE_ENV: 'production',
    BASE_URL: 'https://id.example.com',
    DATABASE_URL: database!,
    MASTER_KEYS: `bench:${createHash('sha256').update(randomBytes(32)).digest('base64')}`,
    MANAGEMENT_KEY: `mk_${randomBytes(24).toString('hex')}`,
    ALLOW_PRIVATE_NETWORKS: 'true',
    LOG_LEVEL: 'warn',
  };
  const urls = [`${sink.url}/prompt`, `${sink.url}/hang`];
  const [prompt, hanging] = await resultOf<string[]>(join(HERE, 'webhook-seed.mjs'), {
    node,
    env: { ...env, PORT: '0', URLS: urls.join(' ') },
  });
  const service = await MeasuredProcess.server(join(HERE, '../../dist/src/main.js'), { node, env });
  servers.push(service);
  const writer = new Client({ connectionString: database });
  await writer.connect();
  await writer.query(EVENT_IDS);

  /** Stores events at a steady rate. Returns what arrived meanwhile. */
  const load = async (app: string, perSecond: number, seconds: number): Promise<Report> => {
    const began = performance.now();
    for (let stored = 0; stored < perSecond * seconds;) {
      const due = Math.min(perSecond * seconds, Math.floor(((performance.now() - began) / 1000) * perSecond));
      if (due > stored) await writer.query(STORE_EVENTS, [app, due - stored]);
      stored = due;
      await sleep(TICK_MS);
    }
    return sink.report();
  };
  const pending = async (app: string): Promise<number> => {
    const { rows } = await writer.query<{ count: number }>(
      `select ((select count(*) from unsequenced_events where app_id = $1) +
               (select count(*) from webhook_queue where app_id = $1))::int as count`,
      [app],
    );
    return rows[0]!.count;
  };
  /** Seconds until nothing of the app waits. */
  const drained = async (app: string): Promise<number> => {
    const began = performance.now();
    while ((await pending(app)) > 0) await sleep(100);
    return (performance.now() - began) / 1000;
  };
  const quantileOf = (ages: readonly number[], part: number): number =>
    ages.toSorted((a, b) => a - b)[Math.floor(ages.length * part)] ?? 0;
  const describe = ({ ages }: Report): string =>
    `p50 ${quantileOf(ages, 0.5)} ms, p99 ${quantileOf(ages, 0.99)} ms from insert to arrival`;

  say(`${cpus().length} × ${cpus()[0]!.model}, Node ${process.version}`);
  await load(prompt!, RATE / 2, 10);
  await drained(prompt!);
  await sink.report();

  const cpu = await service.cpu();
  const steady = await load(prompt!, RATE, SECONDS);
  const used = ((await service.cpu()) - cpu) / 1_000_000 / SECONDS;
  const left = await pending(prompt!);
  say(
    `steady: ${RATE}/s for ${SECONDS} s: ${Math.round(steady.ages.length / SECONDS)}/s delivered, ${left} left, ${describe(steady)}`,
  );
  say(
    `        the service used ${(used * 100).toFixed(0)} % of a processor; ${(await drained(prompt!)).toFixed(1)} s until nothing was left`,
  );
  await sink.report();

  // Both with the same load, for half the time.
  const alone = await load(prompt!, RATE / 2, SECONDS / 2);
  await writer.query(STORE_EVENTS, [hanging, 10_000]);
  const beside = await load(prompt!, RATE / 2, SECONDS / 2);
  say(`alone:  ${RATE / 2}/s: ${describe(alone)}`);
  say(`beside an endpoint that hangs, with 10,000 events: ${describe(beside)}`);
  await drained(prompt!);
  await sink.report();

  sink.setDown(true);
  await load(prompt!, OUTAGE_RATE, OUTAGE_SECONDS);
  sink.setDown(false);
  const backlog = await pending(prompt!);
  const began = performance.now();
  let arrived = 0;
  let first: number | undefined;
  for (const until = began + 300_000; arrived < 0.95 * backlog && performance.now() < until;) {
    arrived += (await load(prompt!, OUTAGE_RATE, 1)).ages.length;
    if (arrived > 100) first ??= performance.now();
  }
  const seconds = (performance.now() - (first ?? began)) / 1000;
  say(
    `outage: ${backlog} waited after ${OUTAGE_SECONDS} s at ${OUTAGE_RATE}/s; the first probe succeeded after ${(((first ?? began) - began) / 1000).toFixed(0)} s;`,
  );
  say(
    `        then ${Math.round(arrived / Math.max(seconds, 1))}/s (${(arrived / Math.max(seconds, 1) / OUTAGE_RATE).toFixed(1)} × the arrival rate)`,
  );
  const { repeated, seen } = await sink.report();
  say(`${seen} events arrived, ${repeated} repeated`);
  await writer.end();
} finally {
  for (const server of servers) await server.stop();
  sink.stop();
  await postgres.stop();
  await rm(temporary, { recursive: true, force: true });
}
