import { type AppId, newId, type UserId } from '../../../src/kernel/ids.js';
import { type Recipient, SendLimits, type Try, WrongTries } from '../../../src/kernel/limits.js';
import type { Mailer } from '../../../src/kernel/messages.js';
import { Transactions } from '../../../src/kernel/transactions.js';
import { Database } from '../../../src/postgres/database.js';
import { TooManyRequests } from '../../../src/kernel/errors.js';
import { SmsCountryNotAllowed } from '../../../src/services/sms/queued-texts.js';
import { startApp, type TestApp } from '../../support/app.js';
import { forgetSettings, untilScheduleDid } from '../../support/background.js';
import { eventually } from '../../support/eventually.js';
import { unique } from '../../support/given.js';
import { openConnections } from '../../support/observer.js';

// Two replicas on one database: the counts must not depend on the replica.
let one: TestApp;
let two: TestApp;
beforeAll(async () => {
  // No call of `atOnce` waits for a connection, which it gets within 3 s or not at all.
  const env = { DATABASE_POOL_SIZE: '25' };
  one = await startApp({ env });
  two = await startApp({ databaseUrl: one.databaseUrl, env });
  for (const each of [one, two]) await openConnections(each, 24);
});
afterAll(async () => {
  await two.stop();
  await one.stop();
});

async function givenApp(limits: Record<string, unknown> = {}, mode = 'test'): Promise<AppId> {
  return (await one.given.app({ limits, mode })).id as AppId;
}

function mailbox(): Recipient {
  return { kind: 'email', canonical: `${unique()}@example.com` };
}

/** Makes 50 calls at once, alternately on both replicas, and separates fulfilled calls from refusals. */
async function atOnce<T>(ask: (replica: TestApp, n: number) => Promise<T>, times = 50) {
  const settled = await Promise.allSettled(Array.from({ length: times }, (_, n) => ask(n % 2 ? one : two, n)));
  const refusals = settled
    .filter(({ status }) => status === 'rejected')
    .map((r) => (r as PromiseRejectedResult).reason);
  expect(refusals.filter((error) => !(error instanceof TooManyRequests))).toEqual([]);
  return {
    granted: settled.filter(({ status }) => status === 'fulfilled').map((r) => (r as PromiseFulfilledResult<T>).value),
    refusals: refusals as TooManyRequests[],
  };
}

const secondsSince = (began: number) => (performance.now() - began) / 1_000;
const sql = (text: string, parameters: unknown[]) => one.nest.get(Database).write(text, parameters);

