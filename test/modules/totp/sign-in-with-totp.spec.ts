import { Test, type TestingModule } from '@nestjs/testing';
import { randomBytes } from 'node:crypto';
import { generateSync } from 'otplib';
import { KeysUnavailable, TooManyRequests } from '../../../src/kernel/errors.js';
import { newId } from '../../../src/kernel/ids.js';
import { WrongTries } from '../../../src/kernel/limits.js';
import { DomainEvents } from '../../../src/kernel/domain-events.js';
import { Transactions } from '../../../src/kernel/transactions.js';
import { Vault } from '../../../src/kernel/vault.js';
import { IdentityFacade } from '../../../src/modules/identity/index.js';
import { InvalidSession, SessionFacade } from '../../../src/modules/session/index.js';
import { SignInWithTotp } from '../../../src/modules/totp/application/sign-in-with-totp.js';
import { TotpSecrets } from '../../../src/modules/totp/application/totp-secrets.js';
import { base32 } from '../../../src/kernel/base32.js';
import { InvalidRecoveryCode, InvalidTotp } from '../../../src/modules/totp/domain/totp.errors.js';
import { OneTimeCodes, TotpRepository } from '../../../src/modules/totp/domain/totp.js';
import { SpeakeasyOneTimeCodes } from '../../../src/modules/totp/infrastructure/speakeasy-one-time-codes.js';
import { EnvelopeVault } from '../../../src/services/crypto/envelope-vault.js';
import { Keyring } from '../../../src/services/crypto/keyring.js';
import { KeyringKeyWrapper } from '../../../src/services/crypto/keyring-key-wrapper.js';
import { FixedClock } from '../../support/in-memory/fixed-clock.js';
import { InMemoryEvents } from '../../support/in-memory/in-memory-events.js';
import { InMemoryTotpRepository } from '../../support/in-memory/in-memory-totp.repository.js';
import { InMemoryTransactions } from '../../support/in-memory/in-memory-transactions.js';
import { InMemoryWrongTries } from '../../support/in-memory/in-memory-wrong-tries.js';
import { StubSessions } from '../../support/in-memory/stub-sessions.js';

const vault = new EnvelopeVault(new KeyringKeyWrapper(Keyring.parse(`k1:${randomBytes(32).toString('base64')}`)));
const secret = Buffer.from('12345678901234567890');
const [FIRST, SECOND] = ['aaaaa-11111', 'bbbbb-22222'];
/** One time step of RFC 6238. */
const STEP_MINUTES = 0.5;

const appId = newId('app');
const ann = newId('user');
let nest: TestingModule;
let clock: FixedClock;
let events: InMemoryEvents;
let tries: InMemoryWrongTries;
let sessions: StubSessions;

beforeEach(async () => {
  const transactions = new InMemoryTransactions();
  clock = new FixedClock();
  events = new InMemoryEvents(transactions);
  tries = new InMemoryWrongTries(transactions, clock);
  sessions = new StubSessions();
  nest = await Test.createTestingModule({
    providers: [
      SignInWithTotp,
      TotpSecrets,
      { provide: Transactions, useValue: transactions },
      { provide: DomainEvents, useValue: events },
      { provide: TotpRepository, useValue: new InMemoryTotpRepository(transactions, clock) },
      { provide: WrongTries, useValue: tries },
      { provide: OneTimeCodes, useClass: SpeakeasyOneTimeCodes },
      { provide: Vault, useValue: vault },
      { provide: SessionFacade, useValue: sessions },
      {
        provide: IdentityFacade,
        useValue: {
          addSignInMethod: (_appId, _userId, _gain, add) => add(),
          requireMayAdd: async () => undefined,
        } satisfies Partial<IdentityFacade>,
      },
    ],
  }).compile();
  const totp = { appId, id: newId('totp'), userId: ann };
  const sealed = nest.get(TotpSecrets).seal(totp, secret, [FIRST, SECOND]);
  await nest.get(TotpRepository).enrol({ ...totp, ...sealed }, 30);
});

