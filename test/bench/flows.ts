import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { generateSync } from 'otplib';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { installPeers } from './install-peers.js';
import { type Call, Connections, each, measureEach, steadily } from './closed-loop.js';
import { cellsOf, createDatabases, quantile, ratiosOf, say, spread, table, verdict } from './figures.js';
import type { Measured } from './load.js';
import { loginByLink, raiseLimits } from './logins.js';
import { MailSink } from './mail-sink.js';
import { MeasuredProcess, resultOf } from './measured-process.js';

// Measures logins by magic link and by TOTP beside better-auth on the same PostgreSQL and mail server, and how TOTP
// enrolments affect the latency of other calls.

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    /** Flows of each kind in a round. */
    size: { type: 'string', default: '1000' },
    /** Whether better-auth searches for expired verifications at each verification, which is its default. */
    cleanup: { type: 'string', default: 'true' },
  },
});
const ROUNDS = Number(options.rounds);
/** Rounds that are not counted: after these, both servers get no faster. */
const WARM_UP_ROUNDS = 3;
const SIZE = Number(options.size);
const USERS = 2 * SIZE;
const AT_ONCE = 20;
const STEP_SECONDS = 30;
/** Calls per second, and the seconds of load, with and without enrolments. */
const READS = { perSecond: 200, seconds: 10 };
const ENROLMENTS_PER_SECOND = 20;

const HERE = import.meta.dirname;
const node = process.execPath;

interface Seed {
  readonly appId: string;
  readonly key: string;
  readonly users: readonly string[];
}

/** An authenticator app of a user. */
/** Verifies all rows of a table of the service. */
type Verify = (table: string) => Promise<unknown>;

interface Authenticator {
  readonly userId: string;
  readonly secret: string | Uint8Array;
}

await installPeers();
const temporary = await mkdtemp(join(tmpdir(), 'bench-'));
const postgres = await EmbeddedPostgres.start({ dataDir: join(temporary, 'postgres') });
const mails = await MailSink.start();
const servers: MeasuredProcess[] = [];
try {
  const [serviceDatabase, peerDatabase] = await createDatabases(postgres, 'service', 'better_auth');
  const smtp = `smtp://127.0.0.1:${mails.port}`;
  const env = {
    NODE_ENV: 'production',
    BASE_URL: 'https://id.example.com',
    DATABASE_URL: serviceDatabase!,
    MASTER_KEYS: `bench:${createHash('sha256').update(randomBytes(32)).digest('base64')}`,
    MANAGEMENT_KEY: `mk_${randomBytes(24).toString('hex')}`,
    SMTP_URL: smtp,
    MAIL_FROM: 'bench@example.com',
    LOG_LEVEL: 'info',
    DATABASE_POOL_SIZE: String(AT_ONCE),
  };
  say(`Making ${USERS} users …`);
  const seed = await resultOf<Seed>(join(HERE, 'seed.mjs'), { node, env: { ...env, PORT: '0', USERS: String(USERS) } });
  const service = await MeasuredProcess.server(join(HERE, '../../dist/src/main.js'), {
    node,
    env,
  });
  servers.push(service);
  const betterAuth = await MeasuredProcess.server(join(HERE, 'peers/better-auth-logins.mjs'), {
    node,
    env: {
      NODE_ENV: 'production',
      DATABASE_URL: peerDatabase!,
      SMTP_URL: smtp,
      USERS: String(USERS),
      SIGN_INS: String((WARM_UP_ROUNDS + ROUNDS) * SIZE),
      POOL_SIZE: String(AT_ONCE),
      CLEANUP: options.cleanup,
    },
  });
  servers.push(betterAuth);
  const verify: Verify = (table) =>
    resultOf(join(HERE, 'verify-rows.mjs'), { node, env: { ...env, PORT: '0', TABLE: table } });
  await run(service, betterAuth, seed, env.MANAGEMENT_KEY, peerDatabase!, verify);
} finally {
  await Promise.all(servers.map((server) => server.stop()));
  mails.stop();
  await postgres.stop();
  await rm(temporary, { recursive: true, force: true });
}

