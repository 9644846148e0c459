import pg from 'pg';
import type { AppId, UserId } from '../../../src/kernel/ids.js';
import { LockedRowsChanged, Transactions } from '../../../src/kernel/transactions.js';
import { ProveAddress, type ProvenUser, UserProfiles } from '../../../src/modules/identity/index.js';
import { isDatabaseUnavailable } from '../../../src/postgres/database-unavailable.js';
import { Database } from '../../../src/postgres/database.js';
import { startApp, type TestApp } from '../../support/app.js';
import { type GivenApp, unique } from '../../support/given.js';
import { Observer, openConnections } from '../../support/observer.js';
import { signedInAs } from '../../support/sign-in.js';

const PROVERS = 20;
const ROUNDS = 5;

let service: TestApp;
let observer: Observer;
let app: GivenApp;
let appId: AppId;
let proof: ProveAddress;
let profiles: UserProfiles;
beforeAll(async () => {
  service = await startApp({ env: { DATABASE_POOL_SIZE: '45' } });
  await openConnections(service, 40);
  observer = await Observer.of(service);
  app = await service.given.app({ default_wallet_type: 'none' });
  appId = app.id as AppId;
  proof = service.nest.get(ProveAddress, { strict: false });
  profiles = service.nest.get(UserProfiles, { strict: false });
});
afterAll(async () => {
  await observer.close();
  await service.stop();
});

let line = 4155570000;

/** An unverified email of an account that is protected by a verified phone number. */
async function givenProtectedHolder(): Promise<{ userId: UserId; email: string }> {
  const [email, number] = [`${unique()}@example.com`, `+1${line++}`];
  const { user_id: holder } = await service.given.user(app, { email, phone_number: number });
  const userId = holder as UserId;
  await proof.phoneNumber(appId, number, signedInAs(userId));
  return { userId, email };
}

/** Proofs in transactions of their own, and every error that made one of these roll back or run again. */
function proofs(email: string): { calls: Promise<ProvenUser>[]; proven: Promise<ProvenUser[]>; errors: unknown[] } {
  const errors: unknown[] = [];
  const transactions = service.nest.get(Transactions);
  const prove = () =>
    proof.email(appId, email).catch((error: unknown) => {
      errors.push(error);
      throw error;
    });
  const calls = Array.from({ length: PROVERS }, () => transactions.run(prove));
  const proven = Promise.all(calls);
  proven.catch(() => undefined);
  return { calls, proven, errors };
}

const isRerun = (error: unknown): boolean => error instanceof LockedRowsChanged;

/** Less than half of the time that a proof waits for the locks. */
const LONGEST_WAIT_SECONDS = 3;

/** Locks the holder and the address as a proof does, and then keeps silent as a paused process would. */
async function pausedProof(userId: UserId, email: string): Promise<pg.Client> {
  const paused = new pg.Client({ connectionString: service.databaseUrl });
  paused.on('error', () => undefined);
  await paused.connect();
  await paused.query('begin');
  await paused.query('select from users where app_id = $1 and id = $2 for update', [appId, userId]);
  await paused.query('select from emails where app_id = $1 and canonical = $2 for update', [appId, email]);
  return paused;
}

describe('simultaneous proofs of an address that must leave a protected account', () => {
  it(`lead ${PROVERS} provers to one new user without a deadlock`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { userId, email } = await givenProtectedHolder();
      const { proven, errors } = proofs(email);
      const users = await proven;
      expect(errors.filter((error) => !isRerun(error))).toEqual([]);
      expect(new Set(users.map((user) => user.userId)).size).toBe(1);
      expect(users[0]!.userId).not.toBe(userId);
      expect(users.filter(({ userCreated }) => userCreated)).toHaveLength(1);
      expect(await profiles.get(appId, userId)).toMatchObject({ emails: [], phoneNumbers: [{ verified: true }] });
    }
  });

  it('go on when the server ends the transaction of a paused process that holds the locks', async () => {
    const { userId, email } = await givenProtectedHolder();
    const paused = await pausedProof(userId, email);
    const { proven, errors } = proofs(email);
    await observer.untilWaiting('users', () => PROVERS, LONGEST_WAIT_SECONDS);
    // Only now, because on a slow machine the silence could end before the proofs wait.
    await paused.query(`set local idle_in_transaction_session_timeout = '100ms'`);
    expect(new Set((await proven).map((user) => user.userId)).size).toBe(1);
    expect(errors.filter((error) => !isRerun(error))).toEqual([]);
    await paused.end();
  });

  it('end as unavailable while a paused process keeps the locks, and the next proof succeeds', async () => {
    const { userId, email } = await givenProtectedHolder();
    const paused = await pausedProof(userId, email);
    const { calls, errors } = proofs(email);
    const ends = await Promise.allSettled(calls);
    expect(ends.filter(({ status }) => status === 'fulfilled')).toEqual([]);
    expect(errors.filter((error) => !isDatabaseUnavailable(error))).toEqual([]);
    await paused.query('rollback');
    await paused.end();
    expect(await proof.email(appId, email)).toMatchObject({ userCreated: true });
  });

  it('lose their locks after 30 s if their own process is paused', async () => {
    const database = service.nest.get(Database);
    const [row] = await service.nest
      .get(Transactions)
      .run(() =>
        database.read<{ silence: string }>(`select current_setting('idle_in_transaction_session_timeout') as silence`),
      );
    expect(row).toEqual({ silence: '30s' });
  });
});
