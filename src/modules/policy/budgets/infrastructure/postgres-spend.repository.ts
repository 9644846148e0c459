import { Injectable } from '@nestjs/common';
import { DatabaseUnavailable } from '../../../../kernel/errors.js';
import type { AppId } from '../../../../kernel/ids.js';
import { otherCalls } from '../../../../kernel/other-calls.js';
import { MacTables, RowMacs } from '../../../../kernel/row-macs.js';
import { LockedRowsBehind, Transactions } from '../../../../kernel/transactions.js';
import { Database } from '../../../../postgres/database.js';
import { columnsOf, listOf, named, recordsOf } from '../../../../postgres/statement.js';
import { type CountedRule, type Inspected, type LockedWindows, SpendRepository } from '../domain/spend.repository.js';
import { type Changes, type CountedWindow, type SpendEvent, type SpendSum, SummedWindows } from './summed-windows.js';

const EVENT_TYPES = {
  policyName: 'text',
  ruleId: 'text',
  operationId: 'text',
  part: 'integer',
  destination: 'text',
  amount: 'numeric',
  at: 'timestamptz',
  isHeld: 'boolean',
  settledAt: 'timestamptz',
  releasedAt: 'timestamptz',
  isSummed: 'boolean',
  mac: 'bytea',
} as const;
const EVENTS = recordsOf<SpendEvent>(EVENT_TYPES);
const EVENT_FIELDS = Object.keys(EVENT_TYPES) as (keyof SpendEvent)[];
const EVENT = columnsOf<SpendEvent>(EVENT_FIELDS);
const EVENT_REST = columnsOf<SpendEvent>(
  EVENT_FIELDS.filter((field) => !['policyName', 'ruleId', 'destination'].includes(field)),
);
const SUMS = recordsOf<SpendSum>({
  policyName: 'text',
  ruleId: 'text',
  destination: 'text',
  seconds: 'integer',
  since: 'timestamptz',
  amount: 'numeric',
  count: 'bigint',
  mac: 'bytea',
});

const EVENT_MAC = MacTables.declare({
  table: 'spend_events',
  since: 4,
  key: ['appId', 'policyName', 'ruleId', 'operationId', 'part'],
  fields: ['destination', 'amount', 'at', 'isHeld', 'settledAt', 'releasedAt', 'isSummed'],
});
const SUM_MAC = MacTables.declare({
  table: 'spend_sums',
  since: 4,
  key: ['appId', 'policyName', 'ruleId', 'destination', 'seconds'],
  fields: ['since', 'amount', 'count'],
});

// An upsert locks the rows in the order in which they are inserted, which is the same for all callers.
const LOCK = `
  insert into spend_windows (app_id, policy_name, rule_id)
  select $1, policy_name, rule_id from unnest($2::text[], $3::text[]) as w(policy_name, rule_id) order by 2, 3
  on conflict (app_id, policy_name, rule_id) do update set rule_id = excluded.rule_id`;

interface Asked {
  readonly appId: AppId;
  readonly policyNames: readonly string[];
  readonly ruleIds: readonly string[];
  readonly seconds: readonly number[];
  readonly destinations: readonly (string | null)[];
  readonly operationIds: readonly string[];
  readonly most: number;
  readonly mostAside: number;
}

const OF_RULE = 'app_id = $appId and policy_name = w.policy_name and rule_id = w.rule_id';

// All destinations and one are two parts, because each has an index of its own.
const TO_ALL = `${OF_RULE} and w.destination = ''`;
const TO_ONE = `${OF_RULE} and destination = w.destination`;
const eachPart = (conditionOf: (part: string) => string): string =>
  [TO_ALL, TO_ONE].map((part) => `(select * from spend_events where ${part} and ${conditionOf(part)})`).join(`
      union all
      `);

const LEFT = 'at > summed_since and at <= start order by at offset $most limit 1';
const ENTERED = 'at > start and at <= summed_since order by at desc offset $most limit 1';
const BEFORE = `greatest(start, at - interval '1 millisecond')`;
const BETWEEN = 'at > least(since, summed_since) and at <= greatest(since, summed_since)';

// The payments that were settled after the start and signed before it are found by how long they took, in ranges of their times.
const DELAY = 'width_bucket(extract(epoch from settled_at - at), array[16, 256, 4096, 65536, 1048576])';
const DELAYS = '(values (0, 16), (1, 256), (2, 4096), (3, 65536), (4, 1048576), (5, 1e10)) as d(delay, longest)';
const LEFT_BEHIND = (part: string): string => `(select e.* from ${DELAYS} cross join lateral (
        select * from spend_events
         where ${part} and settled_at > at and ${DELAY} = delay and at > start - make_interval(secs => longest) and at <= start and settled_at > start
         limit $mostAside + 1) e
        limit $mostAside + 1)`;