async function run(
  service: MeasuredProcess,
  betterAuth: MeasuredProcess,
  { appId, key, users }: Seed,
  managementKey: string,
  peerDatabase: string,
  verify: Verify,
): Promise<void> {
  const [ours, theirs] = [new Connections(service), new Connections(betterAuth)];
  const post = (path: string, body: object): Call => ({
    method: 'POST',
    path,
    headers: { authorization: `Bearer ${key}` },
    body,
  });
  await raiseLimits(ours, appId, managementKey);
  const [enrolled, pending] = [users.slice(0, -SIZE / 10), users.slice(-SIZE / 10)];
  say(`Enrolling ${enrolled.length} authenticators …`);
  const authenticators = await enrol(ours, post, enrolled, verify);
  // better-auth's users have verified addresses too: the first proof of an address is another flow.
  await verify('emails');
  const { totpSecrets, cookies } = betterAuth.announced as { totpSecrets: string[]; cookies: string[] };

  const ourLink = (email: string) => loginByLink(ours, key, mails, email);
  const theirLink = async (email: string): Promise<void> => {
    const mail = mails.next(email);
    await theirs.call({
      method: 'POST',
      path: '/api/auth/sign-in/magic-link',
      headers: { origin: betterAuth.url },
      body: { email },
    });
    const path = `/api/auth/magic-link/verify?token=${await mail}`;
    assert((await theirs.call<{ token: string }>({ method: 'GET', path })).token);
  };
  const ourCode = async ({ userId, code }: { userId: string; code: string }): Promise<void> => {
    const body = { user_id: userId, totp: code, session_expires_in: 60 };
    assert((await ours.call<{ session_token: string }>(post('/v1/auth/totps/verify', body))).session_token);
  };
  const theirCode = async ({ cookie, code }: { cookie: string; code: string }): Promise<void> => {
    const headers = { cookie: `better-auth.two_factor=${cookie}`, origin: betterAuth.url };
    const path = '/api/auth/two-factor/verify-totp';
    assert((await theirs.call<{ token: string }>({ method: 'POST', path, headers, body: { code } })).token);
  };

  const measured = new Map<string, Measured[]>();
  const [alone, beside] = [[] as number[][], [] as number[][]];
  const lastSteps = new Map<string, number>();
  for (let round = 1 - WARM_UP_ROUNDS; round <= ROUNDS; round++) {
    const isCounted = round > 0;
    const first = Math.abs(round % 2) * SIZE;
    const emails = Array.from({ length: SIZE }, (_, n) => `user${first + n}@example.com`);
    const variants: [string, () => Promise<Measured>][] = [
      ['magic link', () => measureEach(service, emails, AT_ONCE, ourLink)],
      ['magic link, better-auth', () => measureEach(betterAuth, emails, AT_ONCE, theirLink)],
      [
        'TOTP verify',
        async () => {
          const chosen = authenticators.slice(first, first + SIZE);
          // A time step is accepted once: a user who was verified before sends the code of a later step.
          await laterStep(Math.max(0, ...chosen.map(({ userId }) => lastSteps.get(userId) ?? 0)));
          for (const { userId } of chosen) lastSteps.set(userId, currentStep());
          return measureEach(service, chosen.map(withCode), AT_ONCE, ourCode);
        },
      ],
      [
        'TOTP verify, better-auth',
        async () => {
          const from = (round + WARM_UP_ROUNDS - 1) * SIZE;
          const range = { from, to: from + SIZE, users: USERS };
          await beginSignIns(peerDatabase, range);
          const items = cookies.slice(range.from, range.to).map((cookie, n) => {
            const secret = Buffer.from(totpSecrets[(range.from + n) % USERS]!);
            return { cookie, code: generateSync({ secret }) };
          });
          return measureEach(betterAuth, items, AT_ONCE, theirCode);
        },
      ],
    ];
    // The order alternates: the first of one round is the last of the next.
    for (const [name, measure] of round % 2 === 0 ? variants.toReversed() : variants) {
      const result = await measure();
      if (isCounted) measured.set(name, [...(measured.get(name) ?? []), result]);
      for (const connections of [ours, theirs]) connections.close();
      say(
        `${isCounted ? `round ${round}/${ROUNDS}` : 'warm-up'}  ${name.padEnd(26)} ${Math.round(result.perSecond)}/s`,
      );
    }
    if (!isCounted) continue;
    const read = (): Promise<unknown> =>
      ours.call({
        method: 'GET',
        path: `/v1/auth/users/${users[Math.floor(Math.random() * users.length)]}`,
        headers: { authorization: `Bearer ${key}` },
      });
    const reads = () => steadily(READS.perSecond, 1, read);
    let next = 0;
    const enrolment = () =>
      ours.call(post('/v1/auth/totps/create', { user_id: pending[next++ % pending.length], expires_in: 30 }));
    const enrolments = () => steadily(ENROLMENTS_PER_SECOND, 1, enrolment);
    const [calm, busy]: [number[], number[]] = [[], []];
    const halves = [
      async () => calm.push(...(await reads())),
      async () => busy.push(...(await Promise.all([reads(), enrolments()]))[0]),
    ];
    // Alternating, so that other work on the machine affects both alike.
    for (let second = 0; second < READS.seconds; second++)
      for (const half of second % 2 === 0 ? halves : halves.toReversed()) await half();
    alone.push(calm);
    beside.push(busy);
    ours.close();
  }
  report(measured, alone, beside);
}

