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
  /** As far as the events were read that bring the stored sum to the start of the window. */
  readonly reached: Date;
  readonly stored: SpendSum | null;
}

export interface Changes {
  readonly events: readonly SpendEvent[];
  readonly sums: readonly NewSum[];
}

type SpendKey = Pick<SpendEvent, 'policyName' | 'ruleId' | 'operationId' | 'part'>;
type NewSum = Omit<SpendSum, 'mac'>;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

type Running = Mutable<Used> & { readonly of: CountedWindow; readonly since: Date };

/** A statement that times out would refuse each spend of the rule. */
const MOVED_AT_ONCE = 100;

/**
 * The totals of windows: stored sums with the events that have entered or left since, less those of the requests themselves.
 * A sum holds the events after the start of its window.
 */
export class SummedWindows {
  private readonly events: Map<string, SpendEvent>;
  private readonly eventsAt: ReadonlyMap<string, readonly (readonly [string, SpendEvent])[]>;
  private readonly windowsAt: ReadonlyMap<string, readonly ReadWindow[]>;
  private readonly sums: Map<string, Running[]>;
  /** Held events that a window of theirs has left behind. */
  readonly outlasting: readonly SpendEvent[];
  /** More events have entered, left or ended than were read: `usage` is not known. */
  readonly isBehind: boolean;
  private readonly used = new Map<Window, Map<string | null, Used>>();

  constructor(
    readonly now: Date,
    private readonly windows: readonly ReadWindow[],
    apart: readonly SpendSum[],
    events: readonly SpendEvent[],
    own: ReadonlySet<string>,
    private readonly most: number,
  ) {
    this.events = new Map(events.map((event) => [keyOf(event), event]));
    this.windowsAt = grouped(windows, placeOf);
    this.eventsAt = grouped(
      events.flatMap((event) => placesOf(event).map((place) => [place, event] as const)),
      ([place]) => place,
    );
    const sums = windows.map(({ reached: since, stored, ...of }): Running => {
      const sum = { of, since, amount: BigInt(stored?.amount ?? 0), count: Number(stored?.count ?? 0) };
      const used = { amount: 0n, count: 0 };
      for (const [, event] of this.eventsAt.get(placeOf(of)) ?? []) {
        const isSummed = isIn(event, since);
        addTo(sum, of, event, Number(isSummed) - Number(stored !== null && isIn(event, stored.since)));
        addTo(used, of, event, Number(!own.has(event.operationId) && counts(event, since)) - Number(isSummed));
      }
      const all = { amount: sum.amount + used.amount, count: sum.count + used.count };
      this.used.set(of.window, (this.used.get(of.window) ?? new Map<string | null, Used>()).set(of.destination, all));
      return sum;
    });
    this.sums = grouped([...sums, ...this.others(apart)], ({ of }) => placeOf(of));
    this.outlasting = events.filter(
      (event) =>
        event.isHeld &&
        placesOf(event).some((place) => this.windowsAt.get(place)?.some(({ start }) => event.at <= start)),
    );
    this.isBehind = windows.some(
      (window) => window.reached.getTime() !== window.start.getTime() || this.readsTooMany(window),
    );
  }

  readonly usage: Usage = (_, window, destination) => this.used.get(window)!.get(destination)!;

  /** For reads with all held events. `isWhole`: no more of them count than were read. */
  shown(of: CountedWindow) {
    const { start } = this.windowsAt.get(placeOf(of))!.find(({ window }) => window === of.window)!;
    const held = { amount: 0n, count: 0 };
    let oldest: Date | null = null;
    const events = (this.eventsAt.get(placeOf(of)) ?? []).map(([, event]) => event);
    const isWhole = !this.isBehind && events.filter(({ isHeld }) => isHeld).length <= this.most;
    for (const event of events)
      if (event.isHeld) addTo(held, of, event, 1);
      else if (counts(event, start) && (!oldest || countsFrom(event) < oldest)) oldest = countsFrom(event);
    return { all: this.usage(of.of, of.window, of.destination), held, oldest, isWhole };
  }

  /** The events of a request and the sums that change with them. Events that have ended since they were summed move as well. */
  spend(operationId: string, spends: readonly Spend[], isHeld: boolean): Changes {
    const own = spends.flatMap(({ policy, rule, parts }) =>
      parts.flatMap(({ destination, amount }, part): readonly SpendEvent[] => {
        const key = { policyName: policy.name, ruleId: rule.id, operationId, part };
        const former = this.events.get(keyOf(key));
        if (former && !former.isHeld) return [];
        const ends = { settledAt: null, releasedAt: null, isSummed: true, mac: null };
        return [{ ...key, destination, amount: String(amount), at: this.now, isHeld, ...ends }];
      }),
    );
    const ended = this.ended.filter(({ policyName, ruleId }) =>
      spends.some(({ policy, rule }) => policyName === policy.name && ruleId === rule.id),
    );
    return this.change([...own, ...ended.slice(0, MOVED_AT_ONCE).map(moved)]);
  }

