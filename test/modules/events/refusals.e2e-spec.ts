import { setTimeout as pause } from 'node:timers/promises';
import { TooManyRequests } from '../../../src/kernel/errors.js';
import { type AppId, newId } from '../../../src/kernel/ids.js';
import type { Log } from '../../../src/kernel/log.js';
import { LoginRefused, Refusals } from '../../../src/kernel/refusals.js';
import { ReportRefusals } from '../../../src/modules/events/report-refusals.js';
import { keyOf, type RefusalBatch, RefusalCounts } from '../../../src/services/refusals/refusal-counts.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually, untilAvailable } from '../../support/eventually.js';
import type { GivenApp } from '../../support/given.js';
import { Observer } from '../../support/observer.js';

let app: TestApp;
let replica: TestApp;
let shop: GivenApp;
let observer: Observer;
const logged: string[] = [];
beforeAll(async () => {
  const env = { TRUST_PROXY: 'loopback' };
  app = await startApp({ env: { ...env, LOG_LEVEL: 'info' }, log: { write: (line) => logged.push(line) } });
  replica = await startApp({ databaseUrl: app.databaseUrl, env });
  observer = await Observer.of(app);
  shop = await app.given.app({ default_wallet_type: 'none' });
});
afterAll(async () => {
  await observer?.close();
  await replica?.stop();
  await app?.stop();
});

interface Reported {
  readonly type: string;
  readonly data: { readonly class: string; readonly user_id?: string };
}
const reportedOf = (appId: string) =>
  observer.rows<Reported>(
    `select type, data from stored_events where app_id = $1 and type in ('login.failed', 'limit.reached') order by position, seq`,
    [appId],
  );
const ofUser = async (userId: string) => (await reportedOf(shop.id)).filter(({ data }) => data.user_id === userId);

/** Resolves when neither replica has a report to write. */
const written = () =>
  Promise.all(
    [app, replica].map(({ nest }) => (nest.get<unknown>(Refusals) as ReportRefusals).beforeApplicationShutdown()),
  );

async function enrolled(): Promise<string> {
  const { user_id } = await app.given.user(shop);
  await app.call('POST', '/v1/auth/totps/create', { key: shop.secretKey, body: { user_id } });
  return user_id;
}
const tryCode = (userId: string, totp = '000000', at = app, from = '203.0.113.7') =>
  at.call('POST', '/v1/auth/totps/verify', {
    key: shop.secretKey,
    body: { user_id: userId, totp },
    headers: { 'x-forwarded-for': from },
  });

