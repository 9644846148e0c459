import { ExpireTransfers } from '../../../../src/modules/transfer/tracking/application/expire-transfers.js';
import { type Answer, MANAGEMENT_KEY } from '../../../support/app.js';
import { ETH, Money, type Payer } from '../../../support/money.js';
import { eventually } from '../../../support/eventually.js';
import { Observer } from '../../../support/observer.js';

/** The advisory lock that a COMMIT with a new attempt waits for. */
const COMMITS = 7_301;

let money: Money;
let holder: Observer;
let observer: Observer;

beforeAll(async () => {
  money = await Money.start();
  [holder, observer] = [await Observer.of(money.app), await Observer.of(money.app)];
  await observer.rows(`
    create function wait_at_commit() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(${COMMITS}); return null; end $$`);
  await observer.rows(`
    create constraint trigger wait_at_commit after insert on transfer_attempts deferrable initially deferred
      for each row execute function wait_at_commit()`);
});
afterAll(async () => {
  await Promise.all([holder.close(), observer.close()]);
  await money.stop();
});

async function isOver(id: string): Promise<boolean> {
  const [row] = await observer.rows<{ over: boolean }>(
    'select clock_timestamp() >= expires_at as over from transfers where id = $1',
    [id],
  );
  return row!.over;
}

/**
 * A confirmation that began in time and whose COMMIT waits until after the expiry, and the answers to other calls meanwhile. Throws
 * when a busy machine began too late, or waited for longer than the service lets a COMMIT wait.
 */
async function committedLate(payer: Payer) {
  const { id, dest } = await money.created(payer);
  await observer.rows(`update transfers set expires_at = now() + interval '2 seconds' where app_id = $1 and id = $2`, [
    payer.app.id,
    id,
  ]);
  await holder.onEachNode('select pg_advisory_lock($1)', [COMMITS]);
  let isHeld = true;
  const release = async (): Promise<void> => {
    if (isHeld) await holder.onEachNode('select pg_advisory_unlock($1)', [COMMITS]);
    isHeld = false;
  };
  try {
    const answers: Answer[] = [];
    const confirm = () => money.confirm(payer, id).then((answer) => answers[answers.push(answer) - 1]!);
    const first = confirm();
    await eventually(async () => expect(answers.length > 0 || (await observer.waiting()) === 1).toBe(true));
    if (answers.length > 0 || (await isOver(id))) throw new Error('The confirmation did not begin in time.');
    await eventually(async () => expect(await isOver(id)).toBe(true));
    const shown = await money.get(payer, id);
    const repeated = confirm();
    await eventually(async () => expect(answers.length > 0 || (await observer.waiting()) === 2).toBe(true));
    await release();
    const [{ body, status }, second] = [await first, await repeated];
    if ([status, second.status].includes(503)) throw new Error('The confirmation waited for too long.');
    return { dest, shown, first: body, second };
  } finally {
    await release();
  }
}

it('no caller sees a transfer as expired while a confirmation that began in time is being committed', async () => {
  const payer = await money.payer('ethereum');
  const { dest, shown, first, second } = await eventually(() => committedLate(payer));
  expect(first.status).toBe('completed');
  expect(shown).toMatchObject({ status: 'unconfirmed' });
  expect([second.status, second.body.blockchain_tx_hash]).toEqual([200, first.blockchain_tx_hash]);
  expect(await money.balance('ethereum', dest)).toBe(ETH / 2n);
});

/**
 * Makes a quote an hour overdue, and holds its lock as a confirmation does whose COMMIT waits for a standby. Throws when the
 * expiry was stored first.
 */
async function lockedLongAfterExpiry(payer: Payer): Promise<string> {
  const { id } = await money.created(payer);
  await observer.rows(`update transfers set expires_at = now() - interval '1 hour' where id = $1`, [id]);
  await holder.rows('begin');
  const [row] = await holder.rows<{ status: string }>(
    'select status from transfers where app_id = $1 and id = $2 for update',
    [payer.app.id, id],
  );
  if (row!.status === 'unconfirmed') return id;
  await holder.rows('rollback');
  throw new Error('The expiry was stored first.');
}

it('a transfer is shown as expired only once that is stored, however long a confirmation is being committed', async () => {
  const payer = await money.payer('ethereum');
  const id = await eventually(() => lockedLongAfterExpiry(payer));
  const listed = ({ body }: Answer) => body.transfers.find((each: { id: string }) => each.id === id);
  const ofOperator = (path: string) =>
    money.app.call('GET', `/management/v1/apps/${payer.app.id}/transfers${path}`, { key: MANAGEMENT_KEY });
  const expire = () => money.app.nest.get(ExpireTransfers, { strict: false }).execute();
  const shown = async () =>
    [
      await money.get(payer, id),
      listed(await money.app.call('GET', '/v1/transfers/list', { key: payer.app.secretKey })),
      (await ofOperator(`/${id}`)).body,
      listed(await ofOperator('')),
    ].map(({ status }) => status);
  try {
    await expire();
    expect(await shown()).toEqual(Array(4).fill('unconfirmed'));
    expect(listed(await ofOperator('?status=unconfirmed')).next_step).toBe('confirmation');
  } finally {
    await holder.rows('rollback');
  }
  await expire();
  expect(await shown()).toEqual(Array(4).fill('expired'));
});

it('a repeated confirmation is not refused for want of the coins that the first one has just paid', async () => {
  const payer = await money.payer('ethereum');
  const { id, dest } = await money.created(payer, { source_amount: '6' });
  const proxy = money.proxies.ethereum;
  let open = (): void => undefined;
  proxy.gate = new Promise((resolve) => (open = resolve));
  const estimates = proxy.calls.get('eth_estimateGas') ?? 0;
  const repeated = money.confirm(payer, id);
  // It has read the transfer, and waits for the node.
  await eventually(() => expect(proxy.calls.get('eth_estimateGas')).toBe(estimates + 1));
  proxy.gate = Promise.resolve();
  const first = await money.confirm(payer, id);
  expect(first.body.status).toBe('completed');
  open();
  const { status, body } = await repeated;
  expect([status, body.status, body.blockchain_tx_hash]).toEqual([200, 'completed', first.body.blockchain_tx_hash]);
  expect(await money.balance('ethereum', dest)).toBe(6n * ETH);
});
