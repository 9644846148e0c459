// Kills the primary of a PostgreSQL cluster under Patroni, with synchronous replication, while the service makes users and payments. No commit
// may be lost, writes must go on within 15 s, and each payment reaches its destination once. It needs the Debian packages postgresql, patroni,
// etcd-server and haproxy. `npm run drill:failover`; `-- 5` for five failovers.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Wallet } from 'ethers';
import { freePort } from '../../src/dev/free-port.js';
import { Replica } from '../chaos/replica.js';
import { Anvil } from '../support/anvil.js';

const FAILOVERS = Number(process.argv[2] ?? 3);
const MOST_SECONDS = 15;
const NODES = 3;
const PATIENCE_MS = 120_000;
const AMOUNT = '0.001';

const programs = `/usr/lib/postgresql/${Math.max(...readdirSync('/usr/lib/postgresql').map(Number))}/bin`;
const home = mkdtempSync(join(tmpdir(), 'failover-'));
// PostgreSQL and etcd do not need root, and PostgreSQL refuses it.
const { uid, gid } = userInfo().uid === 0 ? statSync('/var/lib/postgresql') : userInfo();
chownSync(home, uid, gid);
const started: ChildProcess[] = [];
process.once('exit', () => {
  for (const child of started) if (child.pid && child.exitCode === null) killGroup(child);
  rmSync(home, { recursive: true, force: true });
});

const [etcdPort, peerPort, entry] = [await freePort(), await freePort(), await freePort()];
const etcd = {
  'data-dir': join(home, 'etcd'),
  'log-level': 'error',
  'listen-client-urls': at(etcdPort),
  'advertise-client-urls': at(etcdPort),
  'listen-peer-urls': at(peerPort),
  'initial-advertise-peer-urls': at(peerPort),
  'initial-cluster': `default=${at(peerPort)}`,
};
run(
  'etcd',
  Object.entries(etcd).flatMap(([name, value]) => [`--${name}`, value]),
);
const nodes: { readonly name: string; readonly port: number; readonly rest: number; process?: ChildProcess }[] = [];
for (let n = 1; n <= NODES; n++) nodes.push({ name: `node${n}`, port: await freePort(), rest: await freePort() });
for (const node of nodes) startNode(node);
await eventually('a primary with a synchronous standby', async () => (await cluster()).hasStandby);
startBalancer();

const anvil = await Anvil.start();
const managementKey = `mk_${randomBytes(24).toString('hex')}`;
const replica = new Replica({
  DATABASE_URL: `postgres://postgres:postgres@127.0.0.1:${entry}/postgres`,
  DATA_DIR: home,
  MANAGEMENT_KEY: managementKey,
  MASTER_KEYS: `a:${randomBytes(32).toString('base64')}`,
  ETHEREUM_RPC_URL: anvil.url,
  ETHEREUM_CHAIN_ID: String(anvil.chainId),
  ETHEREUM_FINALITY_DEPTH: '0',
});
const url = await replica.start();
const app = await call('POST', '/management/v1/apps', managementKey, { name: 'Bank', mode: 'test' });
const key = String(app['secret_key']);
const payer = await call('POST', '/v1/auth/users/create', key, { email: 'payer@example.com' });
const { wallets } = (await call('GET', `/v1/wallets/list?user_id=${String(payer['user_id'])}`, key)) as unknown as {
  wallets: { id: string; public_address: string }[];
};
await anvil.fund(wallets[0]!.public_address, 1_000n * 10n ** 18n);

const users: string[] = [];
const payments: { readonly id: string; readonly dest: string }[] = [];
let lastWrite = performance.now();
let longest = 0;
let isOver = false;
const writing = (async () => {
  while (!isOver) {
    const made = await persistently('POST', '/v1/auth/users/create', { email: `${randomUUID()}@example.com` });
    users.push(String(made['user_id']));
    longest = Math.max(longest, performance.now() - lastWrite);
    lastWrite = performance.now();
    await sleep(50);
  }
})();
const paying = (async () => {
  while (!isOver) {
    const dest = Wallet.createRandom().address;
    const currencies = { source_currency: 'ethereum', dest_currency: 'ethereum', source_amount: AMOUNT };
    const { id } = await persistently('POST', '/v1/transfers/create', { source: wallets[0]!.id, dest, ...currencies });
    await persistently('POST', `/v1/transfers/${String(id)}/confirm`, {});
    payments.push({ id: String(id), dest });
    await sleep(200);
  }
})();

const seconds: number[] = [];
await sleep(5_000);
for (let n = 1; n <= FAILOVERS; n++) {
  const { leader } = await cluster();
  const node = nodes.find(({ name }) => name === leader)!;
  longest = 0;
  lastWrite = performance.now();
  killGroup(node.process!);
  await eventually('another primary', async () => ![null, leader].includes((await cluster()).leader));
  const before = users.length;
  await eventually('writes', () => users.length > before);
  seconds.push(longest / 1_000);
  startNode(node);
  await eventually('all nodes', async () => (await cluster()).running === NODES && (await cluster()).hasStandby);
  console.log(`failover ${n} of ${FAILOVERS}: ${leader} was killed, no write for ${seconds.at(-1)!.toFixed(1)} s`);
  await sleep(3_000);
}
isOver = true;
await Promise.all([writing, paying]);

