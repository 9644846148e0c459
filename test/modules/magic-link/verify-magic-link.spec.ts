import { Test, type TestingModule } from '@nestjs/testing';
import { newId } from '../../../src/kernel/ids.js';
import { SecretTokens } from '../../../src/kernel/secret-tokens.js';
import { Transactions } from '../../../src/kernel/transactions.js';
import { AppsFacade } from '../../../src/modules/apps/index.js';
import { ProveAddress, type UserProfile, UserProfiles } from '../../../src/modules/identity/index.js';
import { VerifyMagicLink } from '../../../src/modules/magic-link/application/verify-magic-link.js';
import {
  DeviceMismatch,
  InvalidMagicToken,
  MagicLinkExpired,
  MagicLinkRepository,
} from '../../../src/modules/magic-link/domain/magic-link.js';
import { InvalidSession, SessionFacade } from '../../../src/modules/session/index.js';
import { testTokens } from '../../support/secret-tokens.js';
import { FixedClock } from '../../support/in-memory/fixed-clock.js';
import { InMemoryMagicLinkRepository } from '../../support/in-memory/in-memory-magic-link.repository.js';
import { InMemoryTransactions } from '../../support/in-memory/in-memory-transactions.js';
import { StubSessions } from '../../support/in-memory/stub-sessions.js';

const MISMATCHES = 3;
const PHONE = { userAgent: 'phone' };

const appId = newId('app');
const ann = newId('user');
const emailId = newId('email');
let nest: TestingModule;
let clock: FixedClock;
let sessions: StubSessions;
/** Identity: whether the address of the link is verified, and whether it belongs to another user since. */
const address = { isProved: false, hasMoved: false };

beforeEach(async () => {
  Object.assign(address, { isProved: false, hasMoved: false });
  const transactions = new InMemoryTransactions();
  clock = new FixedClock();
  sessions = new StubSessions();
  const links = new InMemoryMagicLinkRepository(transactions, clock, () => address.isProved);
  nest = await Test.createTestingModule({
    providers: [
      VerifyMagicLink,
      { provide: Transactions, useValue: transactions },
      { provide: MagicLinkRepository, useValue: links },
      { provide: SecretTokens, useValue: testTokens() },
      { provide: SessionFacade, useValue: sessions },
      { provide: AppsFacade, useValue: { settings: async () => ({ limits: { wrongTriesPerCode: MISMATCHES } }) } },
      {
        provide: UserProfiles,
        useValue: { get: async (_appId: string, userId: string) => ({ userId, emails: [], phoneNumbers: [] }) },
      },
      {
        provide: ProveAddress,
        useValue: {
          email: async () => ({
            userId: address.hasMoved ? newId('user') : ann,
            userCreated: false,
            contactId: address.hasMoved ? newId('email') : emailId,
            prepared: null,
            provedAt: new Date(0),
            isFirst: false,
            isAdded: false,
          }),
        } satisfies Partial<ProveAddress>,
      },
    ],
  }).compile();
});

function mail(device = {}): string {
  const token = nest.get(SecretTokens).mint();
  const tokenHash = nest.get(SecretTokens).hash('magic_link', token);
  const mailedTo = { emailId, email: 'ann@example.com' };
  nest.get(MagicLinkRepository).add({ appId, tokenHash, userId: ann, mailedTo, device, minutes: 5 });
  return token;
}
const follow = (token: string, deviceFingerprint = {}) =>
  nest.get(VerifyMagicLink).execute(appId, token, { deviceFingerprint });
const userOf = ({ user }: { readonly user: Pick<UserProfile, 'userId'> }) => user.userId;

describe('VerifyMagicLink', () => {
  it('signs in one of eight simultaneous followers', async () => {
    const token = mail();
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => follow(token)));
    expect(results.flatMap((each) => (each.status === 'fulfilled' ? [userOf(each.value)] : []))).toEqual([ann]);
  });

  it('keeps the count of each refused follower on another device, and the last of them voids the link', async () => {
    const token = mail(PHONE);
    for (let count = 0; count < MISMATCHES; count++) await expect(follow(token)).rejects.toThrow(DeviceMismatch);
    await expect(follow(token, PHONE)).rejects.toThrow(InvalidMagicToken);
  });

  it('signs in the right device after fewer followers on another one', async () => {
    const token = mail(PHONE);
    for (let count = 1; count < MISMATCHES; count++) await expect(follow(token)).rejects.toThrow(DeviceMismatch);
    expect(userOf(await follow(token, PHONE))).toBe(ann);
  });

  it('leaves the link unspent when the session ends meanwhile', async () => {
    const token = mail();
    sessions.refuses = true;
    await expect(follow(token)).rejects.toThrow(InvalidSession);
    sessions.refuses = false;
    expect(userOf(await follow(token))).toBe(ann);
  });

  it('signs in no user by a link to an address that has moved to another user', async () => {
    const token = mail();
    address.hasMoved = true;
    await expect(follow(token)).rejects.toThrow(InvalidMagicToken);
  });

  it('proves an address that is verified no second time', async () => {
    const token = mail();
    Object.assign(address, { isProved: true, hasMoved: true });
    expect(userOf(await follow(token))).toBe(ann);
  });

  it('refuses the session of another user, and leaves the link unspent', async () => {
    const token = mail(PHONE);
    sessions.userId = newId('user');
    for (let count = 0; count <= MISMATCHES; count++) await expect(follow(token)).rejects.toThrow(InvalidSession);
    sessions.userId = ann;
    expect(userOf(await follow(token, PHONE))).toBe(ann);
  });

  it('refuses a link at the very instant of its expiry', async () => {
    const token = mail();
    clock.advanceMinutes(5);
    await expect(follow(token)).rejects.toThrow(MagicLinkExpired);
  });
});