describe('send limits', () => {
  const take = (replica: TestApp, ...given: Parameters<SendLimits['take']>) =>
    replica.nest.get(SendLimits).take(...given);

  it('allow ten sends to a recipient in ten minutes, also when 50 are requested at once', async () => {
    const appId = await givenApp();
    const recipient = mailbox();
    const began = performance.now();
    const { granted, refusals } = await atOnce((replica) => take(replica, appId, recipient));
    expect([granted.length, refusals.length]).toEqual([10, 40]);
    for (const { policy, retryAfterSeconds } of refusals) {
      expect(policy).toEqual({ name: 'recipient', quota: 10, windowSeconds: 600 });
      expect(retryAfterSeconds).toBeGreaterThan(599 - secondsSince(began));
      expect(retryAfterSeconds).toBeLessThanOrEqual(611);
    }
    await take(one, appId, mailbox());
    await take(one, await givenApp(), recipient);
  });

  it('return the value without which the compiler accepts no mail', async () => {
    const appId = await givenApp();
    const send: jest.MockedFunction<Mailer['send']> = jest.fn();
    const mail = { kind: 'one_time_code', to: 'ann@example.com', code: '000000', minutes: 1 } as const;
    send(await take(one, appId, mailbox()), mail);
    // @ts-expect-error -- The send of this mail was not counted.
    send({ appId }, mail);
    expect(send.mock.calls[0]).toEqual([{ appId }, mail]);
  });

  it('count the sends of an app over all recipients and channels', async () => {
    const appId = await givenApp({ sends_per_hour: 7 });
    const { granted, refusals } = await atOnce((replica, n) =>
      take(replica, appId, n % 3 ? mailbox() : { kind: 'phone_number', canonical: `+4915112345${100 + n}` }),
    );
    expect(granted).toHaveLength(7);
    expect(new Set(refusals.map(({ policy }) => policy?.name))).toEqual(new Set(['app']));
    expect(refusals[0]!.policy).toMatchObject({ quota: 7, windowSeconds: 3600 });
  });

  it('count SMS per destination country', async () => {
    const appId = await givenApp({ sms_per_country_per_hour: 3 });
    const to = (number: string): Recipient => ({ kind: 'phone_number', canonical: number });
    const { granted, refusals } = await atOnce((replica, n) => take(replica, appId, to(`+4915112345${100 + n}`)));
    expect(granted).toHaveLength(3);
    expect(refusals[0]!.policy?.name).toBe('country');
    await take(one, appId, to('+33612345678'));
    await take(one, appId, mailbox());
  });

  it('count the sends that one network requests, with an IPv6 /64 as one network', async () => {
    const appId = await givenApp({ network_sends_per_ten_minutes: 4 });
    const { granted, refusals } = await atOnce((replica, n) =>
      take(replica, appId, mailbox(), `2001:db8:1:2::${n.toString(16)}`),
    );
    expect(granted).toHaveLength(4);
    expect(refusals[0]!.policy?.name).toBe('network');
    await take(one, appId, mailbox(), '2001:db8:1:3::1');
    // As an app passes on what its proxy wrote.
    await expect(take(one, appId, mailbox(), '"[2001:db8:1:2::7]:4711"')).rejects.toMatchObject({
      policy: { name: 'network' },
    });
    await take(one, appId, mailbox(), 'no address');
    await take(one, appId, mailbox());
  });

  it('count the sends that the networks of one IPv6 site request, eight times those of a network', async () => {
    const appId = await givenApp({ network_sends_per_ten_minutes: 1 });
    const { granted, refusals } = await atOnce((replica, n) =>
      take(replica, appId, mailbox(), `2001:db8:1:${n.toString(16)}::1`),
    );
    expect(granted).toHaveLength(8);
    expect(refusals[0]!.policy).toEqual({ name: 'network', quota: 8, windowSeconds: 600 });
    await take(one, appId, mailbox(), '2001:db8:2:1::1');
  });

  it('count a refused send for no limit', async () => {
    const appId = await givenApp({ sends_per_hour: 12, recipient_sends_per_ten_minutes: 2 });
    const busy = mailbox();
    expect((await atOnce((replica) => take(replica, appId, busy))).granted).toHaveLength(2);
    expect((await atOnce((replica) => take(replica, appId, mailbox()))).granted).toHaveLength(10);
    // The app is at its limit, and a send that it refuses does not count for the recipient.
    const patient = mailbox();
    expect((await atOnce((replica) => take(replica, appId, patient))).granted).toHaveLength(0);
    await one.call('PATCH', `/management/v1/apps/${appId}`, {
      key: one.managementKey,
      body: { limits: { sends_per_hour: 1000 } },
    });
    forgetSettings(one, two);
    expect((await atOnce((replica) => take(replica, appId, patient))).granted).toHaveLength(2);
  });

  it('let sends leave the window one by one', async () => {
    const appId = await givenApp({ recipient_sends_per_ten_minutes: 3 });
    const recipient = mailbox();
    const began = performance.now();
    const age = (slots: number) =>
      sql(`update send_counts set slot = slot - $2 where app_id = $1 and key like 'recipient:%'`, [appId, slots]);
    await take(one, appId, recipient);
    await age(30);
    await take(one, appId, recipient);
    await take(one, appId, recipient);
    const early = await take(one, appId, recipient).catch((error: unknown) => error);
    // The first is 300 s old, give or take the step of 10 s.
    expect((early as TooManyRequests).retryAfterSeconds).toBeGreaterThan(299 - secondsSince(began));
    expect((early as TooManyRequests).retryAfterSeconds).toBeLessThanOrEqual(311);
    await age(31);
    await take(one, appId, recipient);
    await expect(take(one, appId, recipient)).rejects.toBeInstanceOf(TooManyRequests);
    await age(500);
    expect((await atOnce((replica) => take(replica, appId, recipient))).granted).toHaveLength(3);
  });

  it('allow SMS only to the countries that the app allows, and a live app allows none by default', async () => {
    const to = (canonical: string): Recipient => ({ kind: 'phone_number', canonical });
    const live = await givenApp({}, 'live');
    await expect(take(one, live, to('+4915112345678'))).rejects.toBeInstanceOf(SmsCountryNotAllowed);
    await take(one, live, mailbox());
    const abroad = await givenApp({ sms_countries: ['DE', 'US'] }, 'live');
    await take(one, abroad, to('+4915112345678'));
    await take(one, abroad, to('+15555550100'));
    await expect(take(one, abroad, to('+18765551234'))).rejects.toBeInstanceOf(SmsCountryNotAllowed);
    await expect(take(one, abroad, to('+8821234567890'))).rejects.toBeInstanceOf(SmsCountryNotAllowed);
    await take(one, await givenApp(), to('+8821234567890'));
  });

  it('keep the count of a send whose transaction fails, and do not block when the pool is empty', async () => {
    const appId = await givenApp({ sends_per_hour: 8 });
    const small = await startApp({ databaseUrl: one.databaseUrl, env: { DATABASE_POOL_SIZE: '4' } });
    try {
      // As many as the pool has connections, and more.
      const failed = await Promise.allSettled(
        Array.from({ length: 8 }, () =>
          small.nest.get(Transactions).run(async () => {
            await take(small, appId, mailbox());
            throw new Error('undone');
          }),
        ),
      );
      expect(new Set(failed.map((result) => (result as PromiseRejectedResult).reason.message))).toEqual(
        new Set(['undone']),
      );
    } finally {
      await small.stop();
    }
    await expect(take(one, appId, mailbox())).rejects.toBeInstanceOf(TooManyRequests);
  });
});

