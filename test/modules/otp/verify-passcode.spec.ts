import { Test, type TestingModule } from '@nestjs/testing';
import { randomBytes } from 'node:crypto';
import { TooManyRequests } from '../../../src/kernel/errors.js';
import { type EmailId, newId } from '../../../src/kernel/ids.js';
import { WrongTries } from '../../../src/kernel/limits.js';
import { SecretTokens } from '../../../src/kernel/secret-tokens.js';
import { Transactions } from '../../../src/kernel/transactions.js';
import { Vault } from '../../../src/kernel/vault.js';
import { AppsFacade } from '../../../src/modules/apps/index.js';
import { IdentityFacade, ProveAddress } from '../../../src/modules/identity/index.js';
import { VerifyPasscode } from '../../../src/modules/otp/application/verify-passcode.js';
import {
  InvalidOtp,
  OtpAttemptsExceeded,
  codeContext,
  hashOfCode,
  PasscodeRepository,
} from '../../../src/modules/otp/domain/passcode.js';
import { InvalidSession, SessionFacade } from '../../../src/modules/session/index.js';
import { EnvelopeVault } from '../../../src/services/crypto/envelope-vault.js';
import { Keyring } from '../../../src/services/crypto/keyring.js';
import { KeyringKeyWrapper } from '../../../src/services/crypto/keyring-key-wrapper.js';
import { FixedClock } from '../../support/in-memory/fixed-clock.js';
import { InMemoryPasscodeRepository } from '../../support/in-memory/in-memory-passcode.repository.js';
import { InMemoryTransactions } from '../../support/in-memory/in-memory-transactions.js';
import { InMemoryWrongTries } from '../../support/in-memory/in-memory-wrong-tries.js';
import { StubSessions } from '../../support/in-memory/stub-sessions.js';
import { testTokens } from '../../support/secret-tokens.js';

const vault = new EnvelopeVault(new KeyringKeyWrapper(Keyring.parse(`k1:${randomBytes(32).toString('base64')}`)));
const [RIGHT, WRONG] = ['123456', '123457'];
const TRIES_PER_CODE = 5;
const TRIES_PER_HOUR = 8;

const appId = newId('app');
const ann = newId('user');
let email: EmailId;
let nest: TestingModule;
let clock: FixedClock;
let tries: InMemoryWrongTries;
let sessions: StubSessions;
/** Identity that has given the address to another user since the passcode was sent. */
let hasMoved: boolean;

beforeEach(async () => {
  const transactions = new InMemoryTransactions();
  clock = new FixedClock();
  tries = new InMemoryWrongTries(transactions, clock, { wrongTriesPerHour: TRIES_PER_HOUR, lockMinutes: 15 });
  sessions = new StubSessions();
  hasMoved = false;
  const proof = { provedAt: clock.now(), isFirst: false, isAdded: false, prepared: null };
  nest = await Test.createTestingModule({
    providers: [
      VerifyPasscode,
      { provide: Transactions, useValue: transactions },
      { provide: PasscodeRepository, useValue: new InMemoryPasscodeRepository(transactions, clock) },
      { provide: WrongTries, useValue: tries },
      { provide: Vault, useValue: vault },
      { provide: SecretTokens, useValue: testTokens() },
      { provide: SessionFacade, useValue: sessions },
      { provide: AppsFacade, useValue: { settings: async () => ({ limits: { wrongTriesPerCode: TRIES_PER_CODE } }) } },
      {
        provide: IdentityFacade,
        useValue: {
          address: (kind: string, canonical: string) => ({ kind, canonical }),
          requireMayAdd: async () => undefined,
          holderOf: async () => undefined,
        },
      },
      {
        provide: ProveAddress,
        useValue: {
          email: async () =>
            hasMoved
              ? { userId: newId('user'), userCreated: true, contactId: newId('email'), ...proof }
              : { userId: ann, userCreated: false, contactId: email, ...proof },
        } satisfies Partial<ProveAddress>,
      },
    ],
  }).compile();
  email = newId('email');
  send();
});

function send(): void {
  const sealedCode = vault.seal(Buffer.from(RIGHT), codeContext(appId, email));
  const codeHash = hashOfCode(testTokens(), appId, email, RIGHT);
  const passcode = { appId, methodId: email, userId: ann, address: 'ann@example.com', sealedCode, codeHash };
  nest.get(PasscodeRepository).add(passcode, 1);
}
const verify = (code: string) => nest.get(VerifyPasscode).execute(appId, { methodId: email, code }, {});
const counted = () => tries.counted(appId, ann);

describe('VerifyPasscode', () => {
  it('accepts a passcode once, and counts no right code as a wrong try, however many calls present it', async () => {
    const results = await Promise.allSettled(Array.from({ length: TRIES_PER_CODE }, () => verify(RIGHT)));
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    expect(refused).toEqual(Array.from({ length: TRIES_PER_CODE - 1 }, () => expect.any(InvalidOtp)));
    expect(counted()).toBe(0);
  });

  it('keeps the count of a wrong try, and gives back that of the right one only', async () => {
    await expect(verify(WRONG)).rejects.toThrow(InvalidOtp);
    await verify(RIGHT);
    expect(counted()).toBe(1);
  });

  it('leaves the passcode unspent and the try counted when the session ends meanwhile', async () => {
    sessions.refuses = true;
    await expect(verify(RIGHT)).rejects.toThrow(InvalidSession);
    expect(counted()).toBe(1);
    sessions.refuses = false;
    expect(await verify(RIGHT)).toMatchObject({ userId: ann, methodId: email, session: null });
  });

  it('refuses the right code of an address that has moved to another user', async () => {
    hasMoved = true;
    await expect(verify(RIGHT)).rejects.toThrow(InvalidOtp);
    expect(counted()).toBe(1);
  });

  it('counts nothing when the session is of another user', async () => {
    sessions.userId = newId('user');
    for (let i = 0; i < TRIES_PER_CODE + 1; i++) await expect(verify(RIGHT)).rejects.toThrow(InvalidSession);
    expect(counted()).toBe(0);
    sessions.userId = ann;
    await verify(RIGHT);
  });

  it('voids a passcode after too many tries, and tries of the void one do not lock the user', async () => {
    for (let i = 0; i < TRIES_PER_CODE; i++) await expect(verify(WRONG)).rejects.toThrow(InvalidOtp);
    for (let i = 0; i < TRIES_PER_HOUR; i++) await expect(verify(RIGHT)).rejects.toThrow(OtpAttemptsExceeded);
    expect(counted()).toBe(TRIES_PER_CODE);
    send();
    await verify(RIGHT);
  });

  it('compares no code of a locked user, also of a new passcode, until the lock ends', async () => {
    for (let i = 0; i < TRIES_PER_HOUR; i++) {
      if (i === TRIES_PER_CODE) send();
      await expect(verify(WRONG)).rejects.toThrow(InvalidOtp);
    }
    send();
    await expect(verify(RIGHT)).rejects.toThrow(TooManyRequests);
    clock.advanceMinutes(16);
    send();
    await verify(RIGHT);
  });

  it('refuses a passcode at the very instant of its expiry', async () => {
    clock.advanceMinutes(1);
    await expect(verify(RIGHT)).rejects.toThrow(InvalidOtp);
    expect(counted()).toBe(0);
  });
});