// A stored sum holds all events after its time. Only transactions that hold the lock change it. The few events in between bring it to the
// time of the window, or as near as `most` of them do; a sum that is older by more than the window is long is made anew. Of other events are
// read those that count although they are older than the window, those given back since they were summed, and those of the requests.
const read = (others = ''): string => `
  with c as materialized (select date_trunc('milliseconds', clock_timestamp()) as now),
  wanted as materialized (
    select number, w.policy_name, w.rule_id, coalesce(w.destination, '') as destination, w.seconds, now, now - length as start,
           coalesce(s.since, 'infinity') as summed_since, s.amount, s.count, s.mac
      from c cross join unnest($policyNames::text[], $ruleIds::text[], $seconds::integer[], $destinations::text[]) with ordinality as w(policy_name, rule_id, seconds, destination, number)
     cross join lateral make_interval(secs => w.seconds) as length
      left join spend_sums s on s.app_id = $appId and s.policy_name = w.policy_name and s.rule_id = w.rule_id
       and s.destination = coalesce(w.destination, '') and s.seconds = w.seconds and s.since >= now - 2 * length
  ),
  windows as materialized (
    select w.*, coalesce(
             (select at from spend_events where ${TO_ALL} and ${LEFT}), (select at from spend_events where ${TO_ONE} and ${LEFT}),
             (select ${BEFORE} from spend_events where ${TO_ALL} and ${ENTERED}), (select ${BEFORE} from spend_events where ${TO_ONE} and ${ENTERED}),
             start) as since
      from wanted w
  ),
  events as (
    select e.* from windows w cross join lateral (
      ${eachPart(() => BETWEEN)}
      union all
      ${eachPart(() => 'is_held and at <= start limit $mostAside + 1')}
      union all
      ${eachPart(() => 'released_at is not null and is_summed and at > start limit $mostAside + 1')}
      union all
      ${LEFT_BEHIND(TO_ALL)}
      union all
      ${LEFT_BEHIND(TO_ONE)}${others}) e
    union
    select * from spend_events where app_id = $appId and operation_id = any($operationIds::text[])
  ),
  apart as (
    select s.* from (
      select distinct policy_name, rule_id, destination from events where is_held or released_at is not null or settled_at > at) e
     cross join lateral (
      select * from spend_sums s
       where s.app_id = $appId and s.policy_name = e.policy_name and s.rule_id = e.rule_id and s.destination = e.destination offset 0) s
  )
  select number::integer, w.now, w.start, w.since as reached, coalesce(nullif(w.summed_since, 'infinity'), s.since) as since,
         coalesce(w.amount, s.amount) as summed, coalesce(w.count, s.count) as count, coalesce(w.mac, s.mac) as "sumMac", s.seconds,
         coalesce(e.policy_name, s.policy_name) as "policyName", coalesce(e.rule_id, s.rule_id) as "ruleId",
         coalesce(e.destination, s.destination) as destination, ${EVENT_REST.of('e')}
    from windows w full join events e on false full join apart s on false`;

// A statement of its own sees the spends of those that held the locks before. The time is read once, after the locks.
const COUNT = named<Asked>(read());

const SETTLED_FIRST = 'settled_at > at and settled_at > start order by settled_at limit 1';

const INSPECT = named<Asked>(
  read(`
      union all
      ${eachPart(() => 'is_held limit $mostAside + 1')}
      union all
      ${eachPart(() => SETTLED_FIRST)}
      union all
      ${eachPart((part) => `not is_held and released_at is null and not coalesce(settled_at > at, false) and at > start and at < coalesce((select settled_at from spend_events where ${part} and ${SETTLED_FIRST}), 'infinity') order by at limit 1`)}`),
);

// Their payments may be settled meanwhile, which locks no rule.
const LOCK_HELD = `
  select policy_name as "policyName", rule_id as "ruleId", operation_id as "operationId", part from spend_events
   where app_id = $1 and is_held
     and (policy_name, rule_id, operation_id, part) in (select * from unnest($2::text[], $3::text[], $4::text[], $5::integer[]))
     for update skip locked`;

