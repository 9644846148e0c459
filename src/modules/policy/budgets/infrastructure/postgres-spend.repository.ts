import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../../kernel/ids.js';
import { otherCalls } from '../../../../kernel/other-calls.js';
import { MacTables, RowMacs } from '../../../../kernel/row-macs.js';
import { Database } from '../../../../postgres/database.js';
import { columnsOf, named, recordsOf } from '../../../../postgres/statement.js';
import { type CountedRule, type Inspected, type LockedWindows, SpendRepository } from '../domain/spend.repository.js';
import { type CountedWindow, type SpendEvent, type SpendSum, SummedWindows } from './summed-windows.js';

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
const EVENT = columnsOf<SpendEvent>(Object.keys(EVENT_TYPES) as (keyof SpendEvent)[]);
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

const OF_WINDOW = `app_id = $1 and policy_name = w.policy_name and rule_id = w.rule_id and w.destination in ('', destination)`;
const NUMBER = `case when part = 0 or w.destination <> '' then 1 else 0 end`;

// All destinations and one are two parts, because each has an index of its own.
const between = (isTo: string): string => `
      select * from spend_events
       where app_id = $1 and policy_name = w.policy_name and rule_id = w.rule_id and ${isTo}
         and at > least(w.since, w.summed_since) and at <= greatest(w.since, w.summed_since)`;

// A stored sum holds all events after its time. Only transactions that hold the lock change it. The few events in between bring it to the
// time of the window; a sum that is further away than the window is long is made anew. Of other events are read those that count although
// they are older than the window, those given back since they were summed, and those of the requests themselves.
const read = (columns = ''): string => `
  with c as materialized (select date_trunc('milliseconds', clock_timestamp()) as now),
  windows as materialized (
    select number, w.policy_name, w.rule_id, coalesce(w.destination, '') as destination, w.seconds, now, now - length as since,
           coalesce(s.since, 'infinity') as summed_since, s.amount, s.count, s.mac
      from c cross join unnest($2::text[], $3::text[], $4::integer[], $5::text[]) with ordinality as w(policy_name, rule_id, seconds, destination, number)
     cross join lateral make_interval(secs => w.seconds) as length
      left join spend_sums s on s.app_id = $1 and s.policy_name = w.policy_name and s.rule_id = w.rule_id
       and s.destination = coalesce(w.destination, '') and s.seconds = w.seconds and s.since between now - 2 * length and now
  ),
  events as (
    select e.* from windows w cross join lateral (${between(`w.destination = ''`)}
      union all${between('destination = w.destination')}
      union all
      select * from spend_events where ${OF_WINDOW} and is_held and at <= w.since
      union all
      select * from spend_events where ${OF_WINDOW} and released_at is not null and is_summed and at > w.since
      union all
      select * from spend_events where ${OF_WINDOW} and settled_at > at and settled_at > w.since and at <= w.since) e
    union
    select * from spend_events where app_id = $1 and operation_id = any($6::text[])
  )
  select number::integer, now, w.since as start, nullif(summed_since, 'infinity') as since, w.amount as summed, count, w.mac as "sumMac",
         ${EVENT.of('e')}${columns}
    from windows w full join events e on false`;

// A statement of its own sees the spends of those that held the locks before. The time is read once, after the locks.
const COUNT = read();

const INSPECT = read(`,
         (select coalesce(sum(amount), 0)::text from spend_events where ${OF_WINDOW} and is_held) as "heldAmount",
         (select coalesce(sum(${NUMBER}), 0)::integer from spend_events where ${OF_WINDOW} and is_held) as "heldCount",
         least(
           (select min(at) from spend_events where ${OF_WINDOW} and not is_held and released_at is null and at > w.since and not coalesce(settled_at > at, false)),
           (select min(settled_at) from spend_events where ${OF_WINDOW} and settled_at > at and settled_at > w.since)) as oldest`);

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

/** A window, or an event if the number is null. */
type ReadRow = SpendEvent & {
  readonly number: number | null;
  readonly now: Date;
  readonly start: Date;
  readonly since: Date | null;
  readonly summed: string;
  readonly count: string;
  readonly sumMac: Buffer | null;
};

interface InspectedRow extends ReadRow {
  readonly heldAmount: string;
  readonly heldCount: number;
  readonly oldest: Date | null;
}

