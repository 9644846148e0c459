import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { appendFile, chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { type VendorFile, vendorFiles } from '../modules/migration/vendor-files.js';
import { createDatabases, say, table, verdict } from './figures.js';
import { MeasuredProcess } from './measured-process.js';

// Measures `cli import` of users with an email and a password hash into a database with many users, and COPY of the same rows into the
// same tables. With `--kills` the import is killed so many times on its way and run again. `--fill` is the bytes of metadata of each user.
// With `--round-trip` the users are exported, imported into an empty app and exported again: both exports must have the same bytes.

const { values: options } = parseArgs({
  options: {
    from: { type: 'string', default: 'auth0' },
    fill: { type: 'string', default: '0' },
    users: { type: 'string', default: '40000' },
    existing: { type: 'string', default: '300000' },
    kills: { type: 'string', default: '0' },
    'round-trip': { type: 'boolean', default: false },
  },
});
const [USERS, EXISTING, KILLS, FILL] = [options.users, options.existing, options.kills, options.fill].map(Number) as [
  number,
  number,
  number,
  number,
];
const LEAST_A_SECOND = 2_000;
const LEAST_OF_COPY = 0.1;
const MOST_MEGABYTES = 200;
/** In the order of their references. */
const TABLES = ['users', 'emails', 'imported_passwords'];
const metadata = { plan: 'pro', ...(FILL > 0 && { note: 'x'.repeat(FILL) }) };
const FILES: Readonly<Record<string, readonly VendorFile[]>> = vendorFiles(metadata);
const files = FILES[options.from];
if (!files) throw new Error(`--from is one of ${Object.keys(FILES).join(', ')}.`);

const temporary = await mkdtemp(join(tmpdir(), 'bench-'));
await chmod(temporary, 0o777);
const postgres = await EmbeddedPostgres.start({ dataDir: join(temporary, 'postgres') });
const [databaseUrl] = await createDatabases(postgres, 'service');
const env = {
  ...process.env,
  NODE_ENV: 'development',
  DATABASE_URL: databaseUrl!,
  DATA_DIR: temporary,
  MANAGEMENT_KEY: `mk_${randomBytes(24).toString('hex')}`,
  LOG_LEVEL: 'silent',
  // Otherwise V8 keeps garbage for as long as the machine has memory.
  NODE_OPTIONS: '--max-semi-space-size=4 --max-old-space-size=128',
};
const client = new Client({ connectionString: databaseUrl! });
try {
  await cli(['migrate'], () => {});
  const { app_id: appId } = await cli(['create-app', '--name', 'Bench'], () => {});
  await client.connect();
  await addUsers();
  await writeFiles();
  const megabytesIn = (await stat(join(temporary, 'file-0'))).size / 1024 / 1024;
  say(`${EXISTING} users are there; ${USERS} are imported from ${Math.round(megabytesIn)} MB`);

  const began = performance.now();
  let megabytes = 0;
  const args = ['import', '--app', String(appId), '--from', options.from, '--report', join(temporary, 'report')];
  for (const index of files.keys()) args.push('--file', join(temporary, `file-${index}`));
  const watch = async (child: ChildProcess): Promise<void> => {
    while (child.exitCode === null && child.signalCode === null) {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
      megabytes = Math.max(megabytes, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
      await pause(200);
    }
  };
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const aim = (kill * USERS) / (KILLS + 1);
    await cli(args, async (child) => {
      void watch(child);
      while ((await count(String(appId))) < aim && child.exitCode === null) await pause(20 + USERS / 1000);
      child.kill('SIGKILL');
    });
    say(`killed with ${await count(String(appId))} users`);
  }
  const result = await cli(args, watch);
  const seconds = KILLS > 0 ? (performance.now() - began) / 1000 : Number(result['seconds']);
  const imported = await count(String(appId));
  if (imported !== USERS || result['imported'] !== USERS || result['skipped'] !== 0)
    throw new Error(`${imported} users of ${USERS} were imported: ${JSON.stringify(result)}`);

  if (options['round-trip']) await roundTrip(String(appId));
  // An import that was killed has no rate that COPY could be compared with.
  const copied = KILLS > 0 ? NaN : await copyAgain(String(appId));
  console.log(`\n${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores; Node ${process.version}.\n`);
  table(
    ['Import', 'users a second', 'ratio to COPY', 'memory of the import, MB'],
    [
      [
        `${USERS} from ${options.from} into ${EXISTING}, ${KILLS} kills`,
        verdict([imported / seconds], { least: LEAST_A_SECOND }),
        KILLS > 0 ? '' : verdict([copied / seconds], { least: LEAST_OF_COPY }),
        verdict([megabytes], { most: MOST_MEGABYTES }),
      ],
    ],
  );
} finally {
  await client.end();
  await postgres.stop();
  await rm(temporary, { recursive: true });
}

async function roundTrip(appId: string): Promise<void> {
  const service = await MeasuredProcess.server(join(import.meta.dirname, '../../dist/src/main.js'), {
    node: process.execPath,
    env: env as Record<string, string>,
  });
  try {
    const { app_id: copyId } = await cli(['create-app', '--name', 'Copy'], () => {});
    const [first, second] = [join(temporary, 'export-1'), join(temporary, 'export-2')];
    const { hash, seconds } = await exportTo(first, service.url, appId);
    await cli(
      ['import', '--app', String(copyId), '--from', 'native', '--file', first, '--report', `${first}.report`],
      () => {},
    );
    const again = await exportTo(second, service.url, String(copyId));
    if (again.hash !== hash) throw new Error('The export of the imported export has other bytes.');
    say(`The round trip is byte-equal; the export has ${Math.round(USERS / seconds)} users a second`);
  } finally {
    await service.stop();
  }
}

async function exportTo(path: string, url: string, appId: string): Promise<{ hash: string; seconds: number }> {
  const began = performance.now();
  const headers = { authorization: `Bearer ${env.MANAGEMENT_KEY}` };
  const response = await fetch(`${url}/management/v1/apps/${appId}/users/export?include_secrets=true`, { headers });
  const hash = createHash('sha256');
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    hash.update(chunk);
    await appendFile(path, chunk);
  }
  const { size } = await stat(path);
  if (response.status !== 200 || size < USERS * 100) throw new Error(`The export failed with ${response.status}.`);
  return { hash: hash.digest('hex'), seconds: (performance.now() - began) / 1000 };
}

