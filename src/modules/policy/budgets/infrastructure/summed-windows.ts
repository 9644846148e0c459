import { grouped } from '../../../../kernel/collections.js';
import type { Window } from '../../rules/domain/policy.js';
import type { RuleOfPolicy, Spend, Usage, Used } from '../../rules/domain/verdict.js';

export interface SpendEvent {
  readonly policyName: string;
  readonly ruleId: string;
  readonly operationId: string;
  readonly part: number;
  readonly destination: string | null;
  readonly amount: string;
  readonly at: Date;
  readonly isHeld: boolean;
  readonly settledAt: Date | null;
  readonly releasedAt: Date | null;
  readonly isSummed: boolean;
  readonly mac: Buffer | null;
}

export interface SpendSum {
  readonly policyName: string;
  readonly ruleId: string;
  /** Empty: all destinations together. */
  readonly destination: string;
  readonly seconds: number;
  readonly since: Date;
  readonly amount: string;
  readonly count: string;
  readonly mac: Buffer | null;
}

export interface CountedWindow {
  readonly of: RuleOfPolicy;
  readonly window: Window;
  /** Null: all destinations together. */
  readonly destination: string | null;
}

export interface ReadWindow extends CountedWindow {
  readonly start: Date;
  readonly stored: SpendSum | null;
}

type SpendKey = Pick<SpendEvent, 'policyName' | 'ruleId' | 'operationId' | 'part'>;
type NewSum = Omit<SpendSum, 'mac'>;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

type Running = Mutable<Used> & { readonly of: CountedWindow; readonly start: Date };

/** A statement that times out would refuse each spend of the rule. */
const MOVED_AT_ONCE = 100;

/**
 * The totals of windows: stored sums with the events that have entered or left since, less those of the requests themselves.
 * A sum holds the events after the start of its window.
 */
export class SummedWindows {
  private readonly events: Map<string, SpendEvent>;
  private readonly sums: Map<string, Running[]>;
  private readonly used = new Map<Window, Map<string | null, Used>>();

  constructor(
    readonly now: Date,
    windows: readonly ReadWindow[],
    events: readonly SpendEvent[],
    own: ReadonlySet<string>,
  ) {
    this.events = new Map(events.map((event) => [keyOf(event), event]));
    const eventsAt = grouped(
      events.flatMap((event) => placesOf(event).map((place) => [place, event] as const)),
      ([place]) => place,
    );
    const sums = windows.map(({ start, stored, ...of }): Running => {
      const sum = { of, start, amount: BigInt(stored?.amount ?? 0), count: Number(stored?.count ?? 0) };
      const used = { amount: 0n, count: 0 };
      for (const [, event] of eventsAt.get(placeOf(of)) ?? []) {
        const isSummed = isIn(event, start);
        addTo(sum, of, event, Number(isSummed) - Number(stored !== null && isIn(event, stored.since)));
        addTo(used, of, event, Number(!own.has(event.operationId) && counts(event, start)) - Number(isSummed));
      }
      const all = { amount: sum.amount + used.amount, count: sum.count + used.count };
      this.used.set(of.window, (this.used.get(of.window) ?? new Map<string | null, Used>()).set(of.destination, all));
      return sum;
    });
    this.sums = grouped(sums, ({ of }) => placeOf(of));
  }

  readonly usage: Usage = (_, window, destination) => this.used.get(window)!.get(destination)!;

  /** The events of a request and the sums that change with them. Events that have ended since they were summed move as well. */
  spend(
    operationId: string,
    spends: readonly Spend[],
    isHeld: boolean,
  ): { readonly events: readonly SpendEvent[]; readonly sums: readonly NewSum[] } {
    const changed = new Map<string, SpendEvent>();
    const places = new Set<string>();
    const sum = (event: SpendEvent, times: number): void => {
      for (const place of placesOf(event)) {
        places.add(place);
        for (const each of this.sums.get(place) ?? []) if (isIn(event, each.start)) addTo(each, each.of, event, times);
      }
    };
    const change = (next: SpendEvent): void => {
      const former = this.events.get(keyOf(next));
      if (former) sum(former, -1);
      sum(next, 1);
      this.events.set(keyOf(next), next);
      changed.set(keyOf(next), next);
    };
    for (const { policy, rule, parts } of spends)
      for (const [part, { destination, amount }] of parts.entries()) {
        const key = { policyName: policy.name, ruleId: rule.id, operationId, part };
        const former = this.events.get(keyOf(key));
        const ends = { settledAt: null, releasedAt: null, isSummed: true, mac: null };
        if (!former || former.isHeld)
          change({ ...key, destination, amount: String(amount), at: this.now, isHeld, ...ends });
      }
    for (const { policy, rule } of spends) {
      const isApart = rule.windows.some(({ per }) => per === 'destination');
      // The sums of other destinations are not at hand.
      const ended = [...this.events.values()].filter(
        (event) =>
          event.policyName === policy.name &&
          event.ruleId === rule.id &&
          (!isApart ||
            placesOf(event)
              .slice(1)
              .every((place) => this.sums.has(place))) &&
          ((event.releasedAt !== null && event.isSummed) || isSettledLater(event)),
      );
      for (const event of ended.slice(0, MOVED_AT_ONCE))
        change(event.releasedAt ? { ...event, isSummed: false } : { ...event, at: event.settledAt! });
    }
    const sums = new Map<string, NewSum>();
    for (const place of places)
      for (const { of, start, amount, count } of this.sums.get(place) ?? [])
        sums.set(`${place}\0${of.window.seconds}`, {
          policyName: of.of.policy.name,
          ruleId: of.of.rule.id,
          destination: of.destination ?? '',
          seconds: of.window.seconds,
          since: start,
          amount: String(amount),
          count: String(count),
        });
    return { events: [...changed.values()], sums: [...sums.values()] };
  }
}

function addTo(sum: Mutable<Used>, { destination }: CountedWindow, { part, amount }: SpendEvent, times: number): void {
  if (times === 0) return;
  sum.amount += BigInt(times) * BigInt(amount);
  if (part === 0 || destination !== null) sum.count += times;
}

/** Whether the sum of a window that begins then holds the event. */
const isIn = ({ isSummed, at }: SpendEvent, start: Date): boolean => isSummed && at > start;

const isSettledLater = ({ at, settledAt }: SpendEvent): boolean => settledAt !== null && settledAt > at;

function counts(event: SpendEvent, start: Date): boolean {
  const { releasedAt, isHeld, at, settledAt } = event;
  return releasedAt === null && (isHeld || (isSettledLater(event) ? settledAt! : at) > start);
}

// Texts of the database have no NUL.
const keyOf = ({ policyName, ruleId, operationId, part }: SpendKey): string =>
  [policyName, ruleId, operationId, part].join('\0');

const placeOf = ({ of: { policy, rule }, destination }: CountedWindow): string =>
  [policy.name, rule.id, destination ?? ''].join('\0');

/** All destinations together, and its own. */
const placesOf = ({ policyName, ruleId, destination }: SpendEvent): string[] =>
  ['', ...(destination === null ? [] : [destination])].map((to) => [policyName, ruleId, to].join('\0'));