/** The event loop serves other requests after so many rows were checked. */
const CHECKED_AT_ONCE = 500;
/** PostgreSQL ends a transaction that signs and sends nothing for 1.5 s. A window without a stored sum is read whole. */
const CHECKED_IN_SILENCE = 10_000;

@Injectable()
export class PostgresSpendRepository extends SpendRepository {
  constructor(
    private readonly database: Database,
    private readonly macs: RowMacs,
  ) {
    super();
  }

  async count(appId: AppId, rules: readonly CountedRule[], operationIds: readonly string[]): Promise<LockedWindows> {
    const names = rules.map(({ policy }) => policy.name);
    const ids = rules.map(({ rule }) => rule.id);
    void this.database.write(LOCK, [appId, names, ids]);
    const windows = windowsOf(rules);
    const rows = await this.database.write<ReadRow>(COUNT, parametersOf(appId, windows, operationIds));
    const summed = await this.summed(appId, windows, rows, operationIds, () => this.database.write('select'));
    return {
      now: summed.now,
      usage: summed.usage,
      spend: (operationId, spends, isHeld) => {
        const { events, sums } = summed.spend(operationId, spends, isHeld);
        if (events.length > 0)
          void this.database.write(
            ...STORE({
              appId,
              events: EVENTS.json(events.map((event) => this.macs.withMac(EVENT_MAC, { ...event, appId }))),
              sums: SUMS.json(sums.map((sum) => this.macs.withMac(SUM_MAC, { ...sum, appId }))),
            }),
          );
      },
    };
  }

  async inspect(appId: AppId, rules: readonly CountedRule[]): Promise<Inspected> {
    const windows = windowsOf(rules);
    const rows = await this.database.list<InspectedRow>(INSPECT, parametersOf(appId, windows, []));
    const { now, usage } = await this.summed(appId, windows, rows, []);
    const inspected = rows
      .filter(({ number }) => number !== null)
      .map(({ number, heldAmount, heldCount, oldest }) => {
        const window = windows[number! - 1]!;
        const all = usage(window.of, window.window, window.destination);
        return { ...window, all, held: { amount: BigInt(heldAmount), count: heldCount }, oldest };
      });
    return { now, usage, windows: inspected };
  }

  async settle(appId: AppId, operationId: string, spentAt: Date | null): Promise<void> {
    for (const event of await this.database.write<SpendEvent>(SETTLE, [appId, operationId, spentAt])) {
      const former = { ...event, appId, isHeld: true, settledAt: null, releasedAt: null };
      if (this.macs.isUnaltered(EVENT_MAC, former)) void this.macs.sign(EVENT_MAC, { ...event, appId });
    }
  }

  /** Throws `SealAltered` for an event or a sum that counts and is altered. */
  private async summed(
    appId: AppId,
    windows: readonly CountedWindow[],
    rows: readonly ReadRow[],
    operationIds: readonly string[],
    keepAlive?: () => Promise<unknown>,
  ): Promise<SummedWindows> {
    const events = rows.filter(({ number }) => number === null);
    for (const [index, event] of events.entries()) {
      if (index % CHECKED_AT_ONCE === CHECKED_AT_ONCE - 1) await otherCalls();
      if (index % CHECKED_IN_SILENCE === CHECKED_IN_SILENCE - 1) await keepAlive?.();
      this.macs.check(EVENT_MAC, { ...event, appId });
    }
    const read = rows
      .filter(({ number }) => number !== null)
      .map(({ number, start, since, summed: amount, count, sumMac: mac }) => {
        const window = windows[number! - 1]!;
        if (since === null) return { ...window, start, stored: null };
        const { policy, rule } = window.of;
        const { seconds } = window.window;
        const destination = window.destination ?? '';
        const stored = { policyName: policy.name, ruleId: rule.id, destination, seconds, since, amount, count, mac };
        this.macs.check(SUM_MAC, { ...stored, appId });
        return { ...window, start, stored };
      });
    const { now } = rows.find(({ number }) => number !== null)!;
    return new SummedWindows(now, read, events, new Set(operationIds));
  }
}

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

function parametersOf(appId: AppId, windows: readonly CountedWindow[], operationIds: readonly string[]): unknown[] {
  return [
    appId,
    windows.map(({ of }) => of.policy.name),
    windows.map(({ of }) => of.rule.id),
    windows.map(({ window }) => window.seconds),
    windows.map(({ destination }) => destination),
    operationIds,
  ];
}
