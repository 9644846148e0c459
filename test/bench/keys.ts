import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { EmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { startVault } from '../support/vault-server.js';
import { Connections, steadily } from './closed-loop.js';
import { quantile, say, table, verdict } from './figures.js';
import { load } from './load.js';
import { loginByLink, raiseLimits } from './logins.js';
import { MailSink } from './mail-sink.js';
import { MeasuredProcess } from './measured-process.js';

// Measures a service with a key provider: how often signatures of many apps call it, and what an outage of it costs. The provider is
// the Vault of the tests, in the process that makes the load.

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '300' },
    apps: { type: 'string', default: '50' },
    outage: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '3' },
    rate: { type: 'string', default: '30' },
  },
});
const [SECONDS, APPS, OUTAGE, ROUNDS, RATE] = (['seconds', 'apps', 'outage', 'rounds', 'rate'] as const).map((name) =>
  Number(options[name]),
) as [number, number, number, number, number];
const SIGNATURES_PER_SECOND = 2;
const MESSAGE = { message: 'I agree to the terms.' };

interface Signer {
  readonly key: string;
  readonly path: string;
}

interface Outage {
  /** Milliseconds of sign-ins. */
  readonly before: readonly number[];
  readonly hanging: readonly number[];
  readonly after: readonly number[];
  /** Milliseconds of refused signatures of an app without a key in memory. */
  readonly refused: readonly number[];
  readonly recoverySeconds: number;
}

const temporary = await mkdtemp(join(tmpdir(), 'bench-'));
const postgres = await EmbeddedPostgres.start({ dataDir: join(temporary, 'postgres') });
const vault = await startVault();
const mails = await MailSink.start();
const env = {
  NODE_ENV: 'production',
  BASE_URL: 'https://id.example.com',
  DATABASE_URL: postgres.url,
  MANAGEMENT_KEY: `mk_${randomBytes(24).toString('hex')}`,
  SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
  MAIL_FROM: 'bench@example.com',
  ...vault.env,
};
const startService = () =>
  MeasuredProcess.server(join(import.meta.dirname, '../../dist/src/main.js'), { node: process.execPath, env });
let service = await startService();
try {
  const signers: Signer[] = [];
  while (signers.length < APPS) signers.push(await newSigner());
  vault.forgetCalls();
  await restart();
  const signed = await load(
    service,
    signers.map((signer) => ({ ...callOf(signer), body: JSON.stringify(MESSAGE) })),
    SECONDS,
  );
  const { decrypt = 0, ...further } = vault.calls;
  say(`signatures: ${Math.round(signed['2xx'] / signed.duration)} a second`);
  const outages: Outage[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    await restart();
    outages.push(await outage(signers[0]!, signers[1]!));
    say(`outage ${round}/${ROUNDS}`);
  }

  console.log(`\n${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores; Node ${process.version}.\n`);
  table(
    ['Signatures', 'a second', 'p50 / p99 ms', 'calls to the provider', 'for each app'],
    [
      [
        `${signed['2xx']} of ${APPS} cold apps in ${SECONDS} s`,
        String(Math.round(signed['2xx'] / signed.duration)),
        `${signed.latency.p50} / ${signed.latency.p99}`,
        JSON.stringify({ decrypt, ...further }),
        // One call opens the key of the service.
        verdict([(decrypt - 1) / APPS], { most: 1 }),
      ],
    ],
  );
  const p99 = (of: (outage: Outage) => readonly number[]) => outages.map((each) => quantile(of(each), 0.99));
  const working = p99(({ before, after }) => [...before, ...after]);
  const hanging = p99((each) => each.hanging);
  const before = p99((each) => each.before);
  table(
    [`Provider that hangs for ${OUTAGE} s, ${ROUNDS} rounds`, 'Bar', 'Median [min–max]'],
    [
      ['p99 of sign-ins before and after, ms', '', verdict(working, {})],
      ['p99 of sign-ins meanwhile, ms', '', verdict(hanging, {})],
      [
        'p99 meanwhile ÷ before and after',
        '≤ 1.1',
        verdict(
          hanging.map((each, n) => each / working[n]!),
          { most: 1.1 },
        ),
      ],
      [
        'p99 after ÷ before, which shows how much it varies without an outage',
        '',
        verdict(
          p99(({ after }) => after).map((each, n) => each / before[n]!),
          {},
        ),
      ],
      [
        'slowest refusal of a signature, s',
        '≤ 3',
        verdict(
          outages.map(({ refused }) => Math.max(...refused) / 1_000),
          { most: 3 },
        ),
      ],
      [
        'signs again after the end, s',
        '≤ 5',
        verdict(
          outages.map(({ recoverySeconds }) => recoverySeconds),
          { most: 5 },
        ),
      ],
    ],
  );
} finally {
  await service.stop();
  mails.stop();
  await vault.stop();
  await postgres.stop();
  await rm(temporary, { recursive: true, force: true });
}

