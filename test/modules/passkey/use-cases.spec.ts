import { Test, type TestingModule } from '@nestjs/testing';
import { newId } from '../../../src/kernel/ids.js';
import { DomainEvents } from '../../../src/kernel/domain-events.js';
import { SecretTokens } from '../../../src/kernel/secret-tokens.js';
import { Transactions } from '../../../src/kernel/transactions.js';
import { AppsFacade } from '../../../src/modules/apps/index.js';
import { IdentityFacade, UserProfiles } from '../../../src/modules/identity/index.js';
import { Ceremonies } from '../../../src/modules/passkey/application/ceremonies.js';
import { ManagePasskeys } from '../../../src/modules/passkey/application/manage-passkeys.js';
import { SignInWithPasskey } from '../../../src/modules/passkey/application/sign-in-with-passkey.js';
import { Authenticators, ChallengeRepository } from '../../../src/modules/passkey/domain/authenticators.js';
import { DecoyShapesRepository } from '../../../src/modules/passkey/domain/decoy.js';
import { InvalidPasskey, StepUpRequired } from '../../../src/modules/passkey/domain/passkey.errors.js';
import { userHandleOf, PasskeyRepository } from '../../../src/modules/passkey/domain/passkey.js';
import { SimplewebauthnAuthenticators } from '../../../src/modules/passkey/infrastructure/simplewebauthn-authenticators.js';
import { InvalidSession, SessionFacade } from '../../../src/modules/session/index.js';
import { testTokens } from '../../support/secret-tokens.js';
import { FixedClock } from '../../support/in-memory/fixed-clock.js';
import { InMemoryChallengeRepository } from '../../support/in-memory/in-memory-challenge.repository.js';
import { InMemoryEvents } from '../../support/in-memory/in-memory-events.js';
import { InMemoryPasskeyRepository } from '../../support/in-memory/in-memory-passkey.repository.js';
import { InMemoryTransactions } from '../../support/in-memory/in-memory-transactions.js';
import { StubSessions } from '../../support/in-memory/stub-sessions.js';
import { type Deviation, VirtualAuthenticator } from '../../support/virtual-authenticator.js';

const rpId = 'example.com';
const origin = 'https://login.example.com';

const appId = newId('app');
const ann = newId('user');
let nest: TestingModule;
let clock: FixedClock;
let events: InMemoryEvents;
let sessions: StubSessions;
let authenticator: VirtualAuthenticator;
/** Identity: whether the user has proved any credential. */
const identity = { hasProvedCredential: false };

beforeEach(async () => {
  identity.hasProvedCredential = false;
  const transactions = new InMemoryTransactions();
  clock = new FixedClock();
  events = new InMemoryEvents(transactions);
  sessions = new StubSessions();
  authenticator = new VirtualAuthenticator(origin, 'ES256', { counts: true });
  const settings = { rpId, rpName: null, origins: [origin], decoyKey: 'key' };
  nest = await Test.createTestingModule({
    providers: [
      ManagePasskeys,
      Ceremonies,
      SignInWithPasskey,
      { provide: Transactions, useValue: transactions },
      { provide: UserProfiles, useValue: {} },
      { provide: DomainEvents, useValue: events },
      { provide: ChallengeRepository, useValue: new InMemoryChallengeRepository(transactions, clock) },
      { provide: PasskeyRepository, useValue: new InMemoryPasskeyRepository(transactions) },
      {
        provide: DecoyShapesRepository,
        useValue: {
          find: async () => ({ shapes: [], sampled: 0 }),
          sample: async () => undefined,
        } satisfies DecoyShapesRepository,
      },
      { provide: Authenticators, useClass: SimplewebauthnAuthenticators },
      { provide: SecretTokens, useValue: testTokens() },
      { provide: SessionFacade, useValue: sessions },
      { provide: AppsFacade, useValue: { moduleSettings: async () => settings } },
      {
        provide: IdentityFacade,
        useValue: {
          holdActive: async () => undefined,
          lockForNewCredential: async () => ({ ...identity }),
        } satisfies Partial<IdentityFacade>,
      },
    ],
  }).compile();
});

