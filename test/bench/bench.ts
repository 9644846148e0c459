import type { Request } from 'autocannon';
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs, promisify } from 'node:util';
import { EmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { cellsOf, createDatabases, median, ratiosOf, say, table, verdict } from './figures.js';
import { installPeers, npm } from './install-peers.js';
import { layersOf } from './layers.js';
import { compare, load, type Measured, sendEach, type Variant } from './load.js';
import { MeasuredProcess, resultOf } from './measured-process.js';

// Measures the throughput of the service and of peers that do the same work on the same rows of the same PostgreSQL.
// Absolute figures depend on the machine. The ratios count: each is taken within a round, and the median is reported.

const { values: options } = parseArgs({
  options: {
    node24: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
  },
});
const ROUNDS = Number(options.rounds);
const SECONDS = Number(options.seconds);
const USERS = 4_000;

const HERE = import.meta.dirname;
const SERVICE = join(HERE, '../../dist/src/main.js');

/** The options of `npm start`. */
const FLAGS = (
  JSON.parse(await readFile(join(HERE, '../../package.json'), 'utf8')) as { scripts: { start: string } }
).scripts.start.match(/--\S+/g)!;

/** Two variants of a call, and how much of the second's throughput the first must reach. */
const RATIOS: readonly { readonly of: string; readonly to: string; readonly bar?: number }[] = [
  { of: 'GET users/{id}', to: 'GET users/{id}, bare express + pg', bar: 0.55 },
  { of: 'sessions/verify by token', to: 'get-session, better-auth', bar: 3 },
  { of: 'sessions/verify by JWT', to: 'get-session, better-auth', bar: 3 },
  { of: 'sessions/verify by token', to: 'sessions/verify by token, bare express + pg' },
  { of: 'sessions/verify by JWT', to: 'sessions/verify by JWT, bare express + pg' },
  { of: 'sign_message', to: 'sign_message, signer stubbed out', bar: 0.6 },
];

interface Seed {
  readonly appId: string;
  readonly key: string;
  readonly users: readonly string[];
  readonly tokens: readonly string[];
  readonly wallets: readonly string[];
  /** The key of the hashes of tokens, for peers that look tokens up. */
  readonly tokenHashKey: string;
}

/** What one version of Node achieved. */
interface Column {
  readonly version: string;
  readonly measured: ReadonlyMap<string, readonly Measured[]>;
  /** The part of the time that each layer takes, by call. */
  readonly layers: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly signatures: Readonly<Record<string, number | null>>;
}

const temporary = await mkdtemp(join(tmpdir(), 'bench-'));
process.once('SIGINT', () => {
  // PostgreSQL and the servers stop when this process ends.
  rmSync(temporary, { recursive: true, force: true });
  process.exit(130);
});
const postgres = await EmbeddedPostgres.start({ dataDir: join(temporary, 'postgres') });
try {
  await installPeers();
  const binaries = [process.execPath, ...(options.node24 ? [await installNode('24.21.0')] : [])];
  const [serviceDatabase, betterAuthDatabase] = await createDatabases(postgres, 'service', 'better_auth');
  const env = {
    NODE_ENV: 'production',
    BASE_URL: 'https://id.example.com',
    DATABASE_URL: serviceDatabase!,
    MASTER_KEYS: `bench:${createHash('sha256').update(randomBytes(32)).digest('base64')}`,
    MANAGEMENT_KEY: `mk_${randomBytes(24).toString('hex')}`,
    LOG_LEVEL: 'info',
  };
  say(`Making ${USERS} users, wallets and sessions …`);
  const seed = await resultOf<Seed>(join(HERE, 'seed.mjs'), {
    node: process.execPath,
    env: { ...env, PORT: '0', USERS: String(USERS) },
  });
  const columns: Column[] = [];
  for (const node of binaries) columns.push(await column(node, env, betterAuthDatabase!, seed));
  report(columns);
} finally {
  await postgres.stop();
  await rm(temporary, { recursive: true, force: true });
}

async function column(
  node: string,
  env: Readonly<Record<string, string>>,
  betterAuthDatabase: string,
  seed: Seed,
): Promise<Column> {
  const version = (await promisify(execFile)(node, ['--version'])).stdout.trim();
  const asStarted = { node, env, execArgv: FLAGS };
  const service = await MeasuredProcess.server(SERVICE, asStarted);
  const stubbed = await MeasuredProcess.server(SERVICE, {
    ...asStarted,
    execArgv: [...FLAGS, '--import', join(HERE, 'stub-signer.mjs')],
  });
  const bare = await MeasuredProcess.server(join(HERE, 'peers/bare-express.mjs'), {
    node,
    env: { ...env, TOKEN_HASH_KEY: seed.tokenHashKey },
  });
  const betterAuth = await MeasuredProcess.server(join(HERE, 'peers/better-auth.mjs'), {
    node,
    env: { NODE_ENV: 'production', DATABASE_URL: betterAuthDatabase, SESSIONS: String(USERS) },
  });
  const servers = [service, stubbed, bare, betterAuth];
  try {
    const calls = callsOf(seed);
    const cookies = betterAuth.announced as readonly string[];
    const getSession = cookies.map((cookie) => ({
      method: 'GET',
      path: '/api/auth/get-session',
      headers: { cookie: `better-auth.session_token=${cookie}` },
    }));
    await assertSameAnswers(service, bare, [calls.getUser[0]!, calls.verifyByToken[0]!]);
    const measured = new Map<string, Measured[]>();
    for (let round = 1; round <= ROUNDS; round++) {
      // Each session is verified once before: last_active_at is written once a minute, and a JWT is signed again after half
      // of its life. The benchmark measures the calls in between.
      const jwts = (await sendEach(service, calls.verifyByToken)).map((body) => jwtIn(body));
      await sendEach(bare, calls.verifyByToken);
      const verifyByJwt = jwts.map((session_jwt) => calls.verify({ session_jwt }));
      const groups: Variant[][] = [
        [
          { name: 'GET users/{id}', server: service, requests: calls.getUser },
          { name: 'GET users/{id}, bare express + pg', server: bare, requests: calls.getUser },
        ],
        [
          { name: 'sessions/verify by token', server: service, requests: calls.verifyByToken },
          { name: 'sessions/verify by token, bare express + pg', server: bare, requests: calls.verifyByToken },
          { name: 'get-session, better-auth', server: betterAuth, requests: getSession },
          { name: 'sessions/verify by JWT', server: service, requests: verifyByJwt },
          { name: 'sessions/verify by JWT, bare express + pg', server: bare, requests: verifyByJwt },
        ],
        [
          { name: 'sign_message', server: service, requests: calls.signMessage },
          { name: 'sign_message, signer stubbed out', server: stubbed, requests: calls.signMessage },
        ],
        [{ name: 'jwks/{app_id}', server: service, requests: [calls.jwks] }],
      ];
      for (const group of groups) {
        for (const [name, result] of await compare(group, SECONDS)) {
          measured.set(name, [...(measured.get(name) ?? []), result]);
          say(`${version} round ${round}/${ROUNDS}  ${name.padEnd(44)} ${Math.round(result.perSecond)}/s`);
        }
      }
    }
    const layers = new Map<string, Map<string, number>>();
    for (const [name, requests] of [
      ['GET users/{id}', calls.getUser],
      ['sessions/verify by token', calls.verifyByToken],
      ['sign_message', calls.signMessage],
    ] as const) {
      layers.set(name, await layersUnderLoad(service, requests));
    }
    const signatures = await resultOf<Record<string, number | null>>(join(HERE, 'raw-signing.mjs'), {
      node,
      env: { SECONDS: '2' },
    });
    return { version, measured, layers, signatures };
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

function callsOf({ appId, key, users, tokens, wallets }: Seed) {
  const authorization = `Bearer ${key}`;
  const post = (path: string, body: object): Request => ({
    method: 'POST',
    path,
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const verify = (secret: object): Request => post('/v1/auth/sessions/verify', secret);
  return {
    verify,
    getUser: users.map((id): Request => ({ method: 'GET', path: `/v1/auth/users/${id}`, headers: { authorization } })),
    verifyByToken: tokens.map((session_token) => verify({ session_token })),
    signMessage: wallets.map((id, n) => post(`/v1/wallets/${id}/sign_message`, { message: `I agree to terms ${n}.` })),
    jwks: { method: 'GET', path: `/v1/auth/jwks/${appId}` } satisfies Request,
  };
}

/** The comparison is valid only if both return the same JSON. JWTs always differ. */
async function assertSameAnswers(service: MeasuredProcess, peer: MeasuredProcess, requests: readonly Request[]) {
  const comparable = (bodies: unknown[]): unknown =>
    JSON.parse(JSON.stringify(bodies, (name, value: unknown) => (name === 'session_jwt' ? 'a JWT' : value)));
  // The first call writes last_active_at, which both then return.
  await sendEach(service, requests);
  const [ours, theirs] = [await sendEach(service, requests), await sendEach(peer, requests)].map(comparable);
  if (!isDeepStrictEqual(ours, theirs))
    throw new Error(`The peer answers\n${JSON.stringify(theirs)}\ninstead of\n${JSON.stringify(ours)}`);
}

async function layersUnderLoad(server: MeasuredProcess, requests: readonly Request[]): Promise<Map<string, number>> {
  await load(server, requests, 1);
  return layersOf(await server.profile(() => load(server, requests, SECONDS)));
}

function jwtIn(body: unknown): string {
  return (body as { session_jwt: string }).session_jwt;
}

/** Another version of Node, from npm. */
async function installNode(version: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  say(`Installing ${name}@${version} …`);
  await npm('install', '--prefix', temporary, `${name}@${version}`);
  return join(temporary, 'node_modules', name, 'bin/node');
}

function report(columns: readonly Column[]): void {
  const names = [...columns[0]!.measured.keys()];
  console.log(`\n${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores shared by server, load`);
  console.log(`and PostgreSQL; ${ROUNDS} rounds of ${SECONDS} s, 20 connections, ${USERS} users: median [min–max].\n`);

  table(
    ['Call', ...columns.flatMap(({ version }) => [`${version}: calls/s`, 'p50 / p99 ms', 'CPU µs'])],
    names.map((name) => [name, ...columns.flatMap(({ measured }) => cellsOf(measured.get(name) ?? [], 0))]),
  );

  table(
    ['Ratio', 'Bar', ...columns.flatMap(({ version }) => [version, 'by processor time'])],
    RATIOS.map(({ of, to, bar }) => [
      `${of} ÷ ${to}`,
      bar === undefined ? '' : `≥ ${bar}`,
      ...columns.flatMap(({ measured }) => {
        const [ours, theirs] = [measured.get(of) ?? [], measured.get(to) ?? []];
        return [
          verdict(ratiosOf(ours, theirs), { least: bar }),
          median(ours.map(({ cpu }, round) => theirs[round]!.cpu / cpu)).toFixed(2),
        ];
      }),
    ]),
  );

  const calls = [...columns[0]!.layers.keys()];
  const rows = new Set(columns.flatMap(({ layers }) => [...layers.values()].flatMap((spent) => [...spent.keys()])));
  table(
    ['Processor time of a call, µs', ...columns.flatMap(({ version }) => calls.map((call) => `${version}: ${call}`))],
    [...rows].map((layer) => [
      layer,
      ...columns.flatMap(({ layers, measured }) =>
        calls.map((call) => {
          const cpu = median((measured.get(call) ?? []).map((round) => round.cpu));
          return ((layers.get(call)?.get(layer) ?? 0) * cpu).toFixed(0);
        }),
      ),
    ]),
  );

  table(
    ['Raw signing', ...columns.map(({ version }) => `${version}: signatures/s`)],
    Object.keys(columns[0]!.signatures).map((backend) => [
      backend,
      ...columns.map(({ signatures }) => String(Math.round(signatures[backend] ?? 0))),
    ]),
  );
}
