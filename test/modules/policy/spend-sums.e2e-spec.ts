import { setTimeout as sleep } from 'node:timers/promises';
import type { AppId } from '../../../src/kernel/ids.js';
import { Transactions } from '../../../src/kernel/transactions.js';
import type { Window } from '../../../src/modules/policy/rules/domain/policy.js';
import { type CountedRule, SpendRepository } from '../../../src/modules/policy/budgets/domain/spend.repository.js';
import type { Used } from '../../../src/modules/policy/rules/domain/verdict.js';
import { Database } from '../../../src/postgres/database.js';
import { startApp, type TestApp } from '../../support/app.js';
import { signRows } from '../../support/row-macs.js';
import { policyOf, ruleOf, windowOf } from './builders.js';
import { Chance } from './random-policies.js';

let service: TestApp;
let database: Database;
let spends: SpendRepository;
beforeAll(async () => {
  service = await startApp({ env: { ROLE: 'api' } });
  database = service.nest.get(Database);
  spends = service.nest.get(SpendRepository);
});
afterAll(() => service.stop());

/** Rolls the transaction back, as a denial does. */
class Denied extends Error {}

const SEEDS = [1, 2, 3];
const STEPS = 250;
const STEPS_OF_CLOCK = [-70, -1.2, -0.3, 0.3, 1.2, 70];
const DESTINATIONS = ['0xA', '0xB', '0xC'];
/** Versions of one rule: each counts in other windows. The windows are short, so that events leave them while the test runs. */
const VERSIONS: readonly Window[][] = [
  [windowOf({ seconds: 1, maxAmount: 1n })],
  [windowOf({ seconds: 1, maxCount: 1, per: 'destination' }), windowOf({ seconds: 2, maxAmount: 1n })],
  [windowOf({ seconds: 2, maxCount: 1 }), windowOf({ seconds: 2, maxAmount: 1n, per: 'destination' })],
  [windowOf({ seconds: 60, maxCount: 1 }), windowOf({ seconds: 60, maxAmount: 1n })],
];

const counted = (windows: Window[], destinations: readonly string[]): CountedRule => ({
  policy: policyOf([], { name: 'main' }),
  rule: ruleOf('allow', 'pays', {}, windows),
  destinations: new Set(destinations),
});

/** The sum of a window, from all events. */
async function naiveSum(
  appId: AppId,
  { seconds }: Window,
  to: string | null,
  now: Date,
  operationId: string,
): Promise<Used> {
  const [row] = await database.write<{ amount: string; count: number }>(
    `select coalesce(sum(amount), 0)::text as amount, (count(*) filter (where part = 0 or $3::text is not null))::int as count
       from spend_events
      where app_id = $1 and released_at is null and (is_held or greatest(at, settled_at) > $4::timestamptz - make_interval(secs => $2))
        and ($3::text is null or destination = $3) and operation_id <> $5`,
    [appId, seconds, to, now, operationId],
  );
  return { amount: BigInt(row!.amount), count: row!.count };
}

/** Moves everything that was stored, as if the clock of the database had stepped the other way: to a server whose clock differs, for example. */
async function move(appId: AppId, seconds: number): Promise<void> {
  const moved = (column: string): string =>
    `${column} = ((${column} at time zone 'UTC') + make_interval(secs => $2)) at time zone 'UTC'`;
  await database.write(`update spend_events set ${moved('at')}, ${moved('settled_at')} where app_id = $1`, [
    appId,
    seconds,
  ]);
  await database.write(`update spend_sums set ${moved('since')} where app_id = $1`, [appId, seconds]);
  await signSpends();
}

/** Gives what a test has written the MACs that the service would have written. */
async function signSpends(): Promise<void> {
  for (const table of ['spend_events', 'spend_sums']) await signRows(service, table);
}

/** Holds 7 units, to the only destination that the rule counts apart, or to none. Returns what its windows had counted before. */
async function pay(appId: AppId, rule: CountedRule, operationId: string): Promise<Used[]> {
  const [destination = null] = rule.destinations;
  return service.nest.get(Transactions).run(async () => {
    const { usage, spend } = await spends.count(appId, [rule], [operationId]);
    spend(operationId, [{ ...rule, parts: [{ destination, amount: 7n }] }], true);
    return rule.rule.windows.map((window) => usage(rule, window, window.per === 'policy' ? null : destination));
  });
}