  /**
   * All sums, as far as the events were read, and all events that have ended, moved. Those of `locked` begin anew now: being held, they
   * count in the same windows as before.
   */
  catchUp(locked: readonly SpendKey[]): Changes {
    const begunAnew = locked.map((key) => ({ ...this.events.get(keyOf(key))!, at: this.now }));
    return this.change([...this.ended.map(moved), ...begunAnew], this.windowsAt.keys());
  }

  /** The kinds of events that are read apart from those that enter or leave: of each at most one more than `most`. */
  private readsTooMany(window: ReadWindow): boolean {
    const numbers = { held: 0, givenBack: 0, settled: 0 };
    for (const [, event] of this.eventsAt.get(placeOf(window)) ?? []) {
      if (event.at > window.start) numbers.givenBack += Number(isGivenBack(event));
      else if (event.isHeld) numbers.held++;
      else if (counts(event, window.start)) numbers.settled++;
    }
    return Math.max(...Object.values(numbers)) > this.most;
  }

  private get ended(): readonly SpendEvent[] {
    return [...this.events.values()].filter((event) => isGivenBack(event) || isSettledLater(event));
  }

  /** The stored sums of destinations that are not asked for, which events that have ended change at the time that they have. */
  private others(apart: readonly SpendSum[]): Running[] {
    return apart.flatMap(({ policyName, ruleId, destination, seconds, since, amount, count }) => {
      const alike = this.windows.filter(
        ({ of: { policy, rule }, window }) =>
          policy.name === policyName &&
          rule.id === ruleId &&
          window.seconds === seconds &&
          window.per === 'destination',
      );
      const [first] = alike;
      if (!first || alike.some((window) => window.destination === destination)) return [];
      const of = { of: first.of, window: first.window, destination };
      return [{ of, since, amount: BigInt(amount), count: Number(count) }];
    });
  }

  private change(nexts: readonly SpendEvent[], touched: Iterable<string> = []): Changes {
    const places = new Set(touched);
    const sum = (event: SpendEvent, times: number): void => {
      for (const place of placesOf(event)) {
        places.add(place);
        for (const each of this.sums.get(place) ?? []) if (isIn(event, each.since)) addTo(each, each.of, event, times);
      }
    };
    for (const next of nexts) {
      const former = this.events.get(keyOf(next));
      if (former) sum(former, -1);
      sum(next, 1);
      this.events.set(keyOf(next), next);
    }
    const sums = new Map<string, NewSum>();
    for (const place of places)
      for (const { of, since, amount, count } of this.sums.get(place) ?? [])
        sums.set(`${place}\0${of.window.seconds}`, {
          policyName: of.of.policy.name,
          ruleId: of.of.rule.id,
          destination: of.destination ?? '',
          seconds: of.window.seconds,
          since,
          amount: String(amount),
          count: String(count),
        });
    return { events: nexts, sums: [...sums.values()] };
  }
}

function addTo(sum: Mutable<Used>, { destination }: CountedWindow, { part, amount }: SpendEvent, times: number): void {
  if (times === 0) return;
  sum.amount += BigInt(times) * BigInt(amount);
  if (part === 0 || destination !== null) sum.count += times;
}

/** Whether a sum since then holds the event. */
const isIn = ({ isSummed, at }: SpendEvent, since: Date): boolean => isSummed && at > since;

/** The sums hold it still. */
const isGivenBack = ({ releasedAt, isSummed }: SpendEvent): boolean => releasedAt !== null && isSummed;

const isSettledLater = ({ at, settledAt }: SpendEvent): boolean => settledAt !== null && settledAt > at;

const countsFrom = (event: SpendEvent): Date => (isSettledLater(event) ? event.settledAt! : event.at);

const counts = (event: SpendEvent, start: Date): boolean =>
  event.releasedAt === null && (event.isHeld || countsFrom(event) > start);

/** An event that has ended, at its place in the sums. */
const moved = (event: SpendEvent): SpendEvent =>
  event.releasedAt ? { ...event, isSummed: false } : { ...event, at: event.settledAt! };

// Texts of the database have no NUL.
const keyOf = ({ policyName, ruleId, operationId, part }: SpendKey): string =>
  [policyName, ruleId, operationId, part].join('\0');

const placeOf = ({ of: { policy, rule }, destination }: CountedWindow): string =>
  [policy.name, rule.id, destination ?? ''].join('\0');

/** All destinations together, and its own. */
const placesOf = ({ policyName, ruleId, destination }: SpendEvent): string[] =>
  ['', ...(destination === null ? [] : [destination])].map((to) => [policyName, ruleId, to].join('\0'));
