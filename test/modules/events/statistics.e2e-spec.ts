import { Statistics } from '../../../src/modules/events/domain/statistics.js';
import { Database } from '../../../src/postgres/database.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import type { GivenApp } from '../../support/given.js';
import { codeIn, Inbox } from '../../support/inbox.js';
import { Observer } from '../../support/observer.js';
import { signIn } from '../../support/sign-in.js';
import { statementsOf } from '../../support/statements.js';

let service: TestApp;
let inbox: Inbox;
let observer: Observer;
let app: GivenApp;
beforeAll(async () => {
  inbox = await Inbox.start();
  service = await startApp({ env: { ...inbox.env, ROLE: 'all' } });
  observer = await Observer.of(service);
  app = await service.given.app();
});
afterAll(async () => {
  await observer?.close();
  await service?.stop();
  await inbox?.stop();
});

const get = (query = '', appId = app.id) =>
  service.call('GET', `/management/v1/apps/${appId}/statistics${query}`, { key: service.managementKey });
/** The sums by metric and label. */
async function sums(query = '', appId?: string): Promise<Record<string, number>> {
  const { status, body } = await get(query, appId);
  expect(status).toBe(200);
  const totals: Record<string, number> = {};
  for (const { metric, labels, value } of body.statistics) {
    const name = [metric, ...Object.values(labels)].join(' ');
    totals[name] = (totals[name] ?? 0) + value;
  }
  return totals;
}

describe('statistics', () => {
  it('count sessions that begin by method, not logins without one, and sends and signatures, within seconds', async () => {
    const { user_id } = await service.given.user(app);
    for (let i = 0; i < 3; i++) await signIn(service, app, { user_id });
    const email = 'ann@example.com';
    const path = '/v1/auth/otps/email/login_or_create';
    for (const session of [{}, { session_expires_in: 60 }]) {
      const { answer, message } = await inbox.after(email, () =>
        service.call('POST', path, { key: app.secretKey, body: { email, expires_in: 10 } }),
      );
      const body = { method_id: answer.body.email_id, otp: codeIn(message), ...session };
      expect((await service.call('POST', '/v1/auth/otps/verify', { key: app.secretKey, body })).status).toBe(200);
    }
    const { body } = await service.call('GET', `/v1/wallets/list?user_id=${user_id}`, { key: app.secretKey });
    await service.call('POST', `/v1/wallets/${body.wallets[0].id}/sign_message`, {
      key: app.secretKey,
      body: { message: 'x' },
    });
    await eventually(async () =>
      expect(await sums()).toMatchObject({ 'logins otp': 4, 'sends mail': 2, 'signatures message': 1 }),
    );
    expect(await sums('?metric=sends&step=day')).toEqual({ 'sends mail': 2 });
    expect(await sums('?metric=transfers')).toEqual({});
  });

  it('count an app although fifty others always have more to count', async () => {
    const database = service.nest.get(Database);
    const quiet = await service.given.app();
    await service.given.user(quiet);
    const ids = Array.from({ length: 50 }, (_, n) => `app_00busy${n}`);
    await database.write(
      'insert into event_positions (app_id, last_position) select id, 1000000000 from unnest($1::text[]) id',
      [ids],
    );
    await database.write(
      'insert into counted_events (app_id, sequenced_at) select id, now() from unnest($1::text[]) id',
      [ids],
    );
    try {
      await signIn(service, quiet, { user_id: (await service.given.user(quiet)).user_id });
      await eventually(async () => expect(await sums('', quiet.id)).toMatchObject({ 'logins otp': 1 }));
    } finally {
      for (const table of ['event_positions', 'counted_events'])
        await database.write(`delete from ${table} where app_id = any($1::text[])`, [ids]);
    }
  });

  it('count every refused login, although its event is published once a minute', async () => {
    const shop = await service.given.app();
    const { email, email_id } = await service.given.user(shop);
    const post = (path: string, body: object) => service.call('POST', path, { key: shop.secretKey, body });
    expect((await post('/v1/auth/otps/email/send', { email, expires_in: 10 })).status).toBe(200);
    for (let n = 0; n < 20; n++) await post('/v1/auth/otps/verify', { method_id: email_id, otp: '000000' });
    await eventually(async () =>
      expect(await sums('?metric=login_failures', shop.id)).toEqual({
        'login_failures invalid_otp': 5,
        'login_failures otp_attempts_exceeded': 15,
      }),
    );
  });

  it('count each event once, however many processes count, and events from before too', async () => {
    const other = await service.given.app();
    // A full log from before the statistics: two days, more events than one run counts.
    await observer.rows(
      `insert into event_positions (app_id, last_position, last_sequenced_at) values ($1, 0, now()) on conflict (app_id) do nothing`,
      [other.id],
    );
    const [before] = await eventually(async () => {
      const rows = await observer.rows<{ last: number }>(
        `select last_position::int as last from event_positions where app_id = $1 and last_position > 0`,
        [other.id],
      );
      expect(rows).toHaveLength(1);
      return rows;
    });
    await observer.rows(
      `with logged as (
         insert into event_log (app_id, id, position, type, created_at, sequenced_at, body)
         select $1, 'evt_' || lpad(i::text, 26, '0'), $2 + i, 'transfer.' || case when i % 2 = 0 then 'completed' else 'failed' end,
           now() - case when i <= 2500 then interval '1 day' else interval '0' end, now(), '{}'
           from generate_series(1, 5000) i)
       update event_positions set last_position = last_position + 5000, last_sequenced_at = now() where app_id = $1`,
      [other.id, before!.last],
    );
    const statistics = service.nest.get(Statistics, { strict: false });
    const work = async () => {
      while (await statistics.count());
    };
    await Promise.all([work(), work(), work(), work()]);
    await eventually(async () => {
      await work();
      const since = Math.floor(Date.now() / 1000) - 3 * 86_400;
      expect(await sums(`?step=day&metric=transfers&since=${since}`, other.id)).toEqual({
        'transfers completed': 2_500,
        'transfers failed': 2_500,
      });
    });
    expect(await sums('', app.id)).not.toHaveProperty('transfers completed');
  });

  it('are read from the counts only', async () => {
    const sent = await statementsOf(() => get());
    for (const { text } of sent) expect(text).not.toMatch(/event_log|from messages|count\(/);
    expect(sent.length).toBeLessThanOrEqual(2);
  });

  it.each([
    'metric=x',
    'metric=__proto__',
    'step=minute',
    'since=x',
    'since=-1',
    'since=1',
    'since=99999999999999',
    'until=1.5',
    'step=day&since=1',
    `step=hour&since=${Math.floor(Date.now() / 1000) - 31 * 86_400 - 7_200}`,
  ])('refuse %s', async (query) => {
    const answer = await get(`?${query}`);
    expect([query, answer.status, answer.body.error_type]).toEqual([query, 400, 'invalid_request']);
  });

  it('of an unknown app are not found', async () => {
    expect((await get('', `app_${'0'.repeat(26)}`)).body.error_type).toBe('app_not_found');
    expect((await get('?since=10&until=5')).body).toEqual({ statistics: [] });
  });
});