const created = async (purpose: 'registration' | 'authentication' = 'registration') => {
  const challenge = await nest.get(Ceremonies).issue(appId, purpose, ann);
  return authenticator.create({ rp: { id: rpId }, challenge, user: { id: userHandleOf(ann) } });
};
const register = (credential: unknown) => nest.get(ManagePasskeys).register(appId, ann, { credential, name: '' }, {});
const passkeys = () => nest.get(PasskeyRepository).count(appId, ann);

describe('ManagePasskeys.register', () => {
  it('adds a passkey by one of several simultaneous calls with the same answer', async () => {
    const credential = await created();
    const results = await Promise.allSettled(Array.from({ length: 4 }, () => register(credential)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await passkeys()).toBe(1);
    expect(events.types).toEqual(['webauthn_credential.created']);
  });

  it('adds no passkey and leaves the challenge unspent when the session ends meanwhile', async () => {
    const credential = await created();
    sessions.refuses = true;
    await expect(register(credential)).rejects.toThrow(InvalidSession);
    expect(await passkeys()).toBe(0);
    expect(events.types).toEqual([]);
    sessions.refuses = false;
    expect((await register(credential)).passkey.userId).toBe(ann);
  });

  it('needs a fresh session once the user has a proved credential, and a refusal spends nothing', async () => {
    const credential = await created();
    identity.hasProvedCredential = true;
    await expect(register(credential)).rejects.toThrow(StepUpRequired);
    sessions.userId = ann;
    await expect(register(credential)).rejects.toThrow(StepUpRequired);
    sessions.fresh = true;
    await register(credential);
  });

  it('refuses an answer to a challenge of a login', async () => {
    await expect(register(await created('authentication'))).rejects.toThrow(InvalidPasskey);
  });
});

describe('SignInWithPasskey', () => {
  beforeEach(async () => register(await created()));
  const signed = async (user: typeof ann | null = ann, deviation: Deviation = {}) => {
    const challenge = await nest.get(Ceremonies).issue(appId, 'authentication', user);
    return authenticator.get({ rpId, challenge }, deviation);
  };
  const signIn = (credential: unknown) => nest.get(SignInWithPasskey).execute(appId, credential, {});
  const published = () => events.types.slice(1);

  it('accepts an answer once, however many calls present it', async () => {
    const credential = await signed();
    const results = await Promise.allSettled(Array.from({ length: 4 }, () => signIn(credential)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(published()).toEqual([]);
  });

  it('leaves the challenge unspent and the counter as it was when the session ends meanwhile', async () => {
    const credential = await signed();
    sessions.refuses = true;
    await expect(signIn(credential)).rejects.toThrow(InvalidSession);
    sessions.refuses = false;
    expect((await signIn(credential)).passkey.userId).toBe(ann);
    expect(published()).toEqual([]);
  });

  it('signs in with a counter that does not rise, and reports it', async () => {
    await signIn(await signed(ann, { signCount: 1 }));
    expect(published()).toEqual(['factor.suspicious']);
    await signIn(await signed(ann, { signCount: 5 }));
    expect(published()).toEqual(['factor.suspicious']);
  });

  it('needs the user in the answer when the challenge names none, and a refusal spends nothing', async () => {
    const challenge = await nest.get(Ceremonies).issue(appId, 'authentication', null);
    const without = authenticator.get({ rpId, challenge }, { userHandle: null });
    await expect(signIn(without)).rejects.toThrow(InvalidPasskey);
    await signIn(authenticator.get({ rpId, challenge }));
  });

  it('refuses an answer at the very instant at which its challenge ends', async () => {
    const credential = await signed();
    clock.advanceMinutes(5);
    await expect(signIn(credential)).rejects.toThrow(InvalidPasskey);
  });
});
