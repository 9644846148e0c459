import { runCommand } from '../../src/cli/run-command.js';
import { eventually } from '../support/eventually.js';
import { Money } from '../support/money.js';
import { Observer } from '../support/observer.js';

let money: Money;
let observer: Observer;
beforeAll(async () => {
  money = await Money.start();
  observer = await Observer.of(money.app);
});
afterAll(async () => {
  await observer?.close();
  await money?.stop();
});

async function cli(command: string): Promise<Record<string, unknown>> {
  let text = '';
  const terminal = { out: (part: string) => void (text += part), err: () => undefined };
  const env = { NODE_ENV: 'test', DATABASE_URL: money.app.databaseUrl, ...money.env };
  expect(await runCommand([...command.split(' '), '--json'], { env, terminal })).toBe(0);
  return JSON.parse(text) as Record<string, unknown>;
}

it('the doctor counts queues that were not compared since a restore, with the database alone', async () => {
  const payer = await money.payer('ethereum');
  const { id } = await money.created(payer);
  await money.created(payer);
  expect((await money.confirm(payer, id)).status).toBe(200);
  await eventually(async () => expect((await money.get(payer, id)).status).toBe('completed'));
  const none = 'no sender queue is held; doctor --chains compares them with the chain';
  expect((await cli('doctor')).books).toBe(none);
  await observer.rows(`update transfers set history = 'former'`);
  money.proxies.ethereum.fault = () => 'unavailable';
  expect((await cli('doctor')).books).toContain('not compared since the database was restored or promoted: 1;');
  money.proxies.ethereum.fault = () => null;
  await cli(`transfers reconcile --wallet ${payer.walletId} --apply`);
  expect((await cli('doctor')).books).toBe(none);
});
