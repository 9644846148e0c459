import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MANAGEMENT_KEY } from '../support/app.js';
import { ensureBuilt } from '../support/built.js';
import { eventually } from '../support/eventually.js';
import { Money } from '../support/money.js';

let money: Money;
let folder: string;
beforeAll(async () => {
  await ensureBuilt();
  [money, folder] = [await Money.start(), await mkdtemp(join(tmpdir(), 'commands-'))];
});
afterAll(async () => {
  await money?.stop();
  await rm(folder, { recursive: true, force: true });
});

const COUNT = `data:text/javascript,${encodeURIComponent(
  `process.once('exit', () => { const { user, system } = process.cpuUsage(); process.stderr.write('\\ncost ' + (user + system)); });`,
)}`;

/** Microseconds of processor time, of the program as it is installed. */
async function costOf(command: string, env: Readonly<Record<string, string>>): Promise<number> {
  const args = ['--import', COUNT, 'dist/src/cli.js', ...command.split(' ')];
  const { stderr } = await promisify(execFile)(process.execPath, args, { env: { PATH: process.env['PATH'], ...env } });
  return Number(/\ncost (\d+)$/.exec(stderr)![1]);
}

it('a command that needs one connection costs a third of one that loads the service, also where wallets have paid', async () => {
  const payer = await money.payer('ethereum');
  const { id } = await money.created(payer);
  expect((await money.confirm(payer, id)).status).toBe(200);
  await eventually(async () => expect((await money.get(payer, id)).status).toBe('completed'));
  const headers = { 'x-request-id': 'traced' };
  await money.app.ok('POST', '/management/v1/apps', { key: MANAGEMENT_KEY, body: { name: 'Shop' }, headers });
  const [key, log] = [join(folder, 'key.pem'), join(folder, 'log.jsonl')];
  await writeFile(key, generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }));
  await writeFile(log, '');
  const env = { NODE_ENV: 'test', DATABASE_URL: money.app.databaseUrl, ...money.env };
  const service = await costOf('transfers reconcile', env);
  const share = async (command: string): Promise<number> => (await costOf(command, env)) / service;
  expect(await share('--help')).toBeLessThan(0.2);
  for (const command of [
    'doctor',
    'dead-jobs',
    'replicas',
    'networks',
    'trace traced',
    `audit verify --file ${log} --public-key ${key}`,
    'freeze --all --reason drill',
    'thaw --all',
  ])
    expect([command, (await share(command)) < 0.4]).toEqual([command, true]);
});
