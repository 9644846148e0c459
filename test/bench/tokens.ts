import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { createDatabases, say, spread, table, verdict } from './figures.js';
import { compare, type Measured, sendEach } from './load.js';
import { MeasuredProcess, resultOf } from './measured-process.js';

// Measures tokens by client credentials, and introspection of them, beside verifications of sessions.

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, seconds: { type: 'string', default: '4' } },
});
const USERS = 1_000;
const VERIFY = 'sessions/verify by token';
const BARS = { 'client credentials': 0.2, introspection: 1 };
const AUDIENCE = 'https://orders.example.com';

interface Seed {
  readonly appId: string;
  readonly key: string;
  readonly tokens: readonly string[];
}

const temporary = await mkdtemp(join(tmpdir(), 'bench-'));
const postgres = await EmbeddedPostgres.start({ dataDir: join(temporary, 'postgres') });
const [databaseUrl] = await createDatabases(postgres, 'service');
const env = {
  NODE_ENV: 'production',
  BASE_URL: 'https://id.example.com',
  DATABASE_URL: databaseUrl!,
  MASTER_KEYS: `bench:${createHash('sha256').update(randomBytes(32)).digest('base64')}`,
  MANAGEMENT_KEY: `mk_${randomBytes(24).toString('hex')}`,
  LOG_LEVEL: 'info',
};
const node = process.execPath;
say(`Making ${USERS} users and sessions …`);
const seed = await resultOf<Seed>(join(import.meta.dirname, 'seed.mjs'), {
  node,
  env: { ...env, PORT: '0', USERS: String(USERS) },
});
const service = await MeasuredProcess.server(join(import.meta.dirname, '../../dist/src/main.js'), {
  node,
  env,
  execArgv: ['--max-semi-space-size=8'],
});
try {
  const app = `/management/v1/apps/${seed.appId}`;
  await manage('PATCH', app, { authorization_server: { login_url: 'https://login.example.com' } });
  await manage('POST', `${app}/resources`, { audience: AUDIENCE, name: 'Orders', scopes: ['orders:read'] });
  const client = await manage('POST', `${app}/oauth_clients`, {
    name: 'Import',
    type: 'confidential',
    grant_types: ['client_credentials'],
    scopes: ['orders:read'],
    resources: [AUDIENCE],
    default_resource: AUDIENCE,
  });
  const authorization = `Basic ${btoa(`${client['id']}:${client['client_secret']}`)}`;
  const form = (path: string, body: string) => ({
    method: 'POST' as const,
    path: `/oauth2/${seed.appId}${path}`,
    headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
    body,
  });
  const credentials = [form('/token', 'grant_type=client_credentials')];
  const verifications = seed.tokens.map((session_token) => ({
    method: 'POST' as const,
    path: '/v1/auth/sessions/verify',
    headers: { authorization: `Bearer ${seed.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ session_token }),
  }));
  const rounds: ReadonlyMap<string, Measured>[] = [];
  for (let round = 1; round <= Number(options.rounds); round++) {
    await sendEach(service, verifications);
    // They live for five minutes.
    const issued = (await sendEach(
      service,
      Array.from({ length: 200 }, () => credentials[0]!),
    )) as {
      access_token: string;
    }[];
    const variants = [
      { name: VERIFY, server: service, requests: verifications },
      { name: 'client credentials', server: service, requests: credentials },
      {
        name: 'introspection',
        server: service,
        requests: issued.map(({ access_token }) => form('/introspect', `token=${access_token}`)),
      },
    ];
    rounds.push(await compare(variants, Number(options.seconds)));
    say(`round ${round}/${options.rounds}`);
  }
  console.log(`\n${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores; Node ${process.version}.\n`);
  const perSecond = (name: string) => rounds.map((each) => each.get(name)!.perSecond);
  table(
    ['Call', 'a second', 'bar', `ratio to ${VERIFY}`],
    [
      [VERIFY, spread(perSecond(VERIFY), 0), '', ''],
      ...Object.entries(BARS).map(([name, bar]) => [
        name,
        spread(perSecond(name), 0),
        `≥ ${bar}`,
        verdict(
          perSecond(name).map((each, round) => each / perSecond(VERIFY)[round]!),
          { least: bar },
        ),
      ]),
    ],
  );
} finally {
  await service.stop();
  await postgres.stop();
  await rm(temporary, { recursive: true, force: true });
}

async function manage(method: string, path: string, body: object): Promise<Record<string, string>> {
  const headers = { authorization: `Bearer ${env.MANAGEMENT_KEY}`, 'content-type': 'application/json' };
  const response = await fetch(service.url + path, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Record<string, string>;
}
