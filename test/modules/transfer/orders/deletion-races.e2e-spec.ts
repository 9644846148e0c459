import { type Answer, MANAGEMENT_KEY } from '../../../support/app.js';
import { eventually } from '../../../support/eventually.js';
import { Money, type Payer } from '../../../support/money.js';
import { Observer } from '../../../support/observer.js';

/** The advisory lock that each COMMIT of a confirmation or a deletion waits for. */
const COMMITS = 7_302;
const WAITS_AT_COMMIT = [
  ['insert', 'transfer_attempts'],
  ['update', 'users'],
  ['update', 'apps'],
];

let money: Money;
let holder: Observer;
let observer: Observer;

beforeAll(async () => {
  money = await Money.start({ env: { ROLE: 'api', TRANSFER_CONFIRM_WAIT_SECONDS: '0' } });
  [holder, observer] = [await Observer.of(money.app), await Observer.of(money.app)];
  await observer.rows(`
    create function wait_at_commit() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(${COMMITS}); return null; end $$`);
  for (const [change, table] of WAITS_AT_COMMIT)
    await observer.rows(`
      create constraint trigger wait_at_commit after ${change} on ${table} deferrable initially deferred
        for each row execute function wait_at_commit()`);
  // A payment that never arrives stays pending.
  money.proxies.ethereum.fault = (method) => (method === 'eth_sendRawTransaction' ? 'request_lost' : null);
});
afterAll(async () => {
  await Promise.all([holder.close(), observer.close()]);
  await money.stop();
});

type ToDo = (payer: Payer, id: string) => Promise<Answer>;

/**
 * A new transfer, and the answers of two calls for it of which the second begins when the first waits in COMMIT. Throws when a busy
 * machine had one of them wait for longer than the service lets it.
 */
async function duringCommit(first: ToDo, second: ToDo) {
  const payer = await money.payer('ethereum');
  const { id } = await money.created(payer);
  await holder.onEachNode('select pg_advisory_lock($1)', [COMMITS]);
  try {
    const ended: Answer[] = [];
    const begin = (work: ToDo) => work(payer, id).then((answer) => ended[ended.push(answer) - 1]!);
    const untilWaiting = (count: number) =>
      eventually(async () => expect(ended.length > 0 || (await observer.waiting()) === count).toBe(true));
    const committing = begin(first);
    await untilWaiting(1);
    const following = begin(second);
    // Without a lock the second call ends, or reaches its own COMMIT.
    await untilWaiting(2);
    await holder.onEachNode('select pg_advisory_unlock($1)', [COMMITS]);
    const answers = [await committing, await following] as const;
    if (answers.some(({ status }) => status === 503)) throw new Error('A call waited for too long.');
    return { payer, id, answers };
  } finally {
    await holder.onEachNode('select pg_advisory_unlock_all()');
  }
}

async function attemptsOf(id: string): Promise<number> {
  const [row] = await observer.rows<{ count: number }>(
    'select count(*)::int from transfer_attempts where transfer_id = $1',
    [id],
  );
  return row!.count;
}

const outcome = ({ status, body }: Answer): unknown[] => [status, body.error_type];
const confirm: ToDo = (payer, id) => money.confirm(payer, id);
const ofUser = ({ app, userId }: Payer): Promise<Answer> =>
  money.app.call('DELETE', `/v1/auth/users/${userId}/delete`, { key: app.secretKey });
const ofApp = ({ app }: Payer): Promise<Answer> =>
  money.app.call('DELETE', `/management/v1/apps/${app.id}`, { key: MANAGEMENT_KEY });

describe.each([
  ['user', ofUser, 'user_in_use', [404, 'wallet_not_found']],
  ['app', ofApp, 'app_in_use', [404, 'app_not_found']],
] as const)('the deletion of the %s of a transfer', (_, remove, inUse, gone) => {
  it('waits for a confirmation that is being committed, and is refused', async () => {
    const { payer, id, answers } = await eventually(() => duringCommit(confirm, remove));
    const [confirmed, removed] = answers;
    expect([confirmed.status, confirmed.body.status]).toEqual([200, 'pending']);
    expect(outcome(removed)).toEqual([409, inUse]);
    expect((await money.get(payer, id)).status).toBe('pending');
  });

  it('makes a confirmation wait that begins before its COMMIT ends, and nothing is signed', async () => {
    const { id, answers } = await eventually(() => duringCommit(remove, confirm));
    const [removed, confirmed] = answers;
    expect(removed.status).toBe(200);
    expect(outcome(confirmed)).toEqual(gone);
    expect(await attemptsOf(id)).toBe(0);
  });
});
