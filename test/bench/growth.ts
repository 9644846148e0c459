import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { Connections, each } from './closed-loop.js';
import { createDatabases, say, table } from './figures.js';
import { loginByLink, raiseLimits } from './logins.js';
import { MailSink } from './mail-sink.js';
import { MeasuredProcess } from './measured-process.js';

// Measures how many bytes of the database a user with a wallet, a sign-in by link and a payment take, with their indexes and events, after
// `vacuum`. The figures of docker/pages/capacity.md come from it.

const { values: options } = parseArgs({ options: { size: { type: 'string', default: '2000' } } });
const SIZE = Number(options.size);
const AT_ONCE = 16;
/** Events get their positions, and mails their records, after the calls. */
const SETTLES_MS = 5_000;
const SIZES = `
  select c.relname as name, pg_total_relation_size(c.oid)::float8 as bytes from pg_class c
   where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`;

const temporary = await mkdtemp(join(tmpdir(), 'bench-'));
const postgres = await EmbeddedPostgres.start({ dataDir: join(temporary, 'postgres') });
const mails = await MailSink.start();
const [databaseUrl] = await createDatabases(postgres, 'service');
const managementKey = `mk_${randomBytes(24).toString('hex')}`;
const server = await MeasuredProcess.server(join(import.meta.dirname, '../../dist/src/main.js'), {
  node: process.execPath,
  env: {
    NODE_ENV: 'production',
    BASE_URL: 'https://id.example.com',
    DATABASE_URL: databaseUrl!,
    MASTER_KEYS: `bench:${createHash('sha256').update(randomBytes(32)).digest('base64')}`,
    MANAGEMENT_KEY: managementKey,
    SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    MAIL_FROM: 'bench@example.com',
    ETHEREUM_RPC_URL: 'http://127.0.0.1:1',
    ETHEREUM_CHAIN_ID: '31337',
    ETHEREUM_FINALITY_DEPTH: '0',
    LOG_LEVEL: 'warn',
  },
  execArgv: ['--import', join(import.meta.dirname, 'stub-ethereum-node.mjs')],
});
const service = new Connections(server);
const database = new Client({ connectionString: databaseUrl! });
try {
  await database.connect();
  const app = await service.call<{ id: string; secret_key: string }>({
    method: 'POST',
    path: '/management/v1/apps',
    headers: { authorization: `Bearer ${managementKey}` },
    body: { name: 'Growth', mode: 'test', default_wallet_type: 'ethereum' },
  });
  await raiseLimits(service, app.id, managementKey);
  const headers = { authorization: `Bearer ${app.secret_key}` };
  const post = <T>(path: string, body: object): Promise<T> => service.call({ method: 'POST', path, headers, body });
  const emails = Array.from({ length: SIZE }, (_, n) => `growth${n}@example.com`);
  let wallets: { id: string }[] | undefined;
  let next = 0;
  const signIn = (email: string): Promise<void> => loginByLink(service, app.secret_key, mails, email);
  const rows: string[][] = [];
  for (const [name, work] of [
    ['a user with a wallet', (email) => post('/v1/auth/users/create', { email })],
    ['the first sign-in by link', signIn],
    ['the second', signIn],
    ['the third', signIn],
    [
      'a payment',
      async () => {
        wallets ??= (
          await service.call<{ wallets: { id: string }[] }>({ method: 'GET', path: '/v1/wallets/list', headers })
        ).wallets;
        const order = {
          source: wallets[next++ % wallets.length]!.id,
          dest: `0x${'11'.repeat(20)}`,
          source_amount: '0.001',
        };
        const currencies = { source_currency: 'ethereum', dest_currency: 'ethereum' };
        const { id } = await post<{ id: string }>('/v1/transfers/create', { ...order, ...currencies });
        await post(`/v1/transfers/${id}/confirm`, {});
      },
    ],
  ] satisfies [string, (email: string) => Promise<unknown>][]) {
    const before = await sizes();
    await each(emails, AT_ONCE, work);
    const after = await sizes();
    const grown = [...after].map(([each, bytes]) => [each, (bytes - (before.get(each) ?? 0)) / SIZE] as const);
    const most = grown.toSorted(([, one], [, other]) => other - one).slice(0, 5);
    const total = grown.reduce((sum, [, bytes]) => sum + bytes, 0);
    rows.push([name, kilobytes(total), most.map(([each, bytes]) => `${each} ${kilobytes(bytes)}`).join(', ')]);
    say(`${name}: ${kilobytes(total)} kB`);
  }
  table(['', 'kB', 'most of it'], rows);
} finally {
  service.close();
  await database.end();
  await server.stop();
  mails.stop();
  await postgres.stop();
  await rm(temporary, { recursive: true, force: true });
}

async function sizes(): Promise<Map<string, number>> {
  await sleep(SETTLES_MS);
  await database.query('vacuum');
  const { rows } = await database.query<{ name: string; bytes: number }>(SIZES);
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}

function kilobytes(bytes: number): string {
  return (bytes / 1_000).toFixed(1);
}
