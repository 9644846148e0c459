import { setTimeout as sleep } from 'node:timers/promises';
import type { AppId } from '../../../../src/kernel/ids.js';
import { Transactions } from '../../../../src/kernel/transactions.js';
import type { Window } from '../../../../src/modules/policy/rules/domain/policy.js';
import { type CountedRule, SpendRepository } from '../../../../src/modules/policy/budgets/domain/spend.repository.js';
import type { Used } from '../../../../src/modules/policy/rules/domain/verdict.js';
import { Database } from '../../../../src/postgres/database.js';
import { startApp, type TestApp } from '../../../support/app.js';
import { DatabaseUnavailable } from '../../../../src/kernel/errors.js';
import { planOf, rowsRead } from '../../../support/plans.js';
import { signRows } from '../../../support/row-macs.js';
import { statementsOf } from '../../../support/statements.js';
import { policyOf, ruleOf, windowOf } from '../builders.js';
import { Chance } from '../random-policies.js';

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

const MANY = { counted: 1_000, caughtUp: 2_000, shown: 10_000, ofWindow: 20, catchesUpMs: 5_000 };
/** With these even a short history takes several portions. */
const FEW = { ...MANY, counted: 2, caughtUp: 3, ofWindow: 1 };

/** How many events are read at once. */
const reads = (most: typeof MANY) => void Object.assign((spends as unknown as { most: typeof MANY }).most, most);
afterEach(() => reads(MANY));

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
      reads(chance.is(0.5) ? FEW : MANY);
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
  // After an event that has left the window; and by a clock that was ahead, so that it holds none.
  for (const [index, [since, amount, count]] of [
    [Date.now() - 130_000, 12, 2],
    [Date.now() + 140_000, 0, 0],
  ].entries()) {
    await database.write('update spend_sums set since = $2, amount = $3, count = $4 where app_id = $1', [
      appId,
      new Date(since!),
      amount,
      count,
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

describe('of a long history', () => {
  const HOUR = 3_600;
  const hourly = () => counted([windowOf({ seconds: HOUR, maxAmount: 1n })], []);

  /** Spends of one unit, one a second, the last of them so many seconds ago. */
  async function spent(appId: AppId, number: number, ago: number, to: string | null = null, isHeld = false) {
    await database.write(
      `insert into spend_events (app_id, policy_name, rule_id, operation_id, part, destination, amount, at, is_held)
       select $1, 'main', 'pays', 'past' || coalesce($4::text, '') || i, 0, $4, 1,
              date_trunc('milliseconds', clock_timestamp()) - make_interval(secs => $3 + i), $5
         from generate_series(1, $2::int) as i`,
      [appId, number, ago, to, isHeld],
    );
    await signSpends();
  }

  /** The numbers of rows of each statement that counts. */
  async function rowsCounted(work: () => Promise<unknown>): Promise<number[]> {
    const write = jest.spyOn(database, 'write');
    try {
      await work();
      const counts = write.mock.calls.map(([sql], i) =>
        sql.includes('"sumMac"') ? write.mock.results[i]!.value : null,
      );
      const rows = await Promise.allSettled(counts.filter((each) => each !== null));
      return rows.flatMap((each) => (each.status === 'fulfilled' ? [(each.value as unknown[]).length] : []));
    } finally {
      write.mockRestore();
    }
  }

  it('a window without a sum is summed in portions, and then from its sum', async () => {
    const appId = 'app_long' as AppId;
    reads({ ...MANY, counted: 20, caughtUp: 100 });
    await spent(appId, 500, 60);
    const first = await rowsCounted(async () => {
      expect(await pay(appId, hourly(), 'first')).toEqual([{ amount: 500n, count: 500 }]);
    });
    expect(Math.max(...first)).toBeLessThan(110);
    expect(first.length).toBeLessThan(10);
    const second = await rowsCounted(async () => {
      expect(await pay(appId, hourly(), 'second')).toEqual([{ amount: 507n, count: 501 }]);
    });
    expect(second.reduce((sum, rows) => sum + rows, 0)).toBeLessThan(10);
  });

  it('a call that has to stop says so, and the next one goes on from there', async () => {
    const appId = 'app_stopped' as AppId;
    reads({ ...MANY, counted: 20, caughtUp: 100, catchesUpMs: -1 });
    await spent(appId, 500, 60);
    const rows: number[] = [];
    let stopped = 0;
    for (let paid = false; !paid;) {
      const read = await rowsCounted(async () => {
        const refused: unknown = await pay(appId, hourly(), 'first').catch((error: unknown) => error);
        paid = Array.isArray(refused);
        if (paid) return expect(refused).toEqual([{ amount: 500n, count: 500 }]);
        expect(refused).toBeInstanceOf(DatabaseUnavailable);
        expect((refused as Error).message).toMatch(/^The spends of main are being summed/);
        stopped++;
      });
      rows.push(...read);
    }
    expect(stopped).toBe(4);
    // Each call reads a few to see that the sum is behind.
    expect(rows.reduce((sum, each) => sum + each, 0)).toBeLessThan(500 + 11 * 25);
  });

  it('events that have left a window at once are taken off its sum in portions', async () => {
    const appId = 'app_left' as AppId;
    reads({ ...MANY, counted: 20, caughtUp: 100 });
    await spent(appId, 300, HOUR - 400);
    expect(await pay(appId, hourly(), 'first')).toEqual([{ amount: 300n, count: 300 }]);
    await move(appId, -1_000);
    const rows = await rowsCounted(async () => {
      expect(await pay(appId, hourly(), 'second')).toEqual([{ amount: 7n, count: 1 }]);
    });
    expect(Math.max(...rows)).toBeLessThan(110);
    expect(rows.length).toBeGreaterThan(3);
  });

  it('payments that are pending for longer than the window are read once, and settled meanwhile', async () => {
    const appId = 'app_pending' as AppId;
    const transactions = service.nest.get(Transactions);
    reads({ ...MANY, counted: 20, caughtUp: 100 });
    await spent(appId, 300, 2 * HOUR, null, true);
    let [end, begun] = [(): void => undefined, (): void => undefined];
    const isBegun = new Promise<void>((resolve) => (begun = resolve));
    const settled = transactions.run(async () => {
      await spends.settle(appId, 'past7', null);
      begun();
      await new Promise<void>((resolve) => (end = resolve));
    });
    await isBegun;
    try {
      expect(await pay(appId, hourly(), 'first')).toEqual([{ amount: 300n, count: 300 }]);
    } finally {
      end();
      await settled;
    }
    const rows = await rowsCounted(async () => {
      expect(await pay(appId, hourly(), 'second')).toEqual([{ amount: 306n, count: 300 }]);
    });
    expect(Math.max(...rows)).toBeLessThan(25);
    await transactions.run(() => spends.settle(appId, 'past8', null));
    expect(await pay(appId, hourly(), 'third')).toEqual([{ amount: 312n, count: 300 }]);
  });

  it('payments to one destination that have ended are read once by those to another, and keep its sum', async () => {
    const appId = 'app_apart' as AppId;
    const windows = [
      windowOf({ seconds: HOUR, maxAmount: 1n, per: 'destination' }),
      windowOf({ seconds: HOUR, maxAmount: 1n }),
    ];
    const to = (destination: string) => counted(windows, [destination]);
    await spent(appId, 40, 60, '0xA', true);
    expect(await pay(appId, to('0xA'), 'first')).toEqual(Array(2).fill({ amount: 40n, count: 40 }));
    for (let i = 1; i <= 40; i++)
      await service.nest.get(Transactions).run(() => spends.settle(appId, `past0xA${i}`, i % 2 ? new Date() : null));
    const read = () => rowsCounted(() => pay(appId, to('0xB'), `other${Math.random()}`));
    expect(await read()).toEqual([2 + 20 + 1]);
    expect(await read()).toEqual([2]);
    const rows = await rowsCounted(async () => {
      expect(await pay(appId, to('0xA'), 'last')).toEqual([
        { amount: 27n, count: 21 },
        { amount: 41n, count: 23 },
      ]);
    });
    expect(rows).toEqual([2]);
  });

  const apart = (seconds: number) => windowOf({ seconds, maxAmount: 1n, per: 'destination' });
  const together = (seconds: number) => windowOf({ seconds, maxAmount: 1n });

  it.each([
    ['one window', [together(HOUR)], 3_000n],
    ['one destination', [apart(HOUR)], 1_500n],
    ['ten windows', Array.from({ length: 5 }, (_, i) => [apart(HOUR - i), together(HOUR - i)]).flat(), 3_000n],
  ])(
    'payments that are settled are not read again while they stay on their side of %s',
    async (name, windows, used) => {
      const appId = `app_settled_${name}` as AppId;
      const rule = counted(windows, windows.some(({ per }) => per === 'destination') ? ['0xA'] : []);
      await pay(appId, rule, 'first');
      // Each was settled twenty seconds after it was signed: half of them have left the windows, and nothing was spent meanwhile.
      await database.write(
        `insert into spend_events (app_id, policy_name, rule_id, operation_id, part, destination, amount, at, is_held, settled_at)
       select $1, 'main', 'pays', 'past' || i, 0, case when i % 2 = 0 then '0xA' else '0xB' end, 1, signed, false, signed + interval '20 seconds'
         from generate_series(1, 6000) as i
        cross join lateral make_interval(secs => case when i > 3000 then 2000 + i else 800 + 0.5 * i end) as ago
        cross join lateral date_trunc('milliseconds', clock_timestamp() - ago) as signed`,
        [appId],
      );
      await database.write(
        `update spend_sums s set amount = e.amount, count = e.count from spend_sums o cross join lateral (
         select sum(amount) as amount, count(*) as count from spend_events e
          where app_id = $1 and at > o.since and o.destination in ('', destination)) e
        where s.app_id = $1 and o.app_id = $1 and (o.destination, o.seconds) = (s.destination, s.seconds)`,
        [appId],
      );
      await signSpends();
      await database.write('analyze spend_events, spend_sums');
      const read = async (work: () => Promise<unknown>) => {
        const sums = (await statementsOf(work)).filter(({ text }) => text.includes('join spend_sums'));
        expect(sums).toHaveLength(1);
        return rowsRead(await planOf(service, sums[0]!));
      };
      const shown = await read(async () => {
        const { windows: inspected, now } = await spends.inspect(appId, [rule]);
        for (const { all, oldest, window } of inspected) {
          expect(all.amount).toBe(7n + (window.per === 'policy' ? 3_000n : 1_500n));
          expect(now.getTime() - oldest!.getTime()).toBeLessThan(HOUR * 1_000);
        }
      });
      expect(shown).toBeLessThan(100 * windows.length);
      const counts = await read(async () => expect((await pay(appId, rule, 'second')).at(-1)!.amount).toBe(used + 7n));
      expect(counts).toBeLessThan(100 * windows.length);
    },
  );

  it('a read of fifty windows shows more open payments than a share of what is read, and takes no lock', async () => {
    const appId = 'app_shown' as AppId;
    const windows = Array.from({ length: 50 }, (_, i) => together(HOUR + i));
    await spent(appId, 201, 60, null, true);
    const write = jest.spyOn(database, 'write');
    const { windows: shown } = await spends.inspect(appId, [counted(windows, [])]).finally(() => write.mockRestore());
    expect(write).not.toHaveBeenCalled();
    const held = { amount: 201n, count: 201 };
    expect(shown.map(({ all, held }) => ({ all, held }))).toEqual(windows.map(() => ({ all: held, held })));
  });

  it('as many events of each kind as a window reads leave no sum behind', async () => {
    const appId = 'app_shares' as AppId;
    const rule = counted(
      Array.from({ length: 50 }, (_, i) => together(HOUR + i)),
      [],
    );
    await pay(appId, rule, 'first');
    await spent(appId, 19, 2 * HOUR, '0xA', true);
    await spent(appId, 19, 2 * HOUR, '0xB', true);
    await database.write(
      `update spend_events set is_held = false, settled_at = at + interval '2 hours' where app_id = $1 and destination = '0xB'`,
      [appId],
    );
    await signSpends();
    const rows = await rowsCounted(async () =>
      expect(await pay(appId, rule, 'second')).toEqual(Array(50).fill({ amount: 45n, count: 39 })),
    );
    expect(rows).toHaveLength(1);
    await spent(appId, 2, 2 * HOUR, '0xC', true);
    const behind = await rowsCounted(() => pay(appId, rule, 'third'));
    expect(behind.length).toBeGreaterThan(1);
  });
});