it.each(SEEDS)(
  'stored sums are those of all events: counted, held, moved and given back, with a clock that steps (seed %d)',
  async (seed) => {
    const appId = `app_${seed}` as AppId;
    const chance = new Chance(seed);
    const held: string[] = [];
    const seen = { expired: 0, moved: 0, released: 0, settled: 0 };
    for (let step = 0; step < STEPS; step++) {
      if (chance.is(0.02)) await sleep(400);
      if (chance.is(0.1)) await move(appId, STEPS_OF_CLOCK[chance.below(STEPS_OF_CLOCK.length)]!);
      const version = VERSIONS[chance.below(VERSIONS.length)]!;
      const isMoved = held.length > 0 && chance.is(0.2);
      const operationId = isMoved ? held[chance.below(held.length)]! : `operation${step}`;
      const parts = Array.from({ length: 1 + chance.below(2) }, () => ({
        destination: chance.is(0.1) ? null : DESTINATIONS[chance.below(DESTINATIONS.length)]!,
        amount: BigInt(chance.below(100)) * 10n ** 60n,
      }));
      const destinations = parts.flatMap(({ destination }) => destination ?? []);
      const rule = counted(version, destinations);
      const isHeld = chance.is(0.5);
      const isDenied = chance.is(0.2);
      await service.nest
        .get(Transactions)
        .run(async () => {
          const { usage, now, spend } = await spends.count(appId, [rule], [operationId]);
          for (const window of version)
            for (const to of window.per === 'policy' || destinations.length === 0 ? [null] : destinations) {
              const expected = await naiveSum(appId, window, to, now, operationId);
              expect({ step, ...usage(rule, window, to) }).toEqual({ step, ...expected });
              const ever = await naiveSum(appId, windowOf({ seconds: 3_600 }), to, now, operationId);
              if (ever.amount > expected.amount) seen.expired++;
            }
          if (isDenied) throw new Denied();
          spend(operationId, [{ ...rule, parts }], isHeld || isMoved);
        })
        .catch((error: unknown) => {
          if (!(error instanceof Denied)) throw error;
        });
      if (isDenied) continue;
      if (isMoved) seen.moved++;
      else if (isHeld) held.push(operationId);
      if (held.length > 0 && chance.is(0.3)) {
        const isSpent = chance.is(0.5);
        seen[isSpent ? 'settled' : 'released']++;
        const [ended] = held.splice(chance.below(held.length), 1);
        await service.nest.get(Transactions).run(async () => spends.settle(appId, ended!, isSpent ? new Date() : null));
      }
    }
    const wrong = await database.write(
      `select s.* from spend_sums s cross join lateral (
       select coalesce(sum(amount), 0) as amount, count(*) filter (where part = 0 or s.destination <> '') as count
         from spend_events e where e.app_id = $1 and is_summed and at > s.since and s.destination in ('', e.destination)) e
      where s.app_id = $1 and (s.amount, s.count) <> (e.amount, e.count)`,
      [appId],
    );
    expect(wrong).toEqual([]);
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(10);
  },
);

it('a sum from longer ago than its window is made anew: the events in between may be removed', async () => {
  const appId = 'app_old' as AppId;
  const rule = counted([windowOf({ seconds: 60, maxCount: 9 })], []);
  expect(await pay(appId, rule, 'first')).toEqual([{ amount: 0n, count: 0 }]);
  // After an event that has left the window, and by a clock that was ahead.
  for (const [index, since] of [Date.now() - 130_000, Date.now() + 140_000].entries()) {
    await database.write(`update spend_sums set since = $2, amount = amount + 5, count = count + 1 where app_id = $1`, [
      appId,
      new Date(since),
    ]);
    await signSpends();
    expect(await pay(appId, rule, `later${index}`)).toEqual([{ amount: 7n * BigInt(index + 1), count: index + 1 }]);
  }
});

it('a given-back event is read until the next spend of its rule, which takes it off the sums', async () => {
  const appId = 'app_back' as AppId;
  const rule = counted(
    [windowOf({ seconds: 60, maxCount: 9, per: 'destination' }), windowOf({ seconds: 60, maxAmount: 1n })],
    ['0xA'],
  );
  const summed = () => database.write('select amount::int from spend_sums where app_id = $1', [appId]);
  for (let i = 0; i < 3; i++) {
    expect(await pay(appId, rule, `operation${i}`)).toEqual(Array(2).fill({ amount: 0n, count: 0 }));
    expect(await summed()).toEqual(Array(2).fill({ amount: 7 }));
    await service.nest.get(Transactions).run(async () => spends.settle(appId, `operation${i}`, null));
  }
});

it('a settled event counts from its settlement, which the next spend of its rule stores in the sums', async () => {
  const appId = 'app_settled' as AppId;
  const rule = counted(
    [windowOf({ seconds: 60, maxCount: 9, per: 'destination' }), windowOf({ seconds: 60, maxAmount: 1n })],
    ['0xA'],
  );
  const summed = () => database.write('select amount::int from spend_sums where app_id = $1', [appId]);
  const age = (column: string) =>
    database.write(
      `update spend_events set ${column} = ((${column} at time zone 'UTC') - interval '70 seconds') at time zone 'UTC' where app_id = $1`,
      [appId],
    );
  await pay(appId, rule, 'stuck');
  await age('at');
  await signSpends();
  await database.write('delete from spend_sums where app_id = $1', [appId]);
  await service.nest.get(Transactions).run(async () => spends.settle(appId, 'stuck', new Date()));
  const { windows } = await spends.inspect(appId, [rule]);
  for (const { all, held, oldest } of windows) {
    expect([all, held]).toEqual([
      { amount: 7n, count: 1 },
      { amount: 0n, count: 0 },
    ]);
    expect(Math.abs(oldest!.getTime() - Date.now())).toBeLessThan(30_000);
  }
  expect(await pay(appId, rule, 'next')).toEqual(Array(2).fill({ amount: 7n, count: 1 }));
  expect(await summed()).toEqual(Array(2).fill({ amount: 14 }));
  expect(await database.write('select from spend_events where app_id = $1 and settled_at > at', [appId])).toEqual([]);
  expect(await pay(appId, rule, 'last')).toEqual(Array(2).fill({ amount: 14n, count: 2 }));
});