describe('a refused login', () => {
  it('is found by the request id that the caller reports: in its event, and with its user in the log line of each refused call', async () => {
    const user = await enrolled();
    const [first, second] = [await tryCode(user), await tryCode(user)].map(({ headers }) =>
      headers.get('x-request-id')!,
    );
    await eventually(async () =>
      expect(await ofUser(user)).toEqual([
        { type: 'login.failed', data: { class: 'invalid_totp', request_id: first, user_id: user, reason: 'wrong' } },
      ]),
    );
    for (const id of [first!, second!])
      expect(logged.filter((line) => line.includes(id)).map((line) => JSON.parse(line) as object)).toEqual([
        expect.objectContaining({ request_id: id, error_type: 'invalid_totp', app_id: shop.id, user_id: user }),
      ]);
  });

  it('is one event a minute for each user and class, whichever replica refuses it and however often', async () => {
    const [ann, bob] = [await enrolled(), await enrolled()];
    for (let round = 0; round < 10; round++)
      await Promise.all(Array.from({ length: 20 }, (_, n) => tryCode(ann, '000000', n % 2 ? app : replica)));
    const { headers } = await tryCode(bob);
    await eventually(async () => expect(await ofUser(bob)).not.toHaveLength(0));
    await written();
    expect(await ofUser(ann)).toEqual(
      expect.arrayContaining([
        {
          type: 'login.failed',
          data: { class: 'invalid_totp', request_id: expect.any(String), user_id: ann, reason: 'wrong' },
        },
        { type: 'limit.reached', data: { class: expect.stringMatching(/-tries$/), user_id: ann } },
      ]),
    );
    const tooEarly = await observer.rows(
      `select * from (select type, data, created_at - lag(created_at) over (partition by type, data ->> 'class', data ->> 'user_id' order by created_at) as gap
                        from stored_events where app_id = $1 and type in ('login.failed', 'limit.reached')) e
        where gap < interval '1 minute'`,
      [shop.id],
    );
    expect(tooEarly).toEqual([]);
    expect((await ofUser(bob)).slice(0, 1)).toEqual([
      {
        type: 'login.failed',
        data: { class: 'invalid_totp', request_id: headers.get('x-request-id'), user_id: bob, reason: 'wrong' },
      },
    ]);
  });

  it('is an event for each client network', async () => {
    const user = await enrolled();
    await tryCode(user, '000000', app, '203.0.113.8');
    await tryCode(user, '000000', replica, '203.0.113.9');
    // Of the same /64.
    await tryCode(user, '000000', app, '2001:db8::1');
    await tryCode(user, '000000', replica, '2001:db8::2');
    await eventually(async () => expect(await ofUser(user)).toHaveLength(3));
    await written();
    expect(await ofUser(user)).toHaveLength(3);
  });

  it('is reported again after a minute', async () => {
    const user = await enrolled();
    await tryCode(user);
    await eventually(async () => expect(await ofUser(user)).toHaveLength(1));
    await observer.rows(
      `update refusals set since = ((since at time zone 'UTC') - interval '1 minute') at time zone 'UTC' where app_id = $1`,
      [shop.id],
    );
    // Another replica does not remember the first event.
    await tryCode(user, '000001', replica);
    await eventually(async () => expect(await ofUser(user)).toHaveLength(2));
  });

  it('without a known user has no user in its event', async () => {
    const strangers = await app.given.app();
    await app.call('POST', '/v1/auth/magic_links/verify', {
      key: strangers.secretKey,
      body: { token: 'x'.repeat(43) },
    });
    await eventually(async () =>
      expect(await reportedOf(strangers.id)).toEqual([
        { type: 'login.failed', data: { class: 'invalid_magic_token', request_id: expect.any(String) } },
      ]),
    );
  });

  it('at an identity provider is an event too', async () => {
    const acme = await app.given.app();
    await app.given.redirectUrl(acme, 'login', 'https://app.example/login');
    await app.given.redirectUrl(acme, 'registration', 'https://app.example/registration');
    const { id } = await app.given.connection(acme, { provider: 'github', client_id: 'c', client_secret: 's' });
    const begun = await app.call('GET', '/v1/auth/oauth/github/begin', { query: { public_token: acme.publicToken } });
    const state = new URL(begun.body.redirect_url).searchParams.get('state')!;
    const back = await app.call('GET', `/v1/auth/oauth/callback/${id}`, { query: { state, error: 'access_denied' } });
    expect(back.headers.get('location')).toContain('error=access_denied');
    await eventually(async () =>
      expect(await reportedOf(acme.id)).toEqual([
        { type: 'login.failed', data: { class: 'access_denied', request_id: expect.any(String) } },
      ]),
    );
  });

  it('of a request that is not valid is no event', async () => {
    const acme = await app.given.app();
    const { user_id } = await app.given.user(acme);
    const call = (body: object) => app.call('POST', '/v1/auth/totps/verify', { key: acme.secretKey, body });
    expect((await call({ user_id, totp: 'no code' })).status).toBe(400);
    expect((await call({ user_id: newId('user'), totp: '000000' })).status).toBe(404);
    await written();
    expect(await reportedOf(acme.id)).toEqual([]);
  });
});

describe('two replicas', () => {
  it('publish one event when they report at the same moment', async () => {
    const reports = Array.from({ length: 50 }, (_, n) => ({
      class: { reason: `key ${n}`, actor: '', network: '' },
      count: 1,
      first: [{ type: 'login.failed', appId: shop.id as AppId, data: { class: `simultaneous_${n}` } }],
    }));
    const publish = (at: TestApp, process: string, refused: typeof reports) =>
      untilAvailable(() =>
        at.nest.get(RefusalCounts).store(at.nest.get(ReportRefusals), { appId: shop.id, process, number: 1, refused }),
      );
    const answers = await Promise.all([
      publish(app, 'a', reports),
      publish(replica, 'b', reports.toReversed()),
      publish(app, 'c', reports),
      publish(replica, 'd', reports.toReversed()),
    ]);
    const classes = (await reportedOf(shop.id))
      .map(({ data }) => data.class)
      .filter((name) => name.startsWith('simult'));
    expect(classes).toHaveLength(50);
    expect(new Set(classes).size).toBe(50);
    for (const answer of answers) {
      expect(answer.size).toBe(50);
      for (const seconds of answer.values()) expect(seconds).toBeGreaterThan(0);
    }
  });
});

