import { Client } from 'pg';
import { Replica } from '../../chaos/replica.js';
import { ensureBuilt } from '../../support/built.js';
import { eventually } from '../../support/eventually.js';
import { Money } from '../../support/money.js';

let money: Money;
let replica: Replica;
let operator: Client;
beforeAll(async () => {
  await ensureBuilt();
  money = await Money.start({ env: { ROLE: 'api' } });
  replica = new Replica({ NODE_ENV: 'test', ...money.env, DATABASE_URL: money.app.databaseUrl });
  operator = new Client({ connectionString: money.app.databaseUrl });
  await operator.connect();
  await replica.start();
});
afterAll(async () => {
  await replica.kill();
  await operator.end();
  await money.stop();
});

it('a replica that is paused while it holds a sender’s lock does not block payments of other replicas', async () => {
  const payer = await money.payer('ethereum');
  const [first, second, third] = [await money.created(payer), await money.created(payer), await money.created(payer)];
  expect((await money.confirm(payer, first.id)).body.status).toBe('completed');

  // The replica waits for the lock, is paused, and only then gets it.
  await operator.query('begin');
  await operator.query('select from chain_lanes where address = $1 for update', [payer.address]);
  const paused = fetch(`${replica.url}/v1/transfers/${second.id}/confirm`, {
    method: 'POST',
    headers: { authorization: `Bearer ${payer.app.secretKey}`, 'content-type': 'application/json' },
    body: '{}',
  });
  await eventually(async () => {
    const waiting = `
      select from pg_locks where not granted and pid in (
        select l.pid from pg_locks l join pg_database d on d.oid = l.database where d.datname = current_database())`;
    expect((await operator.query(waiting)).rowCount).toBe(1);
  });
  await replica.pause();
  await operator.query('commit');

  const { status, body } = await money.confirm(payer, third.id);
  expect([status, body.status]).toEqual([200, 'completed']);

  // Its transaction is gone when it goes on: it has signed nothing, and the transfer can be confirmed again.
  replica.resume();
  expect((await paused).status).toBe(503);
  expect((await money.confirm(payer, second.id)).body.status).toBe('completed');
  expect(await money.balance('ethereum', second.dest)).toBe(5n * 10n ** 17n);
});