describe('a call whose send is refused', () => {
  it('names the limit and the time of the next send in the standard fields', async () => {
    const { secretKey } = await one.given.app({ limits: { recipient_sends_per_ten_minutes: 1 } });
    const ask = (headers = {}) =>
      two.call('POST', '/v1/auth/otps/email/login_or_create', {
        key: secretKey,
        headers,
        body: { email: 'ann@example.com' },
      });
    const began = performance.now();
    const first = await ask();
    expect([first.status, first.headers.get('ratelimit-policy')]).toEqual([200, '"default";q=5000;w=1']);
    // With an idempotency key the whole call is one transaction; the count is apart from it.
    for (const headers of [{}, { 'idempotency-key': unique() }]) {
      const refused = await ask(headers);
      expect([refused.status, refused.body.error_type]).toEqual([429, 'too_many_requests']);
      const seconds = refused.headers.get('retry-after')!;
      expect(Number(seconds)).toBeGreaterThan(599 - secondsSince(began));
      expect(refused.headers.get('ratelimit-policy')).toBe('"default";q=5000;w=1, "recipient";q=1;w=600');
      expect(refused.headers.get('ratelimit')).toMatch(
        new RegExp(`^"default";r=\\d+;t=\\d, "recipient";r=0;t=${seconds}$`),
      );
    }
  });
});

