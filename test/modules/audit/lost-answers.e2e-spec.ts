import { createDatabase, type TestDatabase } from '../../support/database.js';
import { DatabaseProxy } from '../../support/database-proxy.js';
import { eventually } from '../../support/eventually.js';
import { startApp, type TestApp } from '../../support/app.js';
import type { GivenApp } from '../../support/given.js';
import { Observer } from '../../support/observer.js';
import { Database } from '../../../src/postgres/database.js';
import { Chains } from './chains.js';
import { RecordRefusedCalls } from '../../../src/modules/audit/record-refused-calls.js';

/** The statement that counts a batch of refused calls, in the transaction that stores it. */
const COUNTS = 'insert into refusals';
/** The advisory lock that a COMMIT with counted calls waits for. */
const COMMITS = 7_302;

let database: TestDatabase;
let proxy: DatabaseProxy;
let service: TestApp;
let chains: Chains;
let operator: Observer;
let app: GivenApp;
beforeAll(async () => {
  database = await createDatabase();
  proxy = await DatabaseProxy.start(database.url);
  service = await startApp({ env: { ROLE: 'api', TRUST_PROXY: '1' }, databaseUrl: proxy.url });
  chains = new Chains(service);
  // Only the tests write: on a busy machine a timer would write first, and nothing would be left to lose.
  Object.assign(chains.get(RecordRefusedCalls)['settings'], { batchMs: 600_000, retryMs: 600_000 });
  app = await service.given.app();
  operator = await Observer.of({ databaseUrl: database.url });
});
afterAll(async () => {
  await operator?.close();
  await service?.stop();
  await proxy?.stop();
  await database?.drop();
});

let network = 0;
const newAddress = (): string => `198.51.100.${++network}`;

async function refuse(ip: string, calls: number): Promise<void> {
  for (let n = 0; n < calls; n++)
    await service.call('GET', '/management/v1/apps', { key: app.secretKey, headers: { 'x-forwarded-for': ip } });
}

/** The number of entries from the address, and of the calls in them, when their minute has ended. */
async function found(ip: string): Promise<[entries: number, calls: number]> {
  await chains.endMinutes();
  const [row] = await chains.sql<{ entries: number; calls: number }>(
    `select count(*)::int as entries, coalesce(sum(calls), 0)::int as calls
       from audit_log e join audit_personal_data p on p.app_id = e.app_id and p.entry_id = e.id where p.ip = $1`,
    [ip],
  );
  return [row!.entries, row!.calls];
}

describe('refused calls whose connection is cut between COMMIT and its answer', () => {
  it('are stored once, and later ones are stored too', async () => {
    const ip = newAddress();
    await refuse(ip, 3);
    const lost = proxy.loseAnswer(COUNTS);
    await Promise.all([chains.flush(), lost]);
    await refuse(ip, 1);
    await chains.flush();
    expect(await found(ip)).toEqual([4, 4]);
  });

  it('are counted once when they have no entries of their own', async () => {
    const ip = newAddress();
    await refuse(ip, 101);
    await chains.flush();
    await refuse(ip, 20);
    const lost = proxy.loseAnswer(COUNTS);
    await Promise.all([chains.flush(), lost]);
    await refuse(ip, 5);
    await chains.flush();
    expect(await found(ip)).toEqual([101, 126]);
  });

  it('are stored once when the server commits only after the next write', async () => {
    const ip = newAddress();
    await withCommitTrigger(`perform pg_advisory_xact_lock_shared(${COMMITS})`, async () => {
      await operator.onEachNode('select pg_advisory_lock($1)', [COMMITS]);
      try {
        await refuse(ip, 2);
        const writing = chains.flush();
        await eventually(async () => expect(await operator.waiting()).toBe(1));
        proxy.become('works');
        await writing;
        await refuse(ip, 1);
        await eventually(() => chains.get(Database).read('select 1'));
        await chains.flush();
      } finally {
        await operator.onEachNode('select pg_advisory_unlock($1)', [COMMITS]);
      }
      await eventually(async () => expect(await operator.waiting()).toBe(0));
    });
    await chains.flush();
    expect(await found(ip)).toEqual([3, 3]);
  });
});

it('refused calls whose COMMIT fails are stored by the next write', async () => {
  const ip = newAddress();
  await refuse(ip, 3);
  await withCommitTrigger(`raise exception 'not now'`, () => chains.flush());
  await refuse(ip, 1);
  expect(await found(ip)).toEqual([0, 0]);
  await chains.flush();
  expect(await found(ip)).toEqual([4, 4]);
});

/** Runs `work` while a COMMIT that counts refused calls carries out `statement` first. */
async function withCommitTrigger(statement: string, work: () => Promise<unknown>): Promise<void> {
  await operator.rows(`
    create function at_commit() returns trigger language plpgsql as $$ begin ${statement}; return null; end $$`);
  await operator.rows(`
    create constraint trigger at_commit after insert or update on refusals deferrable initially deferred
      for each row execute function at_commit()`);
  try {
    await work();
  } finally {
    await operator.rows('drop trigger at_commit on refusals');
    await operator.rows('drop function at_commit()');
  }
}
