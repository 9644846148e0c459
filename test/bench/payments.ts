import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { Connections, each, measureEach } from './closed-loop.js';
import { cellsOf, createDatabases, ratiosOf, say, spread, table, verdict } from './figures.js';
import { layersOf } from './layers.js';
import type { Measured } from './load.js';
import { MeasuredProcess, resultOf } from './measured-process.js';

// Measures confirmations of payments from one wallet and from many, beside a bare pattern behind the same HTTP: lock,
// nonce, signature, insert, commit. A stub node in the service's process answers at once, so only the service is measured.

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    /** Payments of each kind in a round. */
    size: { type: 'string', default: '2000' },
    /** The callers: at most the limit of open transfers of one sender. With one, payments of a budget do not wait for each other. */
    'at-once': { type: 'string', default: '16' },
    /** Compares confirmations without policies and with them, instead of with the bare pattern. */
    policies: { type: 'boolean', default: false },
  },
});
const ROUNDS = Number(options.rounds);
const SIZE = Number(options.size);
const SENDERS = 200;
const AT_ONCE = Number(options['at-once']);
const DEST = '0x1111111111111111111111111111111111111111';

const HERE = import.meta.dirname;
const SERVICE = join(HERE, '../../dist/src/main.js');
const node = process.execPath;

interface Seed {
  readonly appId: string;
  readonly key: string;
  readonly wallets: readonly string[];
}

type Variant = readonly [name: string, server: MeasuredProcess, payer: Payer, senders: number, expected: string];

const WITHOUT_POLICIES = 'without policies';
/** The windows of the one rule of each policy that is compared. No payment exceeds them. */
const WINDOWS: Readonly<Record<string, readonly object[]>> = {
  'with one policy': [],
  'with three windows': [
    { seconds: 3_600, max_amount: '1000000' },
    { seconds: 60, max_count: 1_000_000 },
    { seconds: 60, max_amount: '1000000', per: 'destination' },
  ],
};

/** Makes unconfirmed payments and confirms them. */
interface Payer {
  create(sender: number): Promise<string>;
  confirm(id: string): Promise<{ readonly status: string }>;
  pause(): void;
}

const temporary = await mkdtemp(join(tmpdir(), 'bench-'));
const postgres = await EmbeddedPostgres.start({ dataDir: join(temporary, 'postgres') });
const servers: MeasuredProcess[] = [];
try {
  const [serviceDatabase, bareDatabase] = await createDatabases(postgres, 'service', 'bare');
  const env = {
    NODE_ENV: 'production',
    BASE_URL: 'https://id.example.com',
    DATABASE_URL: serviceDatabase!,
    MASTER_KEYS: `bench:${createHash('sha256').update(randomBytes(32)).digest('base64')}`,
    MANAGEMENT_KEY: `mk_${randomBytes(24).toString('hex')}`,
    ETHEREUM_RPC_URL: 'http://127.0.0.1:1',
    ETHEREUM_CHAIN_ID: '31337',
    ETHEREUM_FINALITY_DEPTH: '0',
    LOG_LEVEL: 'info',
  };
  say(`Making ${SENDERS} wallets …`);
  const seeded = (): Promise<Seed> =>
    resultOf<Seed>(join(HERE, 'seed.mjs'), { node, env: { ...env, PORT: '0', USERS: String(SENDERS) } });
  const seed = await seeded();
  const execArgv = ['--import', join(HERE, 'stub-ethereum-node.mjs')];
  const whole = await MeasuredProcess.server(SERVICE, { node, env, execArgv });
  servers.push(whole);
  // Responds after sending. Like the bare pattern, this process does not track the payment.
  const sending = await MeasuredProcess.server(SERVICE, {
    node,
    env: { ...env, ROLE: 'api', TRANSFER_CONFIRM_WAIT_SECONDS: '0' },
    execArgv,
  });
  servers.push(sending);
  const bare = await MeasuredProcess.server(join(HERE, 'peers/bare-payments.mjs'), {
    node,
    env: { DATABASE_URL: bareDatabase!, SENDERS: String(SENDERS) },
  });
  servers.push(bare);
  const databases = [serviceDatabase, bareDatabase].map((connectionString) => new Client({ connectionString }));
  try {
    await Promise.all(databases.map((database) => database.connect()));
    const ofPattern = (): Variant[] => [
      ['until sent, many senders', sending, service(sending, seed), SENDERS, 'pending'],
      ['bare pattern, many senders', bare, pattern(bare), SENDERS, 'pending'],
      ['until completed, many senders', whole, service(whole, seed), SENDERS, 'completed'],
      ['until completed, one sender', whole, service(whole, seed), 1, 'completed'],
      ['bare pattern, one sender', bare, pattern(bare), 1, 'pending'],
    ];
    const ofPolicies = async (): Promise<Variant[]> => {
      const variants: Variant[] = [[WITHOUT_POLICIES, sending, service(sending, seed), SENDERS, 'pending']];
      for (const [name, windows] of Object.entries(WINDOWS)) {
        const app = await seeded();
        await putInForce(sending, env.MANAGEMENT_KEY, app, windows);
        variants.push([name, sending, service(sending, app), SENDERS, 'pending']);
      }
      return variants;
    };
    await run(whole, options.policies ? await ofPolicies() : ofPattern(), databases);
  } finally {
    await Promise.all(databases.map((database) => database.end()));
  }
} finally {
  await Promise.all(servers.map((server) => server.stop()));
  await postgres.stop();
  await rm(temporary, { recursive: true, force: true });
}