describe('wrong tries from one client network', () => {
  const begin = (replica: TestApp, appId: AppId, ip?: string, userId = newId('user')) =>
    replica.nest.get(WrongTries).begin(appId, userId, ip);

  it('are bounded over all users, exactly for two replicas, and for no other network or app', async () => {
    const appId = await givenApp({ network_wrong_tries_per_hour: 8 });
    const { granted, refusals } = await atOnce((replica, n) =>
      begin(replica, appId, `2001:db8:1:2::${n.toString(16)}`),
    );
    expect([granted.length, refusals.length]).toEqual([8, 42]);
    const [{ policy, retryAfterSeconds }] = refusals as [TooManyRequests];
    expect(policy).toEqual({ name: 'network-wrong-tries', quota: 8, windowSeconds: 3600 });
    expect(retryAfterSeconds).toBeGreaterThan(3500);
    await begin(one, appId, '2001:db8:1:3::1');
    await begin(one, appId);
    await begin(one, await givenApp(), '2001:db8:1:2::1');
    // The window slides: some of the tries leave it before the rest.
    await sql(`update send_counts set slot = slot - 61 where app_id = $1`, [appId]);
    await begin(one, appId, '2001:db8:1:2::1');
  });

  it('are bounded over the networks of an IPv6 site, at eight times those of a network, of which right ones leave', async () => {
    const appId = await givenApp({ network_wrong_tries_per_hour: 1 });
    const from = (n: number) => `2001:db8:1:${n.toString(16)}::1`;
    const { granted, refusals } = await atOnce((replica, n) => begin(replica, appId, from(n)));
    expect(granted).toHaveLength(8);
    expect(refusals[0]!.policy).toEqual({ name: 'network-wrong-tries', quota: 8, windowSeconds: 3600 });
    await one.nest.get(Transactions).run(async () => one.nest.get(WrongTries).giveBack(granted[0] as Try));
    await eventually(() => begin(one, appId, from(200)));
    await expect(begin(one, appId, from(201))).rejects.toBeInstanceOf(TooManyRequests);
  });

  it('are not the right ones, nor those of a user whose codes are locked', async () => {
    const appId = await givenApp({ network_wrong_tries_per_hour: 3, wrong_tries_per_hour: 2 });
    const ip = '192.0.2.1';
    const counted = async () =>
      (
        await sql(`select (select sum(n)::int from unnest(counts) n) as tries from send_counts where app_id = $1`, [
          appId,
        ])
      )[0] as { tries: number };
    for (let i = 0; i < 10; i++) {
      const attempt = await begin(one, appId, ip);
      await one.nest.get(Transactions).run(async () => one.nest.get(WrongTries).giveBack(attempt));
      await eventually(async () => expect(await counted()).toEqual({ tries: 0 }));
    }
    const locked = newId('user');
    for (let i = 0; i < 2; i++) await begin(one, appId, ip, locked);
    for (let i = 0; i < 10; i++) await expect(begin(two, appId, ip, locked)).rejects.toBeInstanceOf(TooManyRequests);
    expect(await counted()).toEqual({ tries: 2 });
    await begin(two, appId, ip);
    await expect(begin(one, appId, ip)).rejects.toMatchObject({ policy: { name: 'network-wrong-tries' } });
  });
});