// Sums of windows that only another version of the rule has would miss the events.
const STORE = named<{ readonly appId: AppId; readonly events: string; readonly sums: string }>(`
  with events as (
    insert into spend_events as e (app_id, ${EVENTS.names})
    select $appId, ${EVENTS.names} from jsonb_to_recordset($events::jsonb) as s (${EVENTS.definitions})
    on conflict (app_id, policy_name, rule_id, operation_id, part)
    do update set destination = excluded.destination, amount = excluded.amount, at = excluded.at, is_summed = excluded.is_summed, mac = excluded.mac
    returning policy_name, rule_id, destination
  ),
  outdated as (
    delete from spend_sums s using (
      select * from events
      union all
      select policy_name, rule_id, e.destination
        from spend_events e join jsonb_to_recordset($events::jsonb) as n (${EVENTS.definitions}) using (policy_name, rule_id, operation_id, part)
       where app_id = $appId) e
     where s.app_id = $appId and s.policy_name = e.policy_name and s.rule_id = e.rule_id and s.destination in ('', e.destination)
       and (s.policy_name, s.rule_id, s.destination, s.seconds) not in (
         select policy_name, rule_id, destination, seconds from jsonb_to_recordset($sums::jsonb) as n (${SUMS.definitions}))
  )
  insert into spend_sums (app_id, ${SUMS.names})
  select $appId, ${SUMS.names} from jsonb_to_recordset($sums::jsonb) as n (${SUMS.definitions})
  on conflict (app_id, policy_name, rule_id, destination, seconds)
  do update set since = excluded.since, amount = excluded.amount, count = excluded.count, mac = excluded.mac`);

// It takes no lock of the rule, so the event stays in its place in the sums until the next spend of the rule.
const SETTLE = `
  update spend_events e set is_held = false, settled_at = $3, released_at = case when $3::timestamptz is null then c.now end
    from (select now() as now) c
   where app_id = $1 and operation_id = $2 and is_held
  returning ${EVENT.of('e')}`;

/** A window; without a number an event; without both the sum of a destination that is not asked for. */
type ReadRow = Omit<SpendEvent, 'operationId'> & {
  readonly operationId: string | null;
  readonly number: number | null;
  readonly now: Date;
  readonly start: Date;
  readonly reached: Date;
  readonly since: Date | null;
  readonly summed: string;
  readonly count: string;
  readonly seconds: number;
  readonly sumMac: Buffer | null;
};

/** The event loop serves other requests after so many rows were checked. */
const CHECKED_AT_ONCE = 500;

@Injectable()
export class PostgresSpendRepository extends SpendRepository {
  /** How many events of a kind are read: under the locks of a request, in a portion of sums that are behind, and to be shown. */
  private readonly most = { counted: 1_000, caughtUp: 2_000, shown: 10_000, ofWindow: 20, catchesUpMs: 5_000 };

  constructor(
    private readonly database: Database,
    private readonly macs: RowMacs,
    private readonly transactions: Transactions,
  ) {
    super();
  }

  async count(appId: AppId, rules: readonly CountedRule[], operationIds: readonly string[]): Promise<LockedWindows> {
    const summed = await this.locked(appId, rules, operationIds, this.most.counted);
    if (summed.isBehind) throw new LockedRowsBehind(() => this.catchUp(appId, rules));
    return {
      now: summed.now,
      usage: summed.usage,
      spend: (operationId, spends, isHeld) => {
        const changed = summed.spend(operationId, spends, isHeld);
        if (changed.events.length > 0) this.store(appId, changed);
      },
    };
  }

  async inspect(appId: AppId, rules: readonly CountedRule[]): Promise<Inspected> {
    const windows = windowsOf(rules);
    const most = this.shareOf(this.most.shown, windows);
    const asked = askedOf(appId, windows, [], { most, mostAside: this.most.shown });
    const read = async () => this.summed(windows, asked, await this.database.list<ReadRow>(...INSPECT(asked)));
    let summed = await read();
    if (summed.isBehind) {
      // Portions that store nothing would see different states: payments move events meanwhile.
      await this.catchUp(appId, rules);
      summed = await read();
    }
    const inspected = windows.map((window) => {
      const { isWhole, ...shown } = summed.shown(window);
      if (!isWhole) throw behind(rules);
      return { ...window, ...shown };
    });
    return { now: summed.now, usage: summed.usage, windows: inspected };
  }

  async settle(appId: AppId, operationId: string, spentAt: Date | null): Promise<void> {
    for (const event of await this.database.write<SpendEvent>(SETTLE, [appId, operationId, spentAt])) {
      const former = { ...event, appId, isHeld: true, settledAt: null, releasedAt: null };
      if (this.macs.isUnaltered(EVENT_MAC, former)) void this.macs.sign(EVENT_MAC, { ...event, appId });
    }
  }

  /**
   * Brings the sums near to the times of their windows. Each portion commits by itself, so that the next caller goes on where this one has
   * to stop.
   */
  private async catchUp(appId: AppId, rules: readonly CountedRule[]): Promise<void> {
    const deadline = performance.now() + this.most.catchesUpMs;
    for (;;) {
      // As its locks are those of payments, a paused process must not hold them for long.
      const isDone = await this.transactions.run(() => this.catchUpOnce(appId, rules), { signs: true });
      if (isDone) return;
      if (performance.now() > deadline) throw behind(rules);
    }
  }

