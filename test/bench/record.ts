import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { Connections, each } from './closed-loop.js';
import { createDatabases, quantile, say, spread, table } from './figures.js';
import { loginByLink, raiseLimits } from './logins.js';
import { MailSink } from './mail-sink.js';
import { MeasuredProcess, resultOf } from './measured-process.js';

// One process of the service and PostgreSQL with fsync work for an hour: the flows take turns, and at the end the database must have the
// effect of each answer exactly once.

const { values: options } = parseArgs({ options: { minutes: { type: 'string', default: '60' } } });
const SECONDS_OF_TURN = 5;
const TURNS = Math.max(1, Math.round((Number(options.minutes) * 60) / SECONDS_OF_TURN / 5));
const USERS = 1_000;
const AT_ONCE = 16;

const HERE = import.meta.dirname;
const node = process.execPath;
const temporary = await mkdtemp(join(tmpdir(), 'bench-'));
const postgres = await EmbeddedPostgres.start({ dataDir: join(temporary, 'postgres') });
const mails = await MailSink.start();
const [databaseUrl] = await createDatabases(postgres, 'service');
const env = {
  NODE_ENV: 'production',
  BASE_URL: 'https://id.example.com',
  DATABASE_URL: databaseUrl!,
  MASTER_KEYS: `bench:${createHash('sha256').update(randomBytes(32)).digest('base64')}`,
  MANAGEMENT_KEY: `mk_${randomBytes(24).toString('hex')}`,
  SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
  MAIL_FROM: 'bench@example.com',
  ETHEREUM_RPC_URL: 'http://127.0.0.1:1',
  ETHEREUM_CHAIN_ID: '31337',
  ETHEREUM_FINALITY_DEPTH: '0',
  LOG_LEVEL: 'info',
};
say(`Making ${USERS} users, wallets and sessions …`);
const { appId, key, tokens, wallets } = await resultOf<{
  appId: string;
  key: string;
  tokens: readonly string[];
  wallets: readonly [string, ...string[]];
}>(join(HERE, 'seed.mjs'), { node, env: { ...env, PORT: '0', USERS: String(USERS) } });
const service = await MeasuredProcess.server(join(HERE, '../../dist/src/main.js'), {
  node,
  env,
  execArgv: ['--max-semi-space-size=8', '--import', join(HERE, 'stub-ethereum-node.mjs')],
});
const connections = new Connections(service);
const database = new Client({ connectionString: databaseUrl });
try {
  await database.connect();
  await raiseLimits(connections, appId, env.MANAGEMENT_KEY);
  const before = await effects();
  const measured = await run();
  await report(measured, before, await effects());
} finally {
  await database.end();
  connections.close();
  await service.stop();
  mails.stop();
  await postgres.stop();
  await rm(temporary, { recursive: true, force: true });
}

function post<T>(path: string, body: object): Promise<T> {
  return connections.call({ method: 'POST', path, headers: { authorization: `Bearer ${key}` }, body });
}

async function pay(source: string): Promise<void> {
  const order = { source, dest: `0x${'11'.repeat(20)}`, source_amount: '0.001', source_currency: 'ethereum' };
  const { id } = await post<{ id: string }>('/v1/transfers/create', { ...order, dest_currency: 'ethereum' });
  const { status } = await post<{ status: string }>(`/v1/transfers/${id}/confirm`, {});
  if (status !== 'completed') throw new Error(`${id} is ${status}.`);
}

interface Turns {
  readonly perSecond: number[];
  readonly p50: number[];
  readonly p99: number[];
  count: number;
}

/** Each answer is counted, so a call that fails ends the run. */
async function run(): Promise<ReadonlyMap<string, Turns>> {
  const flows: Readonly<Record<string, (n: number) => Promise<unknown>>> = {
    'verify a session by token': (n) => post('/v1/auth/sessions/verify', { session_token: tokens[n % USERS] }),
    'log in by magic link': (n) => loginByLink(connections, key, mails, `user${n % USERS}@example.com`),
    'sign a message': (n) => post(`/v1/wallets/${wallets[n % wallets.length]}/sign_message`, { message: `No. ${n}` }),
    'pay until completed': (n) => pay(wallets[n % wallets.length]!),
    'pay until completed, one sender': () => pay(wallets[0]),
  };
  const measured = new Map(
    Object.keys(flows).map((name): [string, Turns] => [name, { perSecond: [], p50: [], p99: [], count: 0 }]),
  );
  for (let turn = 1; turn <= TURNS; turn++) {
    for (const [name, flow] of Object.entries(flows)) {
      const turns = measured.get(name)!;
      const milliseconds: number[] = [];
      const begun = performance.now();
      const isOver = (): boolean => performance.now() - begun > SECONDS_OF_TURN * 1_000;
      await each(Array.from({ length: AT_ONCE }), AT_ONCE, async () => {
        while (!isOver()) {
          const sent = performance.now();
          await flow(turns.count++);
          milliseconds.push(performance.now() - sent);
        }
      });
      turns.perSecond.push(milliseconds.length / ((performance.now() - begun) / 1_000));
      turns.p50.push(quantile(milliseconds, 0.5));
      turns.p99.push(quantile(milliseconds, 0.99));
    }
    say(`turn ${turn}/${TURNS}`);
  }
  return measured;
}

interface Effects {
  readonly logins: number;
  readonly signatures: number;
  readonly payments: number;
  readonly transactions: number;
}

/** What the database has, once all events have their position. */
async function effects(): Promise<Effects> {
  for (;;) {
    const { rows } = await database.query<Effects & { unsequenced: number }>(
      `select (select count(*) from unsequenced_events)::int as unsequenced,
              (select count(*) from event_log where type = 'session.created')::int as logins,
              (select count(*) from event_log where type = 'message.signed')::int as signatures,
              (select count(*) from transfers where status = 'completed')::int as payments,
              (select count(distinct (address, nonce)) from transfer_attempts)::int as transactions`,
    );
    if (rows[0]!.unsequenced === 0) return rows[0]!;
    await sleep(200);
  }
}

async function report(measured: ReadonlyMap<string, Turns>, before: Effects, after: Effects): Promise<void> {
  const { rows } = await database.query<{ fsync: string; commit: string }>(
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit`,
  );
  console.log(`\n${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores, Node ${process.version};`);
  console.log(
    `fsync ${rows[0]!.fsync}, synchronous_commit ${rows[0]!.commit}; ${options.minutes} minutes, median [min–max].\n`,
  );
  table(
    ['Flow', 'answers', 'a second', 'p50 / p99 ms'],
    [...measured].map(([name, { count, perSecond, p50, p99 }]) => [
      name,
      String(count),
      spread(perSecond, 0),
      `${spread(p50, 1)} / ${spread(p99, 1)}`,
    ]),
  );
  const answers = [...measured.values()].map(({ count }) => count) as [number, number, number, number, number];
  const [, logins, signatures, ...payments] = answers;
  const paid = payments[0] + payments[1];
  const rowOf = (name: string, answered: number, of: keyof Effects): string[] => {
    const stored = after[of] - before[of];
    if (stored !== answered) process.exitCode = 1;
    return [name, String(answered), String(Math.max(0, answered - stored)), String(Math.max(0, stored - answered))];
  };
  table(
    ['Effect', 'answered', 'lost', 'twice'],
    [
      rowOf('sessions', logins, 'logins'),
      rowOf('signatures', signatures, 'signatures'),
      rowOf('payments', paid, 'payments'),
      rowOf('transactions', paid, 'transactions'),
    ],
  );
}
