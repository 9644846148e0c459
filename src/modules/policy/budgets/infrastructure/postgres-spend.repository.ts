import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../../kernel/ids.js';
import { Database } from '../../../../postgres/database.js';
import { named } from '../../../../postgres/statement.js';
import type { Window } from '../../rules/domain/policy.js';
import { type Counted, type CountedRule, type Inspected, SpendRepository } from '../domain/spend.repository.js';
import type { RuleOfPolicy, Spend, Used } from '../../rules/domain/verdict.js';

interface NewSpends {
  readonly appId: AppId;
  readonly operationId: string;
  readonly now: Date;
  readonly isHeld: boolean;
  readonly names: readonly string[];
  readonly rules: readonly string[];
  readonly parts: readonly number[];
  readonly destinations: readonly (string | null)[];
  readonly amounts: readonly string[];
}

// An upsert locks the rows in the order in which they are inserted, which is the same for all callers.
const LOCK = `
  insert into spend_windows (app_id, policy_name, rule_id)
  select $1, policy_name, rule_id from unnest($2::text[], $3::text[]) as w(policy_name, rule_id) order by 2, 3
  on conflict (app_id, policy_name, rule_id) do update set rule_id = excluded.rule_id`;

const OF_WINDOW = `policy_name = w.policy_name and rule_id = w.rule_id and w.destination in ('', destination)`;
const NUMBER = `case when part = 0 or w.destination <> '' then 1 else 0 end`;

// All destinations and one are two parts, because each has an index of its own.
const between = (isTo: string): string => `
         select part, amount from spend_events
          where app_id = $1 and policy_name = w.policy_name and rule_id = w.rule_id and ${isTo} and is_summed
            and at > least(w.since, f.since) and at <= greatest(w.since, f.since)`;

// A stored sum holds all events after its time. Only transactions that hold the lock change it. The few events in between bring it to the
// time of the window; a sum that is further away than the window is long is made anew. Held events from before the window are added, and
// those settled in it; those given back are taken off.
const SUMMED = `
  c as materialized (select clock_timestamp() as now),
  windows as (
    select number, policy_name, rule_id, seconds, coalesce(destination, '') as destination, length, c.now - length as since
      from c, unnest($2::text[], $3::text[], $4::integer[], $5::text[]) with ordinality as w(policy_name, rule_id, seconds, destination, number),
           make_interval(secs => seconds) as length
  ),
  own as materialized (
    select policy_name, rule_id, destination, part, amount, greatest(at, settled_at) as at, is_held from spend_events
     where app_id = $1 and operation_id = any($6::text[]) and released_at is null
  ),
  summed as (
    select w.*, coalesce(s.amount, 0) + m.amount as amount, coalesce(s.count, 0) + m.count as count
      from windows w
      left join spend_sums s on s.app_id = $1 and s.policy_name = w.policy_name and s.rule_id = w.rule_id and s.destination = w.destination
       and s.seconds = w.seconds and s.since between w.since - length and w.since + length
     cross join lateral (select coalesce(s.since, 'infinity') as since, case when s.since <= w.since then -1 else 1 end as sign) f
     cross join lateral (
       select coalesce(sum(f.sign * e.amount), 0) as amount, coalesce(sum(f.sign * ${NUMBER}), 0) as count from (
         ${between(`w.destination = ''`)}
         union all
         ${between('destination = w.destination')}) e) m
  ),
  counted as (
    select w.*, w.amount + e.amount as used, w.count + e.count as uses
      from summed w cross join lateral (
        select coalesce(sum(e.sign * e.amount), 0) as amount, coalesce(sum(e.sign * ${NUMBER}), 0) as count from (
          select part, amount, -1 as sign from spend_events where app_id = $1 and ${OF_WINDOW} and released_at is not null and is_summed and at > w.since
          union all
          select part, amount, 1 from spend_events where app_id = $1 and ${OF_WINDOW} and is_held and at <= w.since
          union all
          select part, amount, 1 from spend_events where app_id = $1 and ${OF_WINDOW} and settled_at > at and settled_at > w.since and at <= w.since
          union all
          select part, amount, -1 from own where ${OF_WINDOW} and (is_held or at > w.since)) e) e
  )`;

// A statement of its own sees the spends of those that held the locks before. The time is read once, after the locks.
const COUNT = `
  with ${SUMMED},
  stored as (
    insert into spend_sums (app_id, policy_name, rule_id, destination, seconds, since, amount, count)
    select distinct $1, policy_name, rule_id, destination, seconds, since, amount, count from summed
    on conflict (app_id, policy_name, rule_id, destination, seconds)
    do update set since = excluded.since, amount = excluded.amount, count = excluded.count
  )
  select number::integer, c.now, used::text as amount, uses::integer as count from c, counted`;

const INSPECT = `
  with ${SUMMED}
  select w.number::integer, c.now, w.used::text as amount, w.uses::integer as count, h.amount::text as "heldAmount", h.count::integer as "heldCount",
         least(
           (select min(at) from spend_events where app_id = $1 and ${OF_WINDOW} and not is_held and released_at is null and at > w.since and not coalesce(settled_at > at, false)),
           (select min(settled_at) from spend_events where app_id = $1 and ${OF_WINDOW} and settled_at > at and settled_at > w.since)) as oldest
    from c, counted w cross join lateral (
      select coalesce(sum(amount), 0) as amount, coalesce(sum(${NUMBER}), 0) as count
        from spend_events where app_id = $1 and ${OF_WINDOW} and is_held) h`;

