import type { AppId } from '../../src/kernel/ids.js';
import { LoginRefused, Refusals } from '../../src/kernel/refusals.js';
import { EventSequence } from '../../src/modules/events/domain/event-sequence.js';
import { Statistics } from '../../src/modules/events/domain/statistics.js';
import type { ReportRefusals } from '../../src/modules/events/report-refusals.js';
import { isDatabaseUnavailable } from '../../src/postgres/database-unavailable.js';
import { startApp, type TestApp } from '../support/app.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { DatabaseProxy } from '../support/database-proxy.js';
import { eventually } from '../support/eventually.js';
import type { GivenApp } from '../support/given.js';
import { Observer } from '../support/observer.js';

// Background work may commit without receiving the answer. It then runs again, and must not do its work twice.

let database: TestDatabase;
let proxy: DatabaseProxy;
let service: TestApp;
let shop: GivenApp;
let observer: Observer;
beforeAll(async () => {
  database = await createDatabase();
  proxy = await DatabaseProxy.start(database.url);
  service = await startApp({ env: { ROLE: 'api' }, databaseUrl: proxy.url });
  observer = await Observer.of(service);
});
beforeEach(async () => {
  shop = await service.given.app();
});
afterAll(async () => {
  await observer?.close();
  await service?.stop();
  await proxy?.stop();
  await database?.drop();
});

class WrongProof extends LoginRefused {
  static override readonly code = 'wrong_proof';
}

async function reportRefusedLogin(): Promise<void> {
  const refusals = service.nest.get<unknown>(Refusals) as ReportRefusals;
  refusals.report({
    appId: shop.id as AppId,
    network: '198.51.100.1',
    requestId: 'r',
    refusal: new WrongProof('Wrong.'),
  });
  await refusals.beforeApplicationShutdown();
}

/**
 * Carries out `work` with a statement that contains `text`, whose transaction commits without an answer. It may be repeated before: a
 * machine that pauses in the transaction loses it.
 */
async function withoutAnswer(text: string, work: () => Promise<unknown>): Promise<void> {
  let isLost = false;
  void proxy.loseAnswer(text).then(() => (isLost = true));
  await eventually(async () => {
    const isUnavailable = await work().then(() => false, isDatabaseUnavailable);
    expect([isUnavailable, isLost]).toEqual([true, true]);
  });
}

/** The first batch of an app only makes its row. */
const IDLE = { sequenced: 0, hasMore: false };

async function untilSequenced(): Promise<void> {
  await eventually(async () => expect(await service.nest.get(EventSequence).advance('')).toMatchObject(IDLE));
}

const failedLogins = () =>
  observer.rows(`select position::int from stored_events where app_id = $1 and type = 'login.failed'`, [shop.id]);

it('a refused login that is reported again is one event', async () => {
  const lost = proxy.loseAnswer('insert into refusals');
  await Promise.all([reportRefusedLogin(), lost]);
  await reportRefusedLogin();
  expect(await failedLogins()).toHaveLength(1);
});

it('events get their positions once', async () => {
  await untilSequenced();
  await reportRefusedLogin();
  await withoutAnswer('delete from unsequenced_events', () => service.nest.get(EventSequence).advance(''));
  await untilSequenced();
  const [{ last }] = (await observer.rows<{ last: number }>(
    `select last_position::int as last from event_positions where app_id = $1`,
    [shop.id],
  )) as [{ last: number }];
  expect(await failedLogins()).toEqual([{ position: last }]);
});

it('events are counted once', async () => {
  await reportRefusedLogin();
  await untilSequenced();
  const statistics = service.nest.get(Statistics);
  await withoutAnswer('insert into event_statistics', () => statistics.count());
  await eventually(async () => expect(await statistics.count()).toBe(false));
  expect(
    await observer.rows(`select value::int from event_statistics where app_id = $1 and metric = 'login_failures'`, [
      shop.id,
    ]),
  ).toEqual([{ value: 1 }]);
});