/** The code that the authenticator shows this many time steps from now. */
const shown = (steps = 0): string =>
  generateSync({ secret: base32(secret), epoch: clock.now().getTime() / 1000 + steps * 30 });
/** A code that no step near now has. */
const wrong = (): string => {
  const near = [-1, 0, 1].map(shown);
  return ['000000', '000001', '000002', '000003'].find((code) => !near.includes(code))!;
};
const signIn = (code: string) => nest.get(SignInWithTotp).execute(appId, ann, { code }, {});
const recover = (recoveryCode: string) => nest.get(SignInWithTotp).execute(appId, ann, { recoveryCode }, {});
const isActive = async () => (await nest.get(TotpRepository).ofUser(appId, ann)).totp?.isActive;
const counted = () => tries.counted(appId, ann);

describe('SignInWithTotp', () => {
  it('activates the enrolment with the first code, and publishes that once', async () => {
    await signIn(shown());
    clock.advanceMinutes(STEP_MINUTES);
    await signIn(shown());
    expect(await isActive()).toBe(true);
    expect(events.types).toEqual(['totp.activated']);
  });

  it('leaves the code unspent, the enrolment pending and the try counted when the session ends meanwhile', async () => {
    sessions.refuses = true;
    await expect(signIn(shown())).rejects.toThrow(InvalidSession);
    expect(await isActive()).toBe(false);
    expect(events.types).toEqual([]);
    expect(counted()).toBe(1);
    sessions.refuses = false;
    expect((await signIn(shown())).userId).toBe(ann);
    expect(counted()).toBe(1);
  });

  it('accepts the codes of the previous, the current and the next step, each once and none after a later one', async () => {
    await signIn(shown(-1));
    await expect(signIn(shown(-1))).rejects.toThrow(InvalidTotp);
    await signIn(shown(1));
    await expect(signIn(shown())).rejects.toThrow(InvalidTotp);
    clock.advanceMinutes(2 * STEP_MINUTES);
    await expect(signIn(shown(-1))).rejects.toThrow(InvalidTotp);
    await signIn(shown());
    await expect(signIn(shown(2))).rejects.toThrow(InvalidTotp);
  });

  it('counts no try while the key of a sealed secret does not open', async () => {
    const ready = jest.spyOn(vault, 'ready').mockImplementation(async (_, sealed) => {
      if (sealed) throw new KeysUnavailable();
    });
    await expect(signIn(shown())).rejects.toThrow(KeysUnavailable);
    ready.mockRestore();
    expect(counted()).toBe(0);
    await signIn(shown());
  });

  it('accepts one code once, however many calls present it at once', async () => {
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => signIn(shown())));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(counted()).toBe(4);
  });

  it('refuses even the right code after five wrong ones, until 90 seconds have passed', async () => {
    for (let count = 0; count < 5; count++) await expect(signIn(wrong())).rejects.toThrow(InvalidTotp);
    await expect(signIn(shown())).rejects.toThrow(TooManyRequests);
    clock.advanceMinutes(2 * STEP_MINUTES);
    await expect(signIn(shown())).rejects.toThrow(TooManyRequests);
    clock.advanceMinutes(STEP_MINUTES);
    await signIn(shown());
    expect(counted()).toBe(5);
  });

  it('accepts a recovery code of an active authenticator once', async () => {
    await expect(recover(FIRST)).rejects.toThrow(InvalidRecoveryCode);
    await signIn(shown());
    await recover(FIRST.toUpperCase());
    await expect(recover(FIRST)).rejects.toThrow(InvalidRecoveryCode);
    await recover(SECOND);
    expect(counted()).toBe(2);
  });

  it('neither counts nor compares a code for the session of another user', async () => {
    sessions.userId = newId('user');
    await expect(signIn(shown())).rejects.toThrow(InvalidSession);
    expect(counted()).toBe(0);
    sessions.userId = ann;
    await signIn(shown());
  });

  it('refuses the first code at the very instant at which the enrolment ends', async () => {
    clock.advanceMinutes(30);
    await expect(signIn(shown())).rejects.toThrow(InvalidTotp);
    expect(events.types).toEqual([]);
  });
});