describe('wrong tries', () => {
  const begin = (replica: TestApp, appId: AppId, userId: UserId) => replica.nest.get(WrongTries).begin(appId, userId);
  const giveBack = (attempt: Try) =>
    one.nest.get(Transactions).run(async () => one.nest.get(WrongTries).giveBack(attempt));
  const age = (appId: AppId, interval: string) =>
    sql(
      `update wrong_tries set locked_until = ((locked_until at time zone 'UTC') - $2::interval) at time zone 'UTC',
              tries = array(select at - $2::interval from unnest(tries) as at) where app_id = $1`,
      [appId, interval],
    );

  it('may be twenty in an hour, also at once; then the codes of the user are locked for 15 minutes', async () => {
    const [appId, userId] = [await givenApp(), newId('user')];
    const began = performance.now();
    const { granted, refusals } = await atOnce((replica) => begin(replica, appId, userId));
    expect(granted).toHaveLength(20);
    expect(new Set(granted.map(({ at }) => at)).size).toBe(20);
    for (const { policy, retryAfterSeconds } of refusals) {
      expect(policy).toEqual({ name: 'wrong-tries', quota: 20, windowSeconds: 3600 });
      expect(retryAfterSeconds).toBeGreaterThan(899 - secondsSince(began));
      expect(retryAfterSeconds).toBeLessThanOrEqual(900);
    }
    await begin(one, appId, newId('user'));
    await begin(one, await givenApp(), userId);

    await age(appId, '14 minutes');
    await expect(begin(one, appId, userId)).rejects.toBeInstanceOf(TooManyRequests);
    await age(appId, '1 minute');
    // The lock has expired, and the count starts at zero.
    expect((await atOnce((replica) => begin(replica, appId, userId))).granted).toHaveLength(20);
  });

  it('have a time of their own each, though the clock stands still', async () => {
    const [appId, userId] = [await givenApp(), newId('user')];
    await begin(one, appId, userId);
    await sql(`update wrong_tries set tries = array[now() + interval '1 minute'] where app_id = $1`, [appId]);
    const { at } = await begin(two, appId, userId);
    const rows = await sql(
      `select $2::timestamptz - tries[1] = interval '1 microsecond' as "isNext" from wrong_tries where app_id = $1`,
      [appId, at],
    );
    expect(rows).toEqual([{ isNext: true }]);
  });

  it('leave the count one by one after an hour', async () => {
    const [appId, userId] = [await givenApp({ wrong_tries_per_hour: 3 }), newId('user')];
    await begin(one, appId, userId);
    await age(appId, '50 minutes');
    await begin(one, appId, userId);
    await age(appId, '10 minutes 1 second');
    await begin(one, appId, userId);
    await begin(one, appId, userId);
    await expect(begin(one, appId, userId)).rejects.toBeInstanceOf(TooManyRequests);
  });

  it('do not include tries whose code was right', async () => {
    const [appId, userId] = [await givenApp({ wrong_tries_per_hour: 5 }), newId('user')];
    const { granted } = await atOnce((replica) => begin(replica, appId, userId));
    expect(granted).toHaveLength(5);
    await giveBack(granted[2]!);
    await giveBack(granted[2]!);
    expect((await atOnce((replica) => begin(replica, appId, userId))).granted).toHaveLength(1);
    for (let n = 0; n < 5; n++) await giveBack(granted[n]!);
    for (let n = 0; n < 10; n++) await giveBack(await begin(two, appId, userId));
    expect((await atOnce((replica) => begin(replica, appId, userId))).granted).toHaveLength(4);
  });

  it('of an expired count cannot be given back to the next count', async () => {
    const [appId, userId] = [await givenApp({ wrong_tries_per_hour: 1 }), newId('user')];
    const expired = await begin(one, appId, userId);
    await age(appId, '15 minutes');
    await begin(one, appId, userId);
    await giveBack(expired);
    await expect(begin(one, appId, userId)).rejects.toBeInstanceOf(TooManyRequests);
  });

  it('stay counted when their transaction fails, which also undoes a try that was given back', async () => {
    const [appId, userId] = [await givenApp({ wrong_tries_per_hour: 20 }), newId('user')];
    const transactions = two.nest.get(Transactions);
    // One after the other: each holds a connection while its try takes another, and a try that gets none is not counted.
    for (let n = 0; n < 19; n++)
      await expect(
        transactions.run(async () => {
          two.nest.get(WrongTries).giveBack(await begin(two, appId, userId));
          throw new Error('undone');
        }),
      ).rejects.toThrow('undone');
    await begin(one, appId, userId);
    await expect(begin(one, appId, userId)).rejects.toBeInstanceOf(TooManyRequests);
  });
});

describe('expired counts', () => {
  it('are deleted, and no other counts', async () => {
    const appId = await givenApp();
    const [oldUser, newUser, lockedUser] = [newId('user'), newId('user'), newId('user')];
    for (let n = 0; n < 3; n++) await one.nest.get(SendLimits).take(appId, mailbox());
    for (const userId of [oldUser, newUser, lockedUser]) await one.nest.get(WrongTries).begin(appId, userId);
    await sql(
      `update send_counts set expires_at = now() - interval '1 second' where app_id = $1 and key in (
         select key from send_counts where app_id = $1 and key like 'recipient:%' limit 2)`,
      [appId],
    );
    await sql(
      `update wrong_tries set tries = array[now() - interval '61 minutes'],
              locked_until = case when user_id = $3 then c.soon end
         from (select now() + interval '1 minute' as soon) c
        where app_id = $1 and user_id = any($2)`,
      [appId, [oldUser, lockedUser], lockedUser],
    );
    const left = async (table: string) => (await sql(`select from ${table} where app_id = $1`, [appId])).length;
    for (const table of ['send_counts', 'wrong_tries'])
      await untilScheduleDid(one, `retention.${table}`, async () => expect(await left(table)).toBe(2));
    await expect(one.nest.get(WrongTries).begin(appId, lockedUser)).rejects.toBeInstanceOf(TooManyRequests);
  });
});
