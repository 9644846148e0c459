import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { createDatabases, say, table, verdict } from './figures.js';
import { MeasuredProcess } from './measured-process.js';

// Measures POST /v1/auth/users/search in an app with many users: the first page, and the page behind the user in the middle.

const { values: options } = parseArgs({
  options: { users: { type: 'string', default: '1000000' }, calls: { type: 'string', default: '20' } },
});
const [USERS, CALLS] = [Number(options.users), Number(options.calls)];
const MOST_MS = 100;
const MOST_ERROR_OF_ESTIMATE = 0.2;

const SYLLABLES =
  'mi,ra,son,bel,ta,lo,ven,ka,ri,do,sha,ne,fo,gu,lin,mar,pe,tor,wil,an,jo,ha,ber,ce,du,el,fi,gra,hol,is,ko,lu,mo,nor,os,pal,qui,ro,su,ty';
const eq = (field: string, value: unknown) => ({ field, operator: 'eq', value });
const [name, email] = [eq('full_name_match', 'mira'), eq('email_match', 'brightmail')];
const [ofName, ofEmail] = [`first || ' ' || last ilike '%mira%'`, `email like '%brightmail%'`];
const SEARCHES: readonly { readonly by: string; readonly filters: object; readonly where: string }[] = [
  { by: 'no filter', filters: {}, where: 'true' },
  { by: 'common part of an email', filters: { fields: [email] }, where: ofEmail },
  {
    by: 'part of an email of the oldest users',
    filters: { fields: [eq('email_match', 'firstmail')] },
    where: `email like '%firstmail%'`,
  },
  { by: 'rare part of an email', filters: { fields: [eq('email_match', '777@')] }, where: `email like '%777@%'` },
  { by: '2 characters of a name', filters: { fields: [eq('full_name_match', 'mi')] }, where: `first like 'mi%'` },
  { by: 'verified emails', filters: { fields: [eq('email_verified', true)] }, where: 'verified' },
  { by: 'unverified emails', filters: { fields: [eq('email_verified', false)] }, where: 'not verified' },
  { by: 'name AND email', filters: { fields: [name, email] }, where: `${ofName} and ${ofEmail}` },
  { by: 'name OR email', filters: { operator: 'OR', fields: [name, email] }, where: `${ofName} or ${ofEmail}` },
];

const temporary = await mkdtemp(join(tmpdir(), 'bench-'));
const postgres = await EmbeddedPostgres.start({ dataDir: join(temporary, 'postgres') });
const [databaseUrl] = await createDatabases(postgres, 'service');
const managementKey = `mk_${randomBytes(24).toString('hex')}`;
const settings = {
  DATABASE_URL: databaseUrl!,
  DATA_DIR: temporary,
  MANAGEMENT_KEY: managementKey,
  LOG_LEVEL: 'silent',
};
const service = await MeasuredProcess.server(join(import.meta.dirname, '../../dist/src/main.js'), {
  node: process.execPath,
  env: { NODE_ENV: 'development', ...settings },
});
const client = new Client({ connectionString: databaseUrl! });
try {
  await client.connect();
  const app = await post('/management/v1/apps', managementKey, { name: 'Bench', mode: 'test' });
  await addUsers(app['id'] as string);
  say(`${USERS} users`);
  const rows: string[][] = [];
  for (const { by, filters, where } of SEARCHES) {
    const first = await measure(app['secret_key'] as string, { filters });
    const middle = await measure(app['secret_key'] as string, { filters, starting_after: userId(USERS / 2) });
    const exact = Number((await client.query(`select count(*) as n from people where ${where}`)).rows[0].n);
    const error = exact === 0 ? 0 : Math.abs(first.count / exact - 1);
    const most = { most: MOST_MS };
    rows.push([
      by,
      String(exact),
      verdict(first.ms, most),
      verdict(middle.ms, most),
      verdict([error], { most: MOST_ERROR_OF_ESTIMATE }),
    ]);
  }
  console.log(`\n${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores; Node ${process.version}.\n`);
  table(['Search', 'Users', 'first page, ms', 'middle page, ms', 'error of total_count'], rows);
} finally {
  await client.end();
  await service.stop();
  await postgres.stop();
  await rm(temporary, { recursive: true });
}

async function measure(key: string, body: object): Promise<{ ms: readonly number[]; count: number }> {
  const ms: number[] = [];
  let count = 0;
  // The first calls warm the connection and the caches.
  for (let call = -3; call < CALLS; call++) {
    const began = performance.now();
    count = (await post('/v1/auth/users/search', key, body))['total_count'] as number;
    if (call >= 0) ms.push(performance.now() - began);
  }
  return { ms, count };
}

async function post(path: string, key: string, body: object): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}

function userId(n: number): string {
  return `user_${String(n).padStart(26, '0')}`;
}

/**
 * Names are made of syllables. 4 % of the emails are at one domain, those of the oldest 4 % of the users are at another, and 24 of a
 * million emails are not verified.
 */
async function addUsers(appId: string): Promise<void> {
  const syllable = 's[1 + floor(random() * 40)]';
  // As a replica would, the server checks no foreign keys.
  await client.query(`
    set session_replication_role = replica;
    select setseed(0.5);
    create temporary table people as
    select n, lpad(n::text, 26, '0') as id, ${syllable} || ${syllable} as first, ${syllable} || ${syllable} || ${syllable} as last,
           n % 41667 <> 1 as verified, null as email
      from generate_series(1, ${USERS}) n, string_to_array('${SYLLABLES}', ',') s;
    update people set email = concat(first, '.', last, n, '@', case
      when n % 25 = 0 then 'brightmail' when n <= ${USERS / 25} then 'firstmail' else 'mail' || n % 997 end, '.example');
    insert into users (app_id, id, first_name, middle_name, last_name, status, wallet_type, created_at, updated_at)
    select '${appId}', 'user_' || id, initcap(first), '', initcap(last), 'active', 'none', now(), now() from people;
    insert into emails (app_id, id, user_id, text, canonical, verified_at, created_at, updated_at)
    select '${appId}', 'email_' || id, 'user_' || id, email, email, case when verified then now() end, now(), now() from people`);
  for (const name of ['users', 'emails']) await client.query(`vacuum analyze ${name}`);
}
