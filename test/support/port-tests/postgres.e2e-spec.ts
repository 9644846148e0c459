import type { AppId, UserId } from '../../../src/kernel/ids.js';
import { WrongTries } from '../../../src/kernel/limits.js';
import { DomainEvents } from '../../../src/kernel/domain-events.js';
import { Transactions } from '../../../src/kernel/transactions.js';
import { LIMITS } from '../../../src/modules/apps/domain/app-limits.js';
import { MagicLinkRepository } from '../../../src/modules/magic-link/domain/magic-link.js';
import { PasscodeRepository } from '../../../src/modules/otp/domain/passcode.js';
import { TotpRepository } from '../../../src/modules/totp/domain/totp.js';
import { Database } from '../../../src/postgres/database.js';
import { startApp, type TestApp } from '../app.js';
import { domainEventsTests } from './domain-events.js';
import { magicLinkRepositoryTests } from './magic-link-repository.js';
import { passcodeRepositoryTests } from './passcode-repository.js';
import { totpRepositoryTests } from './totp-repository.js';
import { wrongTriesTests } from './wrong-tries.js';

let service: TestApp;
beforeAll(async () => {
  service = await startApp({ env: { ROLE: 'api' } });
});
afterAll(() => service?.stop());

const port = <T>(token: abstract new (...args: never[]) => T): T => service.nest.get(token as never, { strict: false });
const transactions = (): Transactions => port(Transactions);

const place = async () => {
  const app = await service.given.app();
  const { user_id } = await service.given.user(app);
  return { appId: app.id as AppId, userId: user_id as UserId };
};
const expireAll =
  (...tables: readonly string[]) =>
  async (appId: AppId) => {
    for (const table of tables)
      await port(Database).write(`update ${table} set expires_at = now() - interval '1 minute' where app_id = $1`, [
        appId,
      ]);
  };

/** A service of the role `api` sequences no events, so they stay where their transactions stored them. */
const storedTypes = async (appId: AppId) => {
  const rows = await port(Database).read<{ type: string }>(
    `select type from unsequenced_events where app_id = $1 order by seq`,
    [appId],
  );
  return rows.map(({ type }) => type);
};

describe('events in PostgreSQL', () => {
  domainEventsTests(() => ({ events: port(DomainEvents), transactions: transactions(), storedTypes }));
});
describe('passcodes in PostgreSQL', () => {
  passcodeRepositoryTests(() => ({
    passcodes: port(PasscodeRepository),
    transactions: transactions(),
    place,
    expireAll: expireAll('otps'),
  }));
});
describe('wrong tries in PostgreSQL', () => {
  const limits = { wrongTriesPerHour: LIMITS.wrongTriesPerHour.standard, lockMinutes: LIMITS.lockMinutes.standard };
  const wait = async (appId: AppId, minutes: number) => {
    await port(Database).write(
      `update wrong_tries set locked_until = locked_until - make_interval(mins => $2),
              tries = array(select at - make_interval(mins => $2) from unnest(tries) as at)
        where app_id = $1`,
      [appId, minutes],
    );
  };
  wrongTriesTests(() => ({ tries: port(WrongTries), transactions: transactions(), limits, place, wait }));
});
describe('magic links in PostgreSQL', () => {
  magicLinkRepositoryTests(() => ({
    links: port(MagicLinkRepository),
    transactions: transactions(),
    place,
    expireAll: expireAll('magic_links'),
  }));
});
describe('authenticators in PostgreSQL', () => {
  const wait = async (appId: AppId, minutes: number) => {
    await port(Database).write(
      `update totps set last_tried_at = last_tried_at - make_interval(mins => $2),
              expires_at = expires_at - make_interval(mins => $2)
        where app_id = $1`,
      [appId, minutes],
    );
  };
  totpRepositoryTests(() => ({ totps: port(TotpRepository), transactions: transactions(), place, wait }));
});