async function cli(args: string[], watch: (child: ChildProcess) => unknown): Promise<Record<string, unknown>> {
  const path = join(import.meta.dirname, '../../dist/src/cli.js');
  const child = spawn(process.execPath, [path, ...args, '--json'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => (text += String(chunk)));
  const [[code, signal]] = await Promise.all([once(child, 'close'), watch(child)]);
  if (signal === 'SIGKILL') return {};
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}: ${text}`);
  return text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
}

async function count(appId: string): Promise<number> {
  return Number((await client.query('select count(*) as n from users where app_id = $1', [appId])).rows[0].n);
}

/** Users of another app, so that the indexes are large. Their rows have no MACs; no call reads them. */
async function addUsers(): Promise<void> {
  const app = `app_${'1'.repeat(26)}`;
  await client.query('set session_replication_role = replica');
  await client.query(
    `insert into users (app_id, id, first_name, middle_name, last_name, status, wallet_type, claim, external_id, metadata, created_at, updated_at)
     select $1, 'user_' || lpad(n::text, 26, '0'), 'Grace', '', 'Hopper', 'active', 'none', 'closed', 'old-' || n, '{}', now(), now()
       from generate_series(1, $2::int) n`,
    [app, EXISTING],
  );
  await client.query(
    `insert into emails (app_id, id, user_id, text, canonical, verified_at, created_at, updated_at)
     select $1, 'email_' || lpad(n::text, 26, '0'), 'user_' || lpad(n::text, 26, '0'), n || '@old.example', n || '@old.example', now(), now(), now()
       from generate_series(1, $2::int) n`,
    [app, EXISTING],
  );
  await client.query('set session_replication_role = origin');
  await client.query('vacuum analyze');
}

async function writeFiles(): Promise<void> {
  for (const [index, { begin = '', between = '', end = '', record }] of files!.entries()) {
    const file = createWriteStream(join(temporary, `file-${index}`));
    file.write(begin);
    for (let n = 0; n < USERS; n += 1) {
      const text = record(n, `grace${n}@example.com`);
      if (text === '') break;
      const line = typeof text === 'string' ? text : JSON.stringify(text);
      if (!file.write(`${n > 0 ? between : ''}${line}\n`)) await once(file, 'drain');
    }
    await once(file.end(end), 'close');
  }
}

/** Removes the imported rows, copies them back and returns how long the copies took. */
async function copyAgain(appId: string): Promise<number> {
  const fileOf = (name: string) => `'${join(temporary, `${name}.copy`)}'`;
  for (const name of TABLES)
    await client.query(`copy (select * from ${name} where app_id = '${appId}') to ${fileOf(name)}`);
  // No other table has rows of these users.
  await client.query('set session_replication_role = replica');
  for (const name of TABLES.toReversed()) await client.query(`delete from ${name} where app_id = $1`, [appId]);
  await client.query('set session_replication_role = origin');
  await client.query('vacuum analyze');
  const began = performance.now();
  for (const name of TABLES) await client.query(`copy ${name} from ${fileOf(name)}`);
  return (performance.now() - began) / 1000;
}