async function run(whole: MeasuredProcess, variants: readonly Variant[], databases: readonly Client[]): Promise<void> {
  const measured = new Map<string, Measured[]>();
  // The first round warms up and is not counted.
  for (let round = 0; round <= ROUNDS; round++) {
    // The order alternates: the first of one round is the last of the next.
    for (const [name, server, payer, senders, expected] of round % 2 === 0 ? variants.toReversed() : variants) {
      // Otherwise its tracker would also track what the other variants send.
      if (server !== whole) whole.suspend();
      const payments: string[] = [];
      const orders = Array.from({ length: SIZE }, (_, n) => n % senders);
      await each(orders, AT_ONCE, async (sender) => payments.push(await payer.create(sender)));
      // As autovacuum does every minute in a running service.
      await Promise.all(databases.map((database) => database.query('analyze')));
      const result = await measureEach(server, payments, AT_ONCE, async (id) => {
        const { status } = await payer.confirm(id);
        if (status !== expected) throw new Error(`${id} is ${status} instead of ${expected}.`);
      });
      payer.pause();
      whole.resume();
      // Transfers that were only sent must not fill the sender queues.
      while (await hasPending(databases[0]!)) await sleep(200);
      if (round > 0) measured.set(name, [...(measured.get(name) ?? []), result]);
      say(`round ${round}/${ROUNDS}  ${name.padEnd(28)} ${Math.round(result.perSecond)}/s`);
    }
  }
  report(measured);
  const [name, server, payer] = variants[0]!;
  table([`Processor time: ${name}`, 'Part'], await partsOf(server, payer));
}

/** The part of the processor time of a confirmation that each layer takes. */
async function partsOf(server: MeasuredProcess, payer: Payer): Promise<string[][]> {
  const payments: string[] = [];
  const senders = Array.from({ length: SIZE }, (_, n) => n % SENDERS);
  await each(senders, AT_ONCE, async (sender) => payments.push(await payer.create(sender)));
  const profile = await server.profile(() => each(payments, AT_ONCE, (id) => payer.confirm(id)));
  payer.pause();
  return [...layersOf(profile)].map(([layer, part]) => [layer, `${(part * 100).toFixed(1)} %`]);
}

async function putInForce(
  server: MeasuredProcess,
  managementKey: string,
  { appId }: Seed,
  windows: readonly object[],
): Promise<void> {
  const connections = new Connections(server);
  const post = <T>(path: string, body: object): Promise<T> => {
    const headers = { authorization: `Bearer ${managementKey}` };
    return connections.call({ method: 'POST', path: `/management/v1/apps/${appId}${path}`, headers, body });
  };
  const match = { operations: ['transfer'], assets: ['ethereum'] };
  const rules = [{ id: 'pays', effect: 'allow', match, ...(windows.length > 0 && { windows }) }];
  const { id } = await post<{ id: string }>('/policies', { name: 'Budget', scope: { kind: 'app', id: appId }, rules });
  await post(`/policies/${id}/activate`, {});
  connections.close();
}

async function hasPending(database: Client): Promise<boolean> {
  const { rows } = await database.query<{ pending: boolean }>(
    `select exists (select from transfers where status = 'pending') as pending`,
  );
  return rows[0]!.pending;
}

function service(server: MeasuredProcess, { key, wallets }: Seed): Payer {
  const connections = new Connections(server);
  const post = <T>(path: string, body: object): Promise<T> =>
    connections.call({ method: 'POST', path, headers: { authorization: `Bearer ${key}` }, body });
  return {
    async create(sender) {
      const order = { source: wallets[sender], dest: DEST, source_amount: '0.001', source_currency: 'ethereum' };
      const body = { ...order, dest_currency: 'ethereum' };
      return (await post<{ id: string }>('/v1/transfers/create', body)).id;
    },
    confirm: (id) => post(`/v1/transfers/${id}/confirm`, {}),
    pause: () => connections.close(),
  };
}

function pattern(server: MeasuredProcess): Payer {
  const connections = new Connections(server);
  return {
    async create(sender) {
      const body = { id: randomUUID(), sender, dest: DEST, amount: '1000000000000000' };
      return (await connections.call<{ id: string }>({ method: 'POST', path: '/payments', body })).id;
    },
    confirm: (id) => connections.call({ method: 'POST', path: `/payments/${id}/confirm` }),
    pause: () => connections.close(),
  };
}

function report(measured: ReadonlyMap<string, readonly Measured[]>): void {
  console.log(
    `\n${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores shared by server, load and PostgreSQL;`,
  );
  console.log(`Node ${process.version}; ${ROUNDS} rounds of ${SIZE}, ${AT_ONCE} at a time: median [min–max].\n`);
  table(
    ['Confirm', 'a second', 'p50 / p99 ms', 'CPU µs of the server'],
    [...measured].map(([name, rounds]) => [name, ...cellsOf(rounds)]),
  );
  const ratios = (of: string, to: string) => ratiosOf(measured.get(of), measured.get(to));
  if (options.policies) {
    const rows = Object.keys(WINDOWS).map((name) => [
      `${name} ÷ ${WITHOUT_POLICIES}`,
      spread(ratios(name, WITHOUT_POLICIES), 2),
    ]);
    return table(['Ratio', 'Median [min–max]'], rows);
  }
  const manyBare = 'bare pattern, many senders';
  table(
    ['Ratio', 'Bar', 'Median [min–max]'],
    [
      [
        'until sent ÷ bare pattern, many senders',
        '≥ 0.5',
        verdict(ratios('until sent, many senders', manyBare), { least: 0.5 }),
      ],
      [
        'until completed ÷ bare pattern, many senders',
        '',
        spread(ratios('until completed, many senders', manyBare), 2),
      ],
      [
        'until completed ÷ bare pattern, one sender',
        '≥ 0.5',
        verdict(ratios('until completed, one sender', 'bare pattern, one sender'), { least: 0.5 }),
      ],
    ],
  );
}
