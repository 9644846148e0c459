import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SOURCES, type SourceName } from '../../../src/modules/migration/sources/index.js';
import { Database } from '../../../src/postgres/database.js';
import { MANAGEMENT_KEY, startApp, type TestApp } from '../../support/app.js';
import { ensureBuilt } from '../../support/built.js';
import { createDatabase } from '../../support/database.js';
import { textOf, vendorFiles } from './vendor-files.js';

// The imports of all sources run in one process, which is killed three times before they have ended.

const USERS = 1_600;
const KILLS = 3;
const NAMES = Object.keys(SOURCES) as SourceName[];
const MASTER_KEYS = `test:${createHash('sha256').update('the master key of the tests').digest('base64')}`;
const PROGRAM = `
  import { runCommand } from ${JSON.stringify(join(process.cwd(), 'dist/src/cli/run-command.js'))};
  await Promise.all(JSON.parse(process.argv[1]).map((args) => runCommand(['import', ...args, '--json'])));`;

let database: Awaited<ReturnType<typeof createDatabase>>;
let service: TestApp;
let directory: string;
let child: ChildProcess | undefined;
beforeAll(async () => {
  [database, directory] = [await createDatabase(), await mkdtemp(join(tmpdir(), 'killed-')), await ensureBuilt()];
  service = await startApp({ databaseUrl: database.url });
});
afterAll(async () => {
  child?.kill('SIGKILL');
  await service.stop();
  await database.drop();
  await rm(directory, { recursive: true });
});

interface Import {
  readonly appId: string;
  readonly report: string;
  readonly args: readonly string[];
}

async function importOf(from: SourceName, files: readonly string[], name: string): Promise<Import> {
  const { id: appId } = await service.given.app({ default_wallet_type: 'none' });
  const report = join(directory, `${from}-${name}.ndjson`);
  return {
    appId,
    report,
    args: ['--app', appId, '--from', from, ...files.flatMap((file) => ['--file', file]), '--report', report],
  };
}

/** Until one of the apps has `aim` users. Resolves with the results of the imports that ended, by their reports. */
async function run(imports: readonly Import[], aim = Infinity): Promise<Map<string, object>> {
  const env = {
    ...process.env,
    NODE_ENV: 'test',
    DATABASE_URL: database.url,
    DATABASE_POOL_SIZE: '3',
    MASTER_KEYS,
  };
  const args = ['--input-type=module', '-e', PROGRAM, JSON.stringify(imports.map((each) => each.args))];
  child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  child.stdout!.on('data', (chunk) => (text += String(chunk)));
  const closed = once(child, 'close');
  if (aim < Infinity) {
    while (child.exitCode === null && Math.max(0, ...(await users(imports))) < aim);
    child.kill('SIGKILL');
  }
  await closed;
  const results = text
    .split('\n')
    .flatMap((line) => (line.endsWith('}') ? [JSON.parse(line) as { report: string }] : []));
  return new Map(results.map((result) => [result.report, result]));
}

async function users(imports: readonly Import[]): Promise<number[]> {
  const counted = await service.nest
    .get(Database)
    .list<{ n: number }>('select count(*)::int as n from users where app_id = any($1) group by app_id', [
      imports.map(({ appId }) => appId),
    ]);
  return counted.map(({ n }) => n);
}

/** Ids and the times of an import are others. */
async function exported({ appId }: Import): Promise<object[]> {
  const path = `/management/v1/apps/${appId}/users/export`;
  const { text } = await service.call('GET', path, { key: MANAGEMENT_KEY, query: { include_secrets: 'true' } });
  const rows = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { external_id: string; emails: object[] });
  return rows
    .map((row) => ({
      ...row,
      user_id: '',
      created_at: 0,
      emails: row.emails.map((email) => ({ ...email, id: '', verified_at: 0 })),
    }))
    .toSorted((a, b) => (a.external_id < b.external_id ? -1 : 1));
}
const reported = async ({ report }: Import): Promise<string> => readFile(report, 'utf8');

it('an import of any source that was killed three times ends like one that was not', async () => {
  const killed: Import[] = [];
  const whole: Import[] = [];
  for (const [from, files] of Object.entries(vendorFiles({ plan: 'pro' })) as [
    SourceName,
    ReturnType<typeof vendorFiles>[SourceName],
  ][]) {
    const emails = Array.from({ length: USERS }, (_, n) => (n === 700 ? 'none' : `${n}@${from}.example`));
    const paths = await Promise.all(
      files.map(async (file, index) => {
        const path = join(directory, `${from}-${index}`);
        await writeFile(path, textOf(file, emails));
        return path;
      }),
    );
    killed.push(await importOf(from, paths, 'killed'));
    whole.push(await importOf(from, paths, 'whole'));
  }
  expect(killed.map(({ args }) => args[3])).toEqual(expect.arrayContaining(NAMES));
  const results = new Map<string, object>();
  const left = () => killed.filter(({ report }) => !results.has(report));
  for (let kill = 1; kill <= KILLS; kill++) {
    const ended = await run(left(), (kill * USERS) / (KILLS + 1));
    expect(child!.signalCode).toBe('SIGKILL');
    for (const each of ended) results.set(...each);
  }
  for (const imports of [left(), whole]) for (const each of await run(imports)) results.set(...each);
  for (const each of [...killed, ...whole])
    expect(results.get(each.report)).toMatchObject({ records: USERS, imported: USERS - 1, skipped: 0, failed: 1 });
  for (const each of whole) {
    const same = killed.find(({ args }) => args[3] === each.args[3])!;
    expect(await exported(same)).toEqual(await exported(each));
    expect(await reported(same)).toBe(await reported(each));
  }
}, 600_000);
