import { type AppId, newId, type UserId } from '../../../src/kernel/ids.js';
import { FixedClock } from '../in-memory/fixed-clock.js';
import { InMemoryEvents } from '../in-memory/in-memory-events.js';
import { InMemoryMagicLinkRepository } from '../in-memory/in-memory-magic-link.repository.js';
import { InMemoryPasscodeRepository } from '../in-memory/in-memory-passcode.repository.js';
import { InMemoryTotpRepository } from '../in-memory/in-memory-totp.repository.js';
import { InMemoryTransactions } from '../in-memory/in-memory-transactions.js';
import { InMemoryWrongTries } from '../in-memory/in-memory-wrong-tries.js';
import { domainEventsTests } from './domain-events.js';
import { magicLinkRepositoryTests } from './magic-link-repository.js';
import { passcodeRepositoryTests } from './passcode-repository.js';
import { totpRepositoryTests } from './totp-repository.js';
import { wrongTriesTests } from './wrong-tries.js';

const transactions = new InMemoryTransactions();
const clock = new FixedClock();
const users = new Set<string>();
const userExists = (_appId: AppId, userId: UserId): boolean => users.has(userId);
const events = new InMemoryEvents(transactions);
const passcodes = new InMemoryPasscodeRepository(transactions, clock, userExists);
const links = new InMemoryMagicLinkRepository(transactions, clock);
const totps = new InMemoryTotpRepository(transactions, clock, (_appId, userId) =>
  users.has(userId) ? 'active' : 'unknown',
);
const limits = { wrongTriesPerHour: 5, lockMinutes: 15 };
const tries = new InMemoryWrongTries(transactions, clock, limits);

const place = async () => {
  const userId = newId('user');
  users.add(userId);
  return { appId: newId('app'), userId };
};
const expireAll = async () => clock.advanceMinutes(11);
const wait = async (_appId: AppId, minutes: number) => clock.advanceMinutes(minutes);

describe('events in memory', () => {
  const storedTypes = async (of: AppId) => events.typesOf(({ appId }) => appId === of);
  domainEventsTests(() => ({ events, transactions, storedTypes }));
});
describe('passcodes in memory', () => {
  passcodeRepositoryTests(() => ({ passcodes, transactions, place, expireAll }));
});
describe('wrong tries in memory', () => {
  wrongTriesTests(() => ({ tries, transactions, limits, place, wait }));
});
describe('magic links in memory', () => {
  magicLinkRepositoryTests(() => ({ links, transactions, place, expireAll }));
});
describe('authenticators in memory', () => {
  totpRepositoryTests(() => ({ totps, transactions, place, wait }));
});
