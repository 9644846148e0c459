import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import { Database } from '../../../postgres/database.js';
import { named } from '../../../postgres/statement.js';
import type { Window } from '../domain/policy.js';
import { type Counted, type CountedRule, type Inspected, SpendRepository } from '../domain/spend.repository.js';
import type { Spend, Usage, Used } from '../domain/verdict.js';

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

const EVENTS = `
  select amount, at, is_held, part, destination, operation_id from spend_events
   where app_id = $1 and policy_name = w.policy_name and rule_id = w.rule_id and released_at is null`;

// A statement of its own: it sees the spends of those that held the locks before. The time is read once, after the locks.
// It reads the events of the windows alone: the planner expects few rows of a range with two ends, and most rows of one without.
const COUNT = `
  with c as materialized (select clock_timestamp() as now),
  windows as (
    select number, policy_name, rule_id, c.now - make_interval(secs => seconds) as since, destination
      from c, unnest($2::text[], $3::text[], $4::integer[], $5::text[]) with ordinality as w(policy_name, rule_id, seconds, destination, number)
  )
  select w.number::integer, (select now from c) as now, coalesce(sum(e.amount), 0)::text as amount,
         coalesce(sum(e.amount) filter (where e.is_held), 0)::text as "heldAmount",
         (count(e.at) filter (where e.part = 0 or w.destination is not null))::integer as count,
         (count(e.at) filter (where e.is_held and (e.part = 0 or w.destination is not null)))::integer as "heldCount",
         min(e.at) filter (where not e.is_held) as oldest
    from windows w left join lateral (
      ${EVENTS} and is_held
      union all
      ${EVENTS} and not is_held and at > w.since and at <= 'infinity'
    ) e on (w.destination is null or e.destination = w.destination) and e.operation_id <> all($6::text[])
   group by w.number`;

// A request that is signed later than it was put to approvers or queued counts from then on, or its windows would have forgotten it.
const ADD = named<NewSpends>(`
  insert into spend_events as e (app_id, operation_id, at, is_held, policy_name, rule_id, part, destination, amount)
  select $appId, $operationId, $now, $isHeld, *
    from unnest($names::text[], $rules::text[], $parts::integer[], $destinations::text[], $amounts::numeric[])
  on conflict (app_id, policy_name, rule_id, operation_id, part) do update set at = excluded.at where e.is_held`);

const SETTLE = `
  update spend_events e set is_held = false, released_at = case when $3 then null else c.now end
    from (select now() as now) c
   where app_id = $1 and operation_id = $2 and is_held`;

interface CountedRow {
  readonly number: number;
  readonly now: Date;
  readonly amount: string;
  readonly heldAmount: string;
  readonly count: number;
  readonly heldCount: number;
  readonly oldest: Date | null;
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
    return this.inspect(appId, rules, operationIds);
  }

  async inspect(appId: AppId, rules: readonly CountedRule[], operationIds: readonly string[] = []): Promise<Inspected> {
    const counted = rules.flatMap((of) =>
      of.rule.windows.flatMap((window) =>
        (window.per === 'policy' || of.destinations.size === 0 ? [null] : [...of.destinations]).map((destination) => ({
          of,
          window,
          destination,
        })),
      ),
    );
    const rows = await this.database.read<CountedRow>(COUNT, [
      appId,
      counted.map(({ of }) => of.policy.name),
      counted.map(({ of }) => of.rule.id),
      counted.map(({ window }) => window.seconds),
      counted.map(({ destination }) => destination),
      operationIds,
    ]);
    const windows = rows.map(({ number, amount, heldAmount, count, heldCount, oldest }) => {
      const all = { amount: BigInt(amount), count };
      return { ...counted[number - 1]!, all, held: { amount: BigInt(heldAmount), count: heldCount }, oldest };
    });
    const sums = new Map<Window, Map<string | null, Used>>();
    for (const { window, destination, all } of windows)
      sums.set(window, (sums.get(window) ?? new Map<string | null, Used>()).set(destination, all));
    const usage: Usage = (_, window, destination) => sums.get(window)!.get(destination)!;
    return { usage, windows, now: rows[0]!.now };
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

  settle(appId: AppId, operationId: string, isSpent: boolean): void {
    void this.database.write(SETTLE, [appId, operationId, isSpent]);
  }
}