/** Afterwards the service has no key of an app in memory. */
async function restart(): Promise<void> {
  await service.stop();
  service = await startService();
}

async function newSigner(): Promise<Signer> {
  const connections = new Connections(service);
  const management = { authorization: `Bearer ${env.MANAGEMENT_KEY}` };
  const app = await connections.call<{ id: string; secret_key: string }>({
    method: 'POST',
    path: '/management/v1/apps',
    headers: management,
    body: { name: 'Bench', mode: 'test' },
  });
  await raiseLimits(connections, app.id, env.MANAGEMENT_KEY);
  const headers = { authorization: `Bearer ${app.secret_key}` };
  const body = { email: `user@${app.id.replace('_', '-')}.example.com` };
  await connections.call({ method: 'POST', path: '/v1/auth/users/create', headers, body });
  const { wallets } = await connections.call<{ wallets: { id: string }[] }>({
    method: 'GET',
    path: '/v1/wallets/list',
    headers,
  });
  connections.close();
  return { key: app.secret_key, path: `/v1/wallets/${wallets[0]!.id}/sign_message` };
}

function callOf({ key, path }: Signer) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return { method: 'POST' as const, path, headers };
}

/** Signs in users of a warm app, and signs for the warm app at first and then for the cold app while the provider hangs. */
async function outage(warm: Signer, cold: Signer): Promise<Outage> {
  const connections = new Connections(service);
  let logins = 0;
  const signIns = (seconds: number) =>
    steadily(RATE, seconds, () => loginByLink(connections, warm.key, mails, `user${logins++}@example.com`));
  // A refused signature must not make the next one come earlier or later: the sign-ins run beside as many signatures all the time.
  const beside = (seconds: number, signer: Signer, status: number) =>
    Promise.all([signIns(seconds), steadily(SIGNATURES_PER_SECOND, seconds, () => requireStatus(signer, status))]);
  await signIns(5);
  // Half of the comparison follows the outage, so that a change of the load of the machine concerns both alike.
  const [before] = await beside(OUTAGE / 2, warm, 200);
  vault.fault = 'hang';
  const [hanging, refused] = await beside(OUTAGE, cold, 503);
  vault.fault = null;
  const back = performance.now();
  while ((await sign(cold)).status !== 200) await sleep(20);
  const recoverySeconds = (performance.now() - back) / 1_000;
  const [after] = await beside(OUTAGE / 2, warm, 200);
  connections.close();
  return { before, hanging, after, refused, recoverySeconds };
}

async function requireStatus(signer: Signer, status: number): Promise<void> {
  const answer = await sign(signer);
  const { error_type } = (await answer.json()) as { error_type?: string };
  if (answer.status !== status || (status === 503 && error_type !== 'keys_unavailable'))
    throw new Error(`A signature was answered ${answer.status} ${error_type} instead of ${status}.`);
}

function sign(signer: Signer): Promise<Response> {
  const { path, ...call } = callOf(signer);
  return fetch(service.url + path, { ...call, body: JSON.stringify(MESSAGE) });
}