  private async catchUpOnce(appId: AppId, rules: readonly CountedRule[]): Promise<boolean> {
    const summed = await this.locked(appId, rules, [], this.most.caughtUp);
    const { isBehind, outlasting: held } = summed;
    const columns = [
      held.map(({ policyName }) => policyName),
      held.map(({ ruleId }) => ruleId),
      held.map(({ operationId }) => operationId),
      held.map(({ part }) => part),
    ];
    this.store(
      appId,
      summed.catchUp(held.length === 0 ? [] : await this.database.write(LOCK_HELD, [appId, ...columns])),
    );
    return !isBehind;
  }

  private async locked(
    appId: AppId,
    rules: readonly CountedRule[],
    operationIds: readonly string[],
    total: number,
  ): Promise<SummedWindows> {
    void this.database.write(LOCK, [appId, rules.map(({ policy }) => policy.name), rules.map(({ rule }) => rule.id)]);
    const windows = windowsOf(rules);
    const most = this.shareOf(total, windows);
    const asked = askedOf(appId, windows, operationIds, { most, mostAside: most });
    return this.summed(windows, asked, await this.database.write<ReadRow>(...COUNT(asked)));
  }

  /** Each window reads some, however many there are. */
  private shareOf(most: number, windows: readonly CountedWindow[]): number {
    return Math.max(this.most.ofWindow, Math.floor(most / windows.length));
  }

  private store(appId: AppId, { events, sums }: Changes): void {
    void this.database.write(
      ...STORE({
        appId,
        events: listOf(events.map((event) => EVENTS.json(this.macs.withMac(EVENT_MAC, { ...event, appId })))),
        sums: listOf(sums.map((sum) => SUMS.json(this.macs.withMac(SUM_MAC, { ...sum, appId })))),
      }),
    );
  }

  /** Throws `SealAltered` for an event or a sum that counts and is altered. */
  private async summed(
    windows: readonly CountedWindow[],
    { appId, operationIds, mostAside }: Asked,
    rows: readonly ReadRow[],
  ): Promise<SummedWindows> {
    const events = rows.filter((row): row is ReadRow & SpendEvent => row.operationId !== null);
    for (const [index, event] of events.entries()) {
      if (index % CHECKED_AT_ONCE === CHECKED_AT_ONCE - 1) await otherCalls();
      this.macs.check(EVENT_MAC, { ...event, appId });
    }
    const read = rows
      .filter(({ number }) => number !== null)
      .map(({ number, start, reached, since, summed: amount, count, sumMac: mac }) => {
        const window = windows[number! - 1]!;
        if (since === null) return { ...window, start, reached, stored: null };
        const { policy, rule } = window.of;
        const { seconds } = window.window;
        const destination = window.destination ?? '';
        const stored = { policyName: policy.name, ruleId: rule.id, destination, seconds, since, amount, count, mac };
        this.macs.check(SUM_MAC, { ...stored, appId });
        return { ...window, start, reached, stored };
      });
    const apart = rows
      .filter(({ number, operationId }) => number === null && operationId === null)
      .map(({ policyName, ruleId, destination, seconds, since, summed: amount, count, sumMac: mac }) => {
        return { policyName, ruleId, destination: destination!, seconds, since: since!, amount, count, mac };
      })
      // One that is left out is removed and made anew.
      .filter((sum) => this.macs.isUnaltered(SUM_MAC, { ...sum, appId }));
    const { now } = rows.find(({ number }) => number !== null)!;
    return new SummedWindows(now, read, apart, events, new Set(operationIds), mostAside);
  }
}

const behind = (rules: readonly CountedRule[]): DatabaseUnavailable =>
  new DatabaseUnavailable(
    `The spends of ${[...new Set(rules.map(({ policy }) => policy.name))].join(', ')} are being summed, which takes longer than a call may. Try again after Retry-After seconds: it goes on from there.`,
  );

function windowsOf(rules: readonly CountedRule[]): CountedWindow[] {
  return rules.flatMap((of) =>
    of.rule.windows.flatMap((window) =>
      (window.per === 'policy' || of.destinations.size === 0 ? [null] : [...of.destinations]).map((destination) => ({
        of,
        window,
        destination,
      })),
    ),
  );
}

function askedOf(
  appId: AppId,
  windows: readonly CountedWindow[],
  operationIds: readonly string[],
  bounds: Pick<Asked, 'most' | 'mostAside'>,
): Asked {
  return {
    appId,
    policyNames: windows.map(({ of }) => of.policy.name),
    ruleIds: windows.map(({ of }) => of.rule.id),
    seconds: windows.map(({ window }) => window.seconds),
    destinations: windows.map(({ destination }) => destination),
    operationIds,
    ...bounds,
  };
}
