// Replaces two replicas behind HAProxy (Debian package `haproxy`) five times, one after the other, under 100 mixed requests a second.
// No request may fail. `npm run test:rolling`; a part of `npm run test:all`. With `-- 2 <revision> <rate>` the first ones are of that
// revision: its rows are used by this one beside it, and get their MACs afterwards.
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { freePort } from '../../src/dev/free-port.js';
import { Replica } from '../chaos/replica.js';
import { builtRelease } from '../support/built-release.js';

const ROLLS = Number(process.argv[2] ?? 5);
const REQUESTS_PER_SECOND = Number(process.argv[4] ?? 100);
/** As long as HAProxy takes to send requests to a replica again that is ready. */
const RISE_MS = 3_000;

const home = mkdtempSync(join(tmpdir(), 'rolling-'));
const managementKey = `mk_${randomBytes(24).toString('hex')}`;
const masterKeys = `a:${randomBytes(32).toString('base64')}`;
const database = await EmbeddedPostgres.start({ dataDir: join(home, 'postgres'), log: () => undefined });
const [entry, ...ports] = [await freePort(), await freePort(), await freePort()];
const env = {
  DATABASE_URL: database.url,
  DATA_DIR: home,
  MANAGEMENT_KEY: managementKey,
  MASTER_KEYS: masterKeys,
  TRUST_PROXY: 'loopback',
  DRAIN_SECONDS: '5',
};
const earlier = process.argv[3] === undefined ? undefined : builtRelease(process.argv[3]);
const replicas = ports.map((port) => new Replica({ ...env, PORT: String(port) }, undefined, earlier));
for (const replica of replicas) await replica.start();
const balancer = startBalancer();
const url = `http://127.0.0.1:${entry}`;
while (
  !(await fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  ))
)
  await sleep(100);

const app = (await call('POST', '/management/v1/apps', managementKey, { name: 'Rolled', mode: 'test' })) as {
  id: string;
  secret_key: string;
};
const user = (await call('POST', '/v1/auth/users/create', app.secret_key, { email: 'ann@example.com' })) as {
  user_id: string;
};
const { wallets } = (await call('GET', `/v1/wallets/list?user_id=${user.user_id}`, app.secret_key)) as {
  wallets: { id: string }[];
};
// Its spends are rows with MACs too.
const { id: policy } = (await call('POST', `/management/v1/apps/${app.id}/policies`, managementKey, {
  name: 'main',
  scope: { kind: 'app', id: app.id },
  rules: [
    {
      id: 'signs',
      effect: 'allow',
      match: { operations: ['sign_message'] },
      windows: [{ seconds: 60, max_count: 1_000_000 }],
    },
  ],
})) as { id: string };
await call('POST', `/management/v1/apps/${app.id}/policies/${policy}/activate`, managementKey, {});
const { token } = (await call('POST', '/v1/auth/magic_links/create', app.secret_key, user)) as { token: string };
const { session_token } = (await call('POST', '/v1/auth/magic_links/verify', app.secret_key, {
  token,
  session_expires_in: 600,
})) as { session_token: string };
const MIX = [
  () => call('POST', '/v1/auth/sessions/verify', app.secret_key, { session_token }),
  () => call('GET', `/v1/auth/users/${user.user_id}`, app.secret_key),
  () => call('GET', `/v1/auth/sessions/list?user_id=${user.user_id}`, app.secret_key),
  () => call('POST', `/v1/wallets/${wallets[0]!.id}/sign_message`, app.secret_key, { message: 'Hello' }),
  () =>
    call('POST', '/v1/auth/users/create', app.secret_key, { email: `${randomBytes(8).toString('hex')}@example.com` }),
  () => call('POST', '/v1/auth/users/search', app.secret_key, { limit: 10 }),
  () => call('GET', `/v1/auth/jwks/${app.id}`, app.secret_key),
  () => call('PUT', `/v1/auth/users/${user.user_id}/update`, app.secret_key, { first_name: 'Ann' }),
];

const failures = new Map<string, number>();
const open = new Set<Promise<void>>();
let sent = 0;
const started = performance.now();
const load = setInterval(() => {
  while (sent < ((performance.now() - started) / 1_000) * REQUESTS_PER_SECOND) {
    const request = MIX[sent++ % MIX.length]!().then(
      () => undefined,
      (error: Error) => void failures.set(describe(error), (failures.get(describe(error)) ?? 0) + 1),
    );
    open.add(request);
    void request.then(() => open.delete(request));
  }
}, 10);

const exits: number[] = [];
for (let roll = 1; roll <= ROLLS; roll++) {
  for (const [index, replica] of replicas.entries()) {
    const stopping = performance.now();
    const code = await replica.terminate();
    if (code !== 0) failures.set(`A replica ended with ${code}.`, 1);
    exits.push((performance.now() - stopping) / 1_000);
    if (roll === 1 && earlier) replicas[index] = new Replica({ ...env, PORT: String(ports[index]) });
    await replicas[index]!.start();
    await sleep(RISE_MS);
  }
  if (roll === 1 && earlier) console.log(sealRows());
  console.log(`roll ${roll} of ${ROLLS}: ${sent} requests, ${failed()} failed`);
}
clearInterval(load);
await Promise.all(open);
console.log(
  `${sent} requests in ${Math.round((performance.now() - started) / 1_000)} s, ${failed()} failed`,
  Object.fromEntries(failures),
);
console.log(`from SIGTERM to the exit: ${exits.map((seconds) => seconds.toFixed(1)).join(', ')} s`);
balancer.kill('SIGTERM');
for (const replica of replicas) await replica.kill();
await database.stop();
for (const folder of [home, ...(earlier ? [earlier] : [])]) rmSync(folder, { recursive: true, force: true });
process.exit(failed() === 0 && sent > 0 ? 0 : 1);

/** No older replica lives. From now on a row without a MAC is a wrong one. */
function sealRows(): string {
  return execFileSync(process.execPath, ['dist/src/cli.js', 'seal', 'rows'], {
    env: { ...process.env, ...env },
  }).toString();
}

function failed(): number {
  return [...failures.values()].reduce((sum, count) => sum + count, 0);
}

async function call(method: string, path: string, key: string, body?: object): Promise<unknown> {
  const response = await fetch(new URL(path, url), {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok)
    throw new Error(`${method} ${path.replace(/_[0-9a-z]{26}/g, '')}: ${response.status} ${text.slice(0, 200)}`);
  return JSON.parse(text);
}

function describe(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

/** With the settings that docker/pages/run.md recommends. */
function startBalancer() {
  const file = join(home, 'haproxy.cfg');
  const servers = ports.map((port, index) => `  server replica${index} 127.0.0.1:${port}`);
  const lines = [
    'defaults',
    '  mode http',
    ...['connect 2s', 'check 3s', 'client 60s', 'server 60s', 'http-keep-alive 60s'].map(
      (timeout) => `  timeout ${timeout}`,
    ),
    '  option redispatch',
    '  retries 2',
    'frontend entry',
    `  bind 127.0.0.1:${entry}`,
    '  default_backend replicas',
    'backend replicas',
    '  option forwardfor',
    '  option httpchk GET /readyz',
    '  http-check expect status 200',
    '  default-server check inter 1s fall 2 rise 2',
    ...servers,
    '',
  ];
  writeFileSync(file, lines.join('\n'));
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  child.once('error', (error) => {
    throw new Error('HAProxy does not start. Install the Debian package haproxy.', { cause: error });
  });
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}
