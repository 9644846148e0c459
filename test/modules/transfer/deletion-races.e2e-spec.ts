import { Client } from 'pg';
import { type Answer, MANAGEMENT_KEY } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { Money, type Payer } from '../../support/money.js';

/** The advisory lock that each COMMIT of a confirmation or a deletion waits for. */
const COMMITS = 7_302;
const WAITS_AT_COMMIT = [
  ['insert', 'transfer_attempts'],
  ['update', 'users'],
  ['update', 'apps'],
];

let money: Money;
let holder: Client;
let observer: Client;

beforeAll(async () => {
  money = await Money.start({ env: { ROLE: 'api', TRANSFER_CONFIRM_WAIT_SECONDS: '0' } });
  [holder, observer] = [0, 1].map(() => new Client({ connectionString: money.app.databaseUrl })) as [Client, Client];
  await Promise.all([holder.connect(), observer.connect()]);
  await observer.query(`
    create function wait_at_commit() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(${COMMITS}); return null; end $$`);
  for (const [change, table] of WAITS_AT_COMMIT)
    await observer.query(`
      create constraint trigger wait_at_commit after ${change} on ${table} deferrable initially deferred
        for each row execute function wait_at_commit()`);
  // A payment that never arrives stays pending.
  money.proxies.ethereum.fault = (method) => (method === 'eth_sendRawTransaction' ? 'request_lost' : null);
});
afterAll(async () => {
  await Promise.all([holder.end(), observer.end()]);
  await money.stop();
});

async function waiting(count: number): Promise<void> {
  await eventually(async () => {
    const { rows } = await observer.query(`
      select count(*)::int from pg_locks l join pg_stat_activity a using (pid)
       where a.datname = current_database() and not l.granted`);
    expect(rows[0].count).toBe(count);
  });
}

/** The answers of two calls of which the second begins when the first waits in COMMIT. */
async function duringCommit(first: () => Promise<Answer>, second: () => Promise<Answer>): Promise<[Answer, Answer]> {
  await holder.query('select pg_advisory_lock($1)', [COMMITS]);
  try {
    const committing = first();
    await waiting(1);
    let answered: Answer | undefined;
    const following = second().then((answer) => (answered = answer));
    // Without a lock the second call ends, or reaches its own COMMIT.
    await eventually(async () => {
      if (!answered) await waiting(2);
    });
    await holder.query('select pg_advisory_unlock($1)', [COMMITS]);
    return [await committing, await following];
  } finally {
    await holder.query('select pg_advisory_unlock_all()');
  }
}

async function attemptsOf(id: string): Promise<number> {
  const { rows } = await observer.query('select count(*)::int from transfer_attempts where transfer_id = $1', [id]);
  return rows[0].count;
}

const outcome = ({ status, body }: Answer): unknown[] => [status, body.error_type];
const ofUser = ({ app, userId }: Payer): Promise<Answer> =>
  money.app.call('DELETE', `/v1/auth/users/${userId}/delete`, { key: app.secretKey });
const ofApp = ({ app }: Payer): Promise<Answer> =>
  money.app.call('DELETE', `/management/v1/apps/${app.id}`, { key: MANAGEMENT_KEY });

describe.each([
  ['user', ofUser, 'user_in_use', [404, 'wallet_not_found']],
  ['app', ofApp, 'app_in_use', [404, 'app_not_found']],
] as const)('the deletion of the %s of a transfer', (_, remove, inUse, gone) => {
  it('waits for a confirmation that is being committed, and is refused', async () => {
    const payer = await money.payer('ethereum');
    const { id } = await money.created(payer);
    const [confirmed, removed] = await duringCommit(
      () => money.confirm(payer, id),
      () => remove(payer),
    );
    expect([confirmed.status, confirmed.body.status]).toEqual([200, 'pending']);
    expect(outcome(removed)).toEqual([409, inUse]);
    expect((await money.get(payer, id)).status).toBe('pending');
  });

  it('makes a confirmation wait that begins before its COMMIT ends, and nothing is signed', async () => {
    const payer = await money.payer('ethereum');
    const { id } = await money.created(payer);
    const [removed, confirmed] = await duringCommit(
      () => remove(payer),
      () => money.confirm(payer, id),
    );
    expect(removed.status).toBe(200);
    expect(outcome(confirmed)).toEqual(gone);
    expect(await attemptsOf(id)).toBe(0);
  });
});