let lost = 0;
for (const id of users) {
  const { status } = await fetch(`${url}/v1/auth/users/${id}`, { headers: { authorization: `Bearer ${key}` } });
  if (status !== 200) lost++;
}
const amount = 10n ** 15n;
await eventually('the end of all payments', async () => {
  const states = await Promise.all(payments.map(({ id }) => call('GET', `/v1/transfers/${id}`, key)));
  return states.every(({ status }) => status === 'completed');
});
const wrong: string[] = [];
for (const { id, dest } of payments) if ((await anvil.provider.getBalance(dest)) !== amount) wrong.push(id);
console.log(
  `${users.length} users, ${lost} lost; ${payments.length} payments, ${wrong.length} not paid exactly once; without writes: ${seconds.map((each) => each.toFixed(1)).join(', ')} s`,
);
await replica.kill();
await anvil.stop();
process.exit(lost === 0 && wrong.length === 0 && users.length > 0 && Math.max(...seconds) <= MOST_SECONDS ? 0 : 1);

function at(port: number): string {
  return `http://127.0.0.1:${port}`;
}

function run(program: string, args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  const child = spawn(program, args, {
    uid,
    gid,
    cwd: home,
    // A group of its own, which is killed as a machine is.
    detached: true,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'ignore', process.env['DRILL_LOG'] ? 'inherit' : 'ignore'],
  });
  child.once('error', (cause) => {
    throw new Error(`${program} does not start. Install its Debian package.`, { cause });
  });
  started.push(child);
  return child;
}

/** The death of a machine: Patroni and the server, whose children end with it. */
function killGroup(child: ChildProcess): void {
  const node = nodes.find((each) => each.process === child);
  const pids = [-child.pid!];
  if (node) {
    const file = join(home, node.name, 'postmaster.pid');
    if (existsSync(file)) pids.push(Number(readFileSync(file, 'utf8').split('\n')[0]));
  }
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

function startNode(node: (typeof nodes)[number]): void {
  const password = 'postgres';
  const config = {
    scope: 'bank',
    name: node.name,
    restapi: { listen: `127.0.0.1:${node.rest}`, connect_address: `127.0.0.1:${node.rest}` },
    etcd3: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ttl: 8,
        loop_wait: 2,
        retry_timeout: 3,
        synchronous_mode: true,
        synchronous_mode_strict: true,
        postgresql: { use_pg_rewind: true, parameters: { max_connections: 100, synchronous_commit: 'on' } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
    },
    postgresql: {
      listen: `127.0.0.1:${node.port}`,
      connect_address: `127.0.0.1:${node.port}`,
      data_dir: join(home, node.name),
      bin_dir: programs,
      pgpass: join(home, `${node.name}.pgpass`),
      pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
      authentication: {
        superuser: { username: 'postgres', password },
        replication: { username: 'replicator', password },
      },
      parameters: { unix_socket_directories: home },
    },
  };
  const file = join(home, `${node.name}.yml`);
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(config));
  node.process = run('patroni', [file]);
}

interface Cluster {
  readonly leader: string | null;
  readonly running: number;
  readonly hasStandby: boolean;
}

async function cluster(): Promise<Cluster> {
  for (const { rest } of nodes) {
    const answer = await fetch(`${at(rest)}/cluster`).catch(() => null);
    if (!answer?.ok) continue;
    const { members } = (await answer.json()) as { members: { name: string; role: string; state: string }[] };
    const live = members.filter(({ state }) => ['running', 'streaming'].includes(state));
    return {
      leader: live.find(({ role }) => role === 'leader')?.name ?? null,
      running: live.length,
      hasStandby: live.some(({ role }) => role === 'sync_standby'),
    };
  }
  return { leader: null, running: 0, hasStandby: false };
}

function startBalancer(): void {
  const lines = [
    'defaults',
    '  mode tcp',
    '  timeout connect 2s',
    '  timeout client 1h',
    '  timeout server 1h',
    'listen primary',
    `  bind 127.0.0.1:${entry}`,
    '  option httpchk GET /primary',
    '  http-check expect status 200',
    '  default-server check inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions',
    ...nodes.map(({ name, port, rest }) => `  server ${name} 127.0.0.1:${port} check port ${rest}`),
    '',
  ];
  const file = join(home, 'haproxy.cfg');
  writeFileSync(file, lines.join('\n'));
  run('haproxy', ['-db', '-f', file]);
}

async function call(method: string, path: string, caller: string, body?: object, idempotencyKey?: string) {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${caller}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw Object.assign(new Error(`${path} answered ${response.status}: ${text}`), { response });
  return JSON.parse(text) as Record<string, unknown>;
}

/** As a careful client does: the same call with the same key until it is answered. */
async function persistently(method: string, path: string, body: object): Promise<Record<string, unknown>> {
  const idempotencyKey = randomUUID();
  for (const end = performance.now() + PATIENCE_MS; ; await sleep(200)) {
    try {
      return await call(method, path, key, body, idempotencyKey);
    } catch (error) {
      const { response } = error as { response?: Response };
      const isTransient = response === undefined || response.status >= 500 || [409, 429].includes(response.status);
      if (!isTransient || performance.now() > end) throw error;
    }
  }
}

async function eventually(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; !(await isSo()); await sleep(200))
    if (performance.now() > end) throw new Error(`Two minutes without ${what}.`);
}
