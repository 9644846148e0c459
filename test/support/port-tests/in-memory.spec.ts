import { type AppId, newId, type UserId } from '../../../src/kernel/ids.js';
import { FixedClock } from '../in-memory/fixed-clock.js';
import { InMemoryApiKeyRepository } from '../in-memory/in-memory-api-key.repository.js';
import { InMemoryAppRepository } from '../in-memory/in-memory-app.repository.js';
import { InMemoryAuditLog } from '../in-memory/in-memory-audit-log.js';
import { InMemoryChallengeRepository } from '../in-memory/in-memory-challenge.repository.js';
import { InMemoryEvents } from '../in-memory/in-memory-events.js';
import { InMemoryMagicLinkRepository } from '../in-memory/in-memory-magic-link.repository.js';
import { InMemoryOauthLoginRepository } from '../in-memory/in-memory-oauth-login.repository.js';
import { InMemoryPasscodeRepository } from '../in-memory/in-memory-passcode.repository.js';
import { InMemoryPasskeyRepository } from '../in-memory/in-memory-passkey.repository.js';
import { InMemoryRedirectUrlRepository } from '../in-memory/in-memory-redirect-url.repository.js';
import { InMemoryRegistrationRepository } from '../in-memory/in-memory-registration.repository.js';
import { InMemoryTotpRepository } from '../in-memory/in-memory-totp.repository.js';
import { InMemoryTransactions } from '../in-memory/in-memory-transactions.js';
import { InMemoryWalletRepository } from '../in-memory/in-memory-wallet.repository.js';
import { InMemoryWrongTries } from '../in-memory/in-memory-wrong-tries.js';
import { appsRepositoriesTests } from './apps-repositories.js';
import { domainEventsTests } from './domain-events.js';
import { magicLinkRepositoryTests } from './magic-link-repository.js';
import { oauthLoginRepositoryTests } from './oauth-login-repository.js';
import { passcodeRepositoryTests } from './passcode-repository.js';
import { passkeyRepositoriesTests } from './passkey-repositories.js';
import { registrationRepositoryTests } from './registration-repository.js';
import { totpRepositoryTests } from './totp-repository.js';
import { walletRepositoryTests } from './wallet-repository.js';
import { wrongTriesTests } from './wrong-tries.js';

const transactions = new InMemoryTransactions();
const clock = new FixedClock();
const users = new Set<string>();
const userExists = (_appId: AppId, userId: UserId): boolean => users.has(userId);
const events = new InMemoryEvents(transactions);
const wallets = new InMemoryWalletRepository(transactions);
const registrations = new InMemoryRegistrationRepository(transactions, clock, userExists);
const logins = new InMemoryOauthLoginRepository(transactions, clock);
const passcodes = new InMemoryPasscodeRepository(transactions, clock, userExists);
const links = new InMemoryMagicLinkRepository(transactions, clock);
const totps = new InMemoryTotpRepository(transactions, clock, (_appId, userId) =>
  users.has(userId) ? 'active' : 'unknown',
);
const challenges = new InMemoryChallengeRepository(transactions, clock);
const passkeys = new InMemoryPasskeyRepository(transactions);
const limits = { wrongTriesPerHour: 5, lockMinutes: 15 };
const tries = new InMemoryWrongTries(transactions, clock, limits);
const apps = new InMemoryAppRepository(transactions);
const keys = new InMemoryApiKeyRepository(transactions, apps);
const redirectUrls = new InMemoryRedirectUrlRepository(transactions, apps);
const auditLog = new InMemoryAuditLog(transactions, apps);

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
describe('wallets in memory', () => {
  walletRepositoryTests(() => ({ wallets, transactions }));
});
describe('registrations in memory', () => {
  registrationRepositoryTests(() => ({ registrations, transactions, place, expireAll }));
});
describe('apps in memory', () => {
  appsRepositoriesTests(() => ({ apps, keys, redirectUrls, auditLog, transactions }));
});
describe('OAuth logins in memory', () => {
  oauthLoginRepositoryTests(() => ({ logins, transactions, expireAll }));
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
describe('passkeys in memory', () => {
  passkeyRepositoriesTests(() => ({ challenges, passkeys, transactions, expireAll }));
});