/** Verifies authenticators for the first time, which is not measured. */
async function enrol(
  service: Connections,
  post: (path: string, body: object) => Call,
  users: readonly string[],
  verify: Verify,
): Promise<Authenticator[]> {
  const authenticators: Authenticator[] = [];
  await each(users, AT_ONCE, async (userId) => {
    const { secret } = await service.call<{ secret: string }>(post('/v1/auth/totps/create', { user_id: userId }));
    authenticators.push({ userId, secret });
  });
  await verify('totps');
  return authenticators;
}

/** What better-auth stores between the correct password and the request for the code. */
async function beginSignIns(database: string, range: { from: number; to: number; users: number }): Promise<void> {
  for (const [prefix, value] of [
    ['', `'user' || n % $3::int`],
    ['2fa-attempts-', `'0'`],
  ]) {
    await statement(
      database,
      `insert into verification (id, identifier, value, "expiresAt", "createdAt", "updatedAt")
       select '${prefix}' || n, '${prefix}sign-in-' || n, ${value}, now() + interval '10 minutes', now(), now()
         from generate_series($1::int, $2::int - 1) n where $3::int > 0`,
      [range.from, range.to, range.users],
    );
  }
}

async function statement(database: string, sql: string, parameters: unknown[] = []): Promise<void> {
  const client = new Client({ connectionString: database });
  await client.connect();
  await client.query(sql, parameters);
  await client.end();
}

function withCode({ userId, secret }: Authenticator): { userId: string; code: string } {
  return { userId, code: generateSync({ secret }) };
}

function currentStep(): number {
  return Math.floor(Date.now() / 1000 / STEP_SECONDS);
}

async function laterStep(than: number): Promise<void> {
  while (currentStep() <= than) await sleep(100);
}

function assert(token: string): void {
  if (!token) throw new Error('A flow ended without a session.');
}

function report(
  measured: ReadonlyMap<string, readonly Measured[]>,
  alone: readonly number[][],
  beside: readonly number[][],
): void {
  console.log(
    `\n${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores shared by server, mail server, load`,
  );
  console.log(
    `and PostgreSQL; Node ${process.version}; ${ROUNDS} rounds of ${SIZE} after ${WARM_UP_ROUNDS} to warm up,\n${AT_ONCE} at a time on as many connections to PostgreSQL: median [min–max].\n`,
  );
  table(
    ['Flow', 'a second', 'p50 / p99 ms', 'CPU µs of the server'],
    [...measured].map(([name, rounds]) => [name, ...cellsOf(rounds)]),
  );
  const ratios = (name: string) => ratiosOf(measured.get(name), measured.get(`${name}, better-auth`));
  const p99 = (rounds: readonly number[][]): number[] => rounds.map((round) => quantile(round, 0.99));
  const [p99Alone, p99Beside] = [p99(alone), p99(beside)];
  console.log(
    `GET user at ${READS.perSecond}/s: p99 ${spread(p99Alone, 1)} ms alone, ${spread(p99Beside, 1)} ms beside ${ENROLMENTS_PER_SECOND} TOTP creates/s.\n`,
  );
  table(
    ['Ratio', 'Bar', 'Median [min–max]'],
    [
      ['magic link ÷ better-auth', '≥ 1.9', verdict(ratios('magic link'), { least: 1.9 })],
      ['TOTP verify ÷ better-auth', '≥ 2', verdict(ratios('TOTP verify'), { least: 2 })],
      [
        'p99 of GET user beside TOTP create ÷ alone',
        '≤ 1.5',
        verdict(
          p99Beside.map((value, n) => value / p99Alone[n]!),
          { most: 1.5 },
        ),
      ],
    ],
  );
}
