import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { Connections, measureEach } from './closed-loop.js';
import { cellsOf, createDatabases, median, say, table, verdict } from './figures.js';
import type { Measured } from './load.js';
import { loginByLink, raiseLimits } from './logins.js';
import { MailSink } from './mail-sink.js';
import { MeasuredProcess, resultOf } from './measured-process.js';

// Measures what the events of a login cost: the same logins at a service that stores its events and gives them positions, and at one
// that stores none. No webhook endpoint is registered: what deliveries cost is measured elsewhere.

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '6' }, size: { type: 'string', default: '1000' } },
});
const ROUNDS = Number(options.rounds);
const SIZE = Number(options.size);
const WARM_UP_ROUNDS = 2;
const AT_ONCE = 20;
const HERE = import.meta.dirname;
const node = process.execPath;

interface Variant {
  readonly name: string;
  readonly service: MeasuredProcess;
  readonly connections: Connections;
  readonly key: string;
  readonly rounds: Measured[];
}

const temporary = await mkdtemp(join(tmpdir(), 'bench-'));
const postgres = await EmbeddedPostgres.start({ dataDir: join(temporary, 'postgres') });
const mails = await MailSink.start();
const variants: Variant[] = [];
try {
  const [database, databaseWithout] = await createDatabases(postgres, 'service', 'without_events');
  const preload = ['--import', join(HERE, 'without-events.mjs')];
  variants.push(await start('with events', database!, []), await start('without events', databaseWithout!, preload));
  for (let round = 1 - WARM_UP_ROUNDS; round <= ROUNDS; round++) {
    // The order alternates: the first of one round is the last of the next.
    for (const { name, service, connections, key, rounds } of round % 2 === 0 ? variants.toReversed() : variants) {
      const emails = Array.from({ length: SIZE }, (_, n) => `user${n}@example.com`);
      const result = await measureEach(service, emails, AT_ONCE, (email) =>
        loginByLink(connections, key, mails, email),
      );
      if (round > 0) rounds.push(result);
      connections.close();
      say(`${round > 0 ? `round ${round}/${ROUNDS}` : 'warm-up'}  ${name.padEnd(14)} ${Math.round(result.cpu)} µs`);
    }
  }
  const [stored, storedWithout] = [await storedEvents(database!), await storedEvents(databaseWithout!)];
  // The seed stores events in both.
  const logins = (WARM_UP_ROUNDS + ROUNDS) * SIZE;
  report((stored - storedWithout) / logins);
} finally {
  await Promise.all(variants.map(({ service }) => service.stop()));
  mails.stop();
  await postgres.stop();
  await rm(temporary, { recursive: true, force: true });
}

async function start(name: string, database: string, execArgv: readonly string[]): Promise<Variant> {
  const env = {
    NODE_ENV: 'production',
    BASE_URL: 'https://id.example.com',
    DATABASE_URL: database,
    MASTER_KEYS: `bench:${createHash('sha256').update(randomBytes(32)).digest('base64')}`,
    MANAGEMENT_KEY: `mk_${randomBytes(24).toString('hex')}`,
    SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    MAIL_FROM: 'bench@example.com',
    DATABASE_POOL_SIZE: String(AT_ONCE),
  };
  const seed = await resultOf<{ appId: string; key: string }>(join(HERE, 'seed.mjs'), {
    node,
    env: { ...env, PORT: '0', USERS: String(SIZE) },
  });
  await resultOf(join(HERE, 'verify-rows.mjs'), { node, env: { ...env, PORT: '0', TABLE: 'emails' } });
  const service = await MeasuredProcess.server(join(HERE, '../../dist/src/main.js'), { node, env, execArgv });
  const connections = new Connections(service);
  await raiseLimits(connections, seed.appId, env.MANAGEMENT_KEY);
  return { name, service, connections, key: seed.key, rounds: [] };
}

async function storedEvents(database: string): Promise<number> {
  const [row] = await statement<{ count: number }>(
    database,
    `select ((select count(*) from event_log where type <> 'user.created') + (select count(*) from unsequenced_events))::int as count`,
  );
  return row!.count;
}

async function statement<R extends object>(database: string, sql: string): Promise<R[]> {
  const client = new Client({ connectionString: database });
  await client.connect();
  const { rows } = await client.query<R>(sql);
  await client.end();
  return rows;
}

function report(eventsPerLogin: number): void {
  const [withEvents, without] = variants.map(({ rounds }) => rounds.map(({ cpu }) => cpu)) as [number[], number[]];
  console.log(
    `\n${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores; Node ${process.version}; ${ROUNDS} rounds of ${SIZE} logins by magic link, ${AT_ONCE} at a time.\n`,
  );
  table(
    ['Login', 'a second', 'p50 / p99 ms', 'CPU µs of the server'],
    variants.map(({ name, rounds }) => [name, ...cellsOf(rounds)]),
  );
  const perEvent = withEvents.map((cost, round) => 1 + (cost - without[round]!) / without[round]! / eventsPerLogin);
  console.log(
    `A login stores ${eventsPerLogin.toFixed(1)} events; together they cost ${Math.round(median(withEvents) - median(without))} µs.\n`,
  );
  table(
    ['Ratio', 'Bar', 'Median [min–max]'],
    [['login with one event ÷ without events', '≤ 1.05', verdict(perEvent, { most: 1.05 })]],
  );
}