class WrongProof extends LoginRefused {
  static override readonly code = 'wrong_proof';
}

/** Answers as the database does, and counts. */
class CountedReports extends RefusalCounts {
  readonly batches: RefusalBatch<unknown>['refused'][] = [];
  quietSeconds = 60;
  failure: Error | undefined;

  constructor() {
    super(undefined as never, undefined as never);
  }

  override async store(_: unknown, { refused }: RefusalBatch<unknown>): Promise<ReadonlyMap<string, number>> {
    this.batches.push(refused);
    if (this.failure) throw this.failure;
    return new Map(refused.map((each) => [keyOf(each.class), this.quietSeconds]));
  }

  override async end(): Promise<void> {}
}

describe('reporting', () => {
  const appId = newId('app');
  const ignored = () => undefined;
  const log = { info: ignored, warn: ignored, error: ignored, debug: ignored } as Log;
  let calls = 0;
  const refused = (network: string) => ({ appId, network, requestId: `${calls++}`, refusal: new WrongProof('no') });

  it('writes nothing for 10,000 exceeded limits of a kind that is already reported', async () => {
    const reported = new CountedReports();
    const refusals = new ReportRefusals(reported, log, undefined as never, undefined as never);
    const exceeded = { ...refused('203.0.113.7'), refusal: new TooManyRequests(1) };
    for (let round = 0; round < 2; round++) {
      for (let n = 0; n < 10_000; n++) refusals.report(exceeded);
      await refusals.beforeApplicationShutdown();
    }
    expect(reported.batches.map(({ length }) => length)).toEqual([1]);
  });

  it('counts 10,000 refused logins of a kind that is already reported, in one row', async () => {
    const reported = new CountedReports();
    const refusals = new ReportRefusals(reported, log, undefined as never, undefined as never);
    for (let round = 0; round < 2; round++) {
      for (let n = 0; n < 10_000; n++) refusals.report(refused('203.0.113.7'));
      await refusals.beforeApplicationShutdown();
    }
    expect(reported.batches.map((batch) => batch.map(({ count, first }) => [count, first.length]))).toEqual([
      [[10_000, 1]],
      [[10_000, 0]],
    ]);
  });

  it('reports again when the minute of the database has passed', async () => {
    const reported = new CountedReports();
    reported.quietSeconds = 0;
    const refusals = new ReportRefusals(reported, log, undefined as never, undefined as never);
    refusals.report(refused('203.0.113.7'));
    await refusals.beforeApplicationShutdown();
    await pause(1);
    refusals.report(refused('203.0.113.7'));
    await refusals.beforeApplicationShutdown();
    expect(reported.batches).toHaveLength(2);
  });

  it('reports a refusal that comes after the hook of the shutdown has written the one before', async () => {
    const reported = new CountedReports();
    const refusals = new ReportRefusals(reported, log, undefined as never, undefined as never);
    refusals.report(refused('203.0.113.7'));
    await refusals.beforeApplicationShutdown();
    refusals.report(refused('203.0.113.8'));
    await eventually(() => expect(reported.batches).toHaveLength(2));
  });

  it('reports again after a failure of the database', async () => {
    const reported = new CountedReports();
    reported.failure = new Error('unavailable');
    const refusals = new ReportRefusals(reported, log, undefined as never, undefined as never);
    refusals.report(refused('203.0.113.7'));
    await refusals.beforeApplicationShutdown();
    reported.failure = undefined;
    refusals.report(refused('203.0.113.7'));
    await refusals.beforeApplicationShutdown();
    // The batch that failed, the same batch again, and the refusal that came after it.
    expect(reported.batches.map((batch) => batch.map(({ count }) => count))).toEqual([[1], [1], [1]]);
  });

  it('keeps a flood from many networks within bounds', async () => {
    const reported = new CountedReports();
    const refusals = new ReportRefusals(reported, log, undefined as never, undefined as never);
    for (let n = 0; n < 5_000; n++) refusals.report(refused(`network ${n}`));
    refusals.report({ appId: newId('app'), network: 'a', requestId: 'r', refusal: new TooManyRequests(1) });
    await refusals.beforeApplicationShutdown();
    // The last class of the app has the refusals beyond the bound.
    expect(reported.batches.map(({ length }) => length)).toEqual([500, 500, 1, 1]);
    expect(reported.batches.flat().reduce((sum, { count }) => sum + count, 0)).toBe(5_001);
  });
});