// A request that is signed later than it was queued counts from then on, or its windows would have forgotten it. All sums of its rules hold
// it, since another version may bring a window again. Few events move at a time, because a statement that times out would refuse each spend
// of the rule. Their `ctid` is stable: without the lock only retention changes them.
const ADD = named<NewSpends>(`
  with earlier as materialized (
    select policy_name, rule_id, part, destination, amount, at from spend_events where app_id = $appId and operation_id = $operationId
  ),
  added as (
    insert into spend_events as e (app_id, operation_id, at, is_held, policy_name, rule_id, part, destination, amount)
    select $appId, $operationId, $now, $isHeld, *
      from unnest($names::text[], $rules::text[], $parts::integer[], $destinations::text[], $amounts::numeric[])
    on conflict (app_id, policy_name, rule_id, operation_id, part)
    do update set at = excluded.at, destination = excluded.destination, amount = excluded.amount where e.is_held
    returning policy_name, rule_id, part, destination, amount, at
  ),
  given_back as (
    update spend_events set is_summed = false
     where app_id = $appId and ctid = any (array(
       select e.ctid from spend_events e join (select distinct * from unnest($names::text[], $rules::text[])) r (policy_name, rule_id) using (policy_name, rule_id)
        where app_id = $appId and released_at is not null and is_summed limit 100))
    returning policy_name, rule_id, part, destination, amount, at
  ),
  settled as materialized (
    select e.ctid as place, at from spend_events e join (select distinct * from unnest($names::text[], $rules::text[])) r (policy_name, rule_id) using (policy_name, rule_id)
     where app_id = $appId and settled_at > at limit 100
  ),
  moved as (
    update spend_events e set at = settled_at from settled s where app_id = $appId and e.ctid = s.place
    returning policy_name, rule_id, part, destination, amount, e.at, s.at as former
  ),
  changes as (
    select *, 1 as sign from added
    union all
    select e.*, -1 from earlier e join added using (policy_name, rule_id, part)
    union all
    select *, -1 from given_back
    union all
    select policy_name, rule_id, part, destination, amount, at, 1 from moved
    union all
    select policy_name, rule_id, part, destination, amount, former, -1 from moved
  )
  update spend_sums s set amount = s.amount + d.amount, count = s.count + d.count
    from (
      select w.policy_name, w.rule_id, w.destination, w.seconds, sum(sign * e.amount) as amount, sum(sign * ${NUMBER}) as count
        from changes e join spend_sums w on w.app_id = $appId and w.policy_name = e.policy_name and w.rule_id = e.rule_id
         and w.destination in ('', e.destination) and e.at > w.since
       group by 1, 2, 3, 4) d
   where s.app_id = $appId and s.policy_name = d.policy_name and s.rule_id = d.rule_id and s.destination = d.destination and s.seconds = d.seconds`);

// It takes no lock of the rule, so the event stays in its place in the sums until the next spend of the rule.
const SETTLE = `
  update spend_events e set is_held = false, settled_at = $3, released_at = case when $3::timestamptz is null then c.now end
    from (select now() as now) c
   where app_id = $1 and operation_id = $2 and is_held`;

interface SumRow {
  readonly number: number;
  readonly now: Date;
  readonly amount: string;
  readonly count: number;
}

interface InspectedRow extends SumRow {
  readonly heldAmount: string;
  readonly heldCount: number;
  readonly oldest: Date | null;
}

interface CountedWindow {
  readonly of: RuleOfPolicy;
  readonly window: Window;
  readonly destination: string | null;
}

@Injectable()
export class PostgresSpendRepository extends SpendRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async count(appId: AppId, rules: readonly CountedRule[], operationIds: readonly string[]): Promise<Counted> {
    const names = rules.map(({ policy }) => policy.name);
    const ids = rules.map(({ rule }) => rule.id);
    void this.database.write(LOCK, [appId, names, ids]);
    const windows = windowsOf(rules);
    return countedOf(windows, await this.database.write<SumRow>(COUNT, parametersOf(appId, windows, operationIds)));
  }

  async inspect(appId: AppId, rules: readonly CountedRule[]): Promise<Inspected> {
    const counted = windowsOf(rules);
    const rows = await this.database.read<InspectedRow>(INSPECT, parametersOf(appId, counted, []));
    const windows = rows.map(({ number, amount, heldAmount, count, heldCount, oldest }) => {
      const all = { amount: BigInt(amount), count };
      return { ...counted[number - 1]!, all, held: { amount: BigInt(heldAmount), count: heldCount }, oldest };
    });
    return { ...countedOf(counted, rows), windows };
  }

  add(appId: AppId, operationId: string, spends: readonly Spend[], now: Date, isHeld: boolean): void {
    const parts = spends.flatMap(({ policy, rule, parts }) =>
      parts.map((part, number) => ({ ...part, policy, rule, number })),
    );
    if (parts.length === 0) return;
    void this.database.write(
      ...ADD({
        appId,
        operationId,
        now,
        isHeld,
        names: parts.map(({ policy }) => policy.name),
        rules: parts.map(({ rule }) => rule.id),
        parts: parts.map(({ number }) => number),
        destinations: parts.map(({ destination }) => destination),
        amounts: parts.map(({ amount }) => amount.toString()),
      }),
    );
  }

  settle(appId: AppId, operationId: string, spentAt: Date | null): void {
    void this.database.write(SETTLE, [appId, operationId, spentAt]);
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

function countedOf(windows: readonly CountedWindow[], rows: readonly SumRow[]): Counted {
  const sums = new Map<Window, Map<string | null, Used>>();
  for (const { number, amount, count } of rows) {
    const { window, destination } = windows[number - 1]!;
    const sum = { amount: BigInt(amount), count };
    sums.set(window, (sums.get(window) ?? new Map<string | null, Used>()).set(destination, sum));
  }
  return { usage: (_, window, destination) => sums.get(window)!.get(destination)!, now: rows[0]!.now };
}
