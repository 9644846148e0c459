import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { createDatabases, say, table, verdict } from './figures.js';

// Measures `cli import` of users with an email and a password hash into a database with many users, and COPY of the same rows into the
// same tables. With `--kills` the import is killed so many times on its way and run again.

const { values: options } = parseArgs({
  options: {
    users: { type: 'string', default: '40000' },
    existing: { type: 'string', default: '300000' },
    kills: { type: 'string', default: '0' },
  },
});
const [USERS, EXISTING, KILLS] = [options.users, options.existing, options.kills].map(Number) as [
  number,
  number,
  number,
];
const LEAST_A_SECOND = 2_000;
const LEAST_OF_COPY = 0.1;
const MOST_MEGABYTES = 200;
/** In the order of their references. */
const TABLES = ['users', 'emails', 'imported_passwords'];
const BCRYPT = '$2a$10$PGOvOjfsXoHEeUY5Y7Op.edDytksMl9nutXDeGP5a/5rVyexSH25.';

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
  say(`${EXISTING} users are there; ${USERS} are imported`);

  const began = performance.now();
  let megabytes = 0;
  const args = ['import', '--app', String(appId), '--from', 'auth0', '--report', join(temporary, 'report')];
  for (const name of ['users', 'hashes']) args.push('--file', join(temporary, name));
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
      while ((await count(String(appId))) < aim && child.exitCode === null) await pause(20);
      child.kill('SIGKILL');
    });
    say(`killed with ${await count(String(appId))} users`);
  }
  const result = await cli(args, watch);
  const seconds = KILLS > 0 ? (performance.now() - began) / 1000 : Number(result['seconds']);
  const imported = await count(String(appId));
  if (imported !== USERS) throw new Error(`${imported} users of ${USERS} were imported: ${JSON.stringify(result)}`);

  const copied = await copyAgain(String(appId));
  console.log(`\n${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores; Node ${process.version}.\n`);
  table(
    ['Import', 'users a second', 'ratio to COPY', 'memory of the import, MB'],
    [
      [
        `${USERS} into ${EXISTING}, ${KILLS} kills`,
        verdict([imported / seconds], { least: LEAST_A_SECOND }),
        verdict([copied / seconds], { least: LEAST_OF_COPY }),
        verdict([megabytes], { most: MOST_MEGABYTES }),
      ],
    ],
  );
} finally {
  await client.end();
  await postgres.stop();
  await rm(temporary, { recursive: true });
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
  const [users, hashes] = ['users', 'hashes'].map((name) => createWriteStream(join(temporary, name)));
  for (let n = 0; n < USERS; n += 1) {
    const oid = n.toString(16).padStart(24, '0');
    const [email, name] = [`grace${n}@example.com`, { given_name: 'Grace', family_name: 'Hopper' }];
    const user = { user_id: `auth0|${oid}`, email, email_verified: true, created_at: '2019-12-06T18:36:12.412Z' };
    const rest = { ...name, identities: [], user_metadata: { plan: 'pro' } };
    users!.write(`${JSON.stringify({ ...user, ...rest })}\n`);
    if (!hashes!.write(`${JSON.stringify({ _id: { $oid: oid }, email, passwordHash: BCRYPT })}\n`))
      await once(hashes!, 'drain');
  }
  await Promise.all([users!, hashes!].map((stream) => once(stream.end(), 'close')));
}

/** Removes the imported rows, copies them back and returns how long the copies took. */
async function copyAgain(appId: string): Promise<number> {
  const fileOf = (name: string) => `'${join(temporary, `${name}.copy`)}'`;
  for (const name of TABLES)
    await client.query(`copy (select * from ${name} where app_id = '${appId}') to ${fileOf(name)}`);
  for (const name of TABLES.toReversed()) await client.query(`delete from ${name} where app_id = $1`, [appId]);
  await client.query('vacuum analyze');
  const began = performance.now();
  for (const name of TABLES) await client.query(`copy ${name} from ${fileOf(name)}`);
  return (performance.now() - began) / 1000;
}
