import { Replica } from '../../../chaos/replica.js';
import { MANAGEMENT_KEY } from '../../../support/app.js';
import { ensureBuilt } from '../../../support/built.js';
import { eventually } from '../../../support/eventually.js';
import { Money, type Payer } from '../../../support/money.js';
import { Observer } from '../../../support/observer.js';

let money: Money;
let replica: Replica;
let operator: Observer;
beforeAll(async () => {
  await ensureBuilt();
  money = await Money.start({ env: { ROLE: 'api' } });
  replica = new Replica({ NODE_ENV: 'test', ...money.env, DATABASE_URL: money.app.databaseUrl });
  operator = await Observer.of(money.app);
  await replica.start();
});
afterAll(async () => {
  await replica.kill();
  await operator.close();
  await money.stop();
});

interface Call {
  /** A statement that locks a row, and the parameters that select the row. */
  readonly lock: readonly [text: string, ...row: string[]];
  readonly method: string;
  readonly path: string;
  readonly key: string;
}

/** Lets a call to the replica wait for a lock, and pauses the replica before it gets the lock. */
async function pauseHolding({ lock, method, path, key }: Call): Promise<{ readonly answer: Promise<Response> }> {
  const [text, ...row] = lock;
  await operator.rows('begin');
  await operator.rows(text, row);
  const answer = fetch(`${replica.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(method === 'POST' && { body: '{}' }),
  });
  await eventually(async () => expect(await operator.waiting()).toBe(1));
  await replica.pause();
  await operator.rows('commit');
  return { answer };
}

afterEach(() => replica.resume());

it('a replica that is paused while it holds a sender’s lock does not block payments of other replicas', async () => {
  const payer = await money.payer('ethereum');
  const [first, second, third] = [await money.created(payer), await money.created(payer), await money.created(payer)];
  expect((await money.confirm(payer, first.id)).body.status).toBe('completed');

  const paused = await pauseHolding({
    lock: ['select from sender_queues where app_id = $1 and address = $2 for update', payer.app.id, payer.address],
    method: 'POST',
    path: `/v1/transfers/${second.id}/confirm`,
    key: payer.app.secretKey,
  });
  const { status, body } = await money.confirm(payer, third.id);
  expect([status, body.status]).toEqual([200, 'completed']);

  // Its transaction is gone when it goes on: it has signed nothing, and the transfer can be confirmed again.
  replica.resume();
  expect((await paused.answer).status).toBe(503);
  expect((await money.confirm(payer, second.id)).body.status).toBe('completed');
  expect(await money.balance('ethereum', second.dest)).toBe(5n * 10n ** 17n);
});

const DELETIONS: Record<string, (payer: Payer) => Pick<Call, 'lock' | 'path' | 'key'>> = {
  app: ({ app }) => ({
    lock: ['select from apps where id = $1 for update', app.id],
    path: `/management/v1/apps/${app.id}`,
    key: MANAGEMENT_KEY,
  }),
  user: ({ app, userId, walletId }) => ({
    lock: ['select from wallets where app_id = $1 and id = $2 for update', app.id, walletId],
    path: `/v1/auth/users/${userId}/delete`,
    key: app.secretKey,
  }),
};
it.each(['app', 'user'] as const)(
  'a replica that is paused while it deletes the %s of a payment does not block the payment',
  async (kind) => {
    const payer = await money.payer('ethereum');
    const { id } = await money.created(payer);

    const paused = await pauseHolding({ method: 'DELETE', ...DELETIONS[kind]!(payer) });
    const { status, body } = await money.confirm(payer, id);
    expect([status, body.status]).toEqual([200, 'completed']);

    replica.resume();
    expect((await paused.answer).status).toBe(503);
    expect((await money.get(payer, id)).status).toBe('completed');
  },
);
