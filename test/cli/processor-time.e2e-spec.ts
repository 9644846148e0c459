import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ensureBuilt } from '../support/built.js';
import { eventually } from '../support/eventually.js';
import { Money } from '../support/money.js';

let money: Money;
beforeAll(async () => {
  await ensureBuilt();
  money = await Money.start();
});
afterAll(() => money?.stop());

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
  const env = { NODE_ENV: 'test', DATABASE_URL: money.app.databaseUrl, ...money.env };
  const service = await costOf('transfers reconcile', env);
  const share = async (command: string): Promise<number> => (await costOf(command, env)) / service;
  expect(await share('--help')).toBeLessThan(0.2);
  const reason = 'freeze --all --reason drill';
  for (const command of ['doctor', 'dead-jobs', 'replicas', reason])
    expect([command, (await share(command)) < 0.4]).toEqual([command, true]);
});
