import { type AppId, newId, type UserId } from '../../../src/kernel/ids.js';
import { Transactions } from '../../../src/kernel/transactions.js';
import {
  IdentityFacade,
  KEPT_BY_IDENTITY,
  LastWayToSignIn,
  ProveAddress,
  SignInMethods,
  UserProfiles,
} from '../../../src/modules/identity/index.js';
import { FactorType } from '../../../src/modules/session/domain/factor.js';
import { SessionFacade } from '../../../src/modules/session/index.js';
import { Database } from '../../../src/postgres/database.js';
import { startApp, type TestApp } from '../../support/app.js';
import { untilAvailable } from '../../support/eventually.js';
import { type GivenApp, unique } from '../../support/given.js';
import { openConnections } from '../../support/observer.js';

// A sign-in method as a new module would register it: a key per row, proved or only begun.
let service: TestApp;
let app: GivenApp;
let appId: AppId;
let identity: IdentityFacade;
let proof: ProveAddress;
let profiles: UserProfiles;
beforeAll(async () => {
  service = await startApp({ env: { DATABASE_POOL_SIZE: '45' } });
  await openConnections(service, 40);
  app = await service.given.app({ default_wallet_type: 'none' });
  appId = app.id as AppId;
  identity = service.nest.get(IdentityFacade, { strict: false });
  proof = service.nest.get(ProveAddress, { strict: false });
  profiles = service.nest.get(UserProfiles, { strict: false });
  const database = service.nest.get(Database);
  await database.write('create table test_keys (app_id text, user_id text, is_proved boolean)');
  service.nest.get(SignInMethods, { strict: false }).register({
    factorType: 'test_key',
    credentials: `select true, is_proved, 'key', case when is_proved then now() end from test_keys where app_id = $1 and user_id = $2`,
    revoke: async (ofApp, userId) => {
      const sql = 'delete from test_keys where app_id = $1 and user_id = $2 and not is_proved returning app_id';
      return (await database.write(sql, [ofApp, userId])).length;
    },
  });
});
afterAll(() => service.stop());

const keys = (userId: string) =>
  service.nest
    .get(Database)
    .read<{ is_proved: boolean }>('select is_proved from test_keys where user_id = $1', [userId]);

async function holderWithKey(isProved: boolean, ofApp: string = app.id): Promise<{ userId: UserId; email: string }> {
  const email = `${unique()}@example.com`;
  const { user_id: userId } = await service.given.user(app, { email });
  await service.nest
    .get(Database)
    .write('insert into test_keys (app_id, user_id, is_proved) values ($1, $2, $3)', [ofApp, userId, isProved]);
  return { userId: userId as UserId, email };
}

describe('a sign-in method of a new module', () => {
  it('keeps an account with a proved credential from the prover of its unverified email', async () => {
    const { userId, email } = await holderWithKey(true);
    const prover = await proof.email(appId, email);
    expect(prover.userCreated).toBe(true);
    expect(prover.userId).not.toBe(userId);
    expect(await keys(userId)).toEqual([{ is_proved: true }]);
    expect(await profiles.get(appId, userId)).toMatchObject({ emails: [] });
  });

  it('loses its unproved credentials when the account passes to the prover of its email', async () => {
    const { userId, email } = await holderWithKey(false);
    expect(await proof.email(appId, email)).toMatchObject({ userId, userCreated: false });
    expect(await keys(userId)).toEqual([]);
  });

  it('does not protect an account by the credentials of another app', async () => {
    const { userId, email } = await holderWithKey(true, newId('app'));
    expect(await proof.email(appId, email)).toMatchObject({ userId, userCreated: false });
  });

  it('lets only one of 20 simultaneous provers create an account beside the protected one', async () => {
    const { userId, email } = await holderWithKey(true);
    const provers = await Promise.all(
      Array.from({ length: 20 }, () => untilAvailable(() => proof.email(appId, email))),
    );
    expect(new Set(provers.map((prover) => prover.userId)).size).toBe(1);
    expect(provers[0]!.userId).not.toBe(userId);
  });

  it('counts as a sign-in method that is left when the email is removed', async () => {
    const METHOD = { type: 'test', id: 'test' };
    const { userId } = await holderWithKey(true);
    const { emails } = await profiles.get(appId, userId);
    await identity.removeSignInMethod(appId, userId, METHOD, 'app', async () => {
      await service.nest
        .get(Database)
        .write('delete from emails where app_id = $1 and id = $2', [appId, emails[0]!.id]);
    });
    const removal = identity.removeSignInMethod(appId, userId, METHOD, 'app', async () => {
      await service.nest.get(Database).write('delete from test_keys where user_id = $1', [userId]);
    });
    await expect(removal).rejects.toBeInstanceOf(LastWayToSignIn);
    expect(await keys(userId)).toHaveLength(1);
  });
});

describe('the registry of sign-in methods', () => {
  it('refuses a method twice', () => {
    const [method] = service.nest.get(SignInMethods, { strict: false }).all;
    expect(() => service.nest.get(SignInMethods, { strict: false }).register(method!)).toThrow('is registered already');
  });

  it('holds no method without credentials of its own but those that prove what identity keeps', () => {
    // A method in this list protects no account: its module may keep no credential.
    const keptByIdentity = service.nest
      .get(SignInMethods, { strict: false })
      .all.filter(({ credentials }) => credentials === KEPT_BY_IDENTITY)
      .map(({ factorType }) => factorType);
    expect(keptByIdentity.toSorted()).toEqual(['magic_link', 'otp', 'password']);
  });

  it('holds a method for every factor type that sessions accept', () => {
    const methods = service.nest.get(SignInMethods, { strict: false }).all.map(({ factorType }) => factorType);
    const accepted = FactorType.declared.map(({ type }) => type);
    expect(accepted).toHaveLength(7);
    expect(accepted.filter((type) => !methods.includes(type))).toEqual([]);
  });
});

describe('a session', () => {
  it('is not started with a factor type that no module has registered', async () => {
    const { user_id: userId } = await service.given.user(app);
    const sessions = service.nest.get(SessionFacade, { strict: false });
    const intent = await sessions.resolve(appId, { minutes: 60 });
    const factor = { type: 'unregistered', deliveryChannel: 'test', method: { type: 'test', testId: 'test_1' } };
    const issued = service.nest
      .get(Transactions)
      .run(() => sessions.addFactor(appId, intent, userId as UserId, factor));
    await expect(issued).rejects.toThrow('No module has registered the factor type unregistered');
  });
});
