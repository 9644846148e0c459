import { RecentlyUsed } from '../../../kernel/recently-used.js';

/** The longest life of a cached value: half of the second within which a change must take effect on every replica. */
const LONGEST_LIFE_MS = 500;
/** Long enough to shield the database from a client that repeats a dead key, short enough to be forgotten at once. */
const LIFE_OF_NOTHING_MS = 100;

export interface Perishable {
  /** Until the value expires, by the database's clock. Null: without end. */
  readonly livesForMs: number | null;
}

/** Lifetimes count from the start of the query, by the monotonic clock. Callers that wait for the same result share one query. */
export class FreshCache<V extends Perishable> {
  private readonly values: RecentlyUsed<string, { readonly value: V; readonly until: number }>;
  /** Apart from the values, so that a flood of unknown keys cannot push known ones out. */
  private readonly nothings: RecentlyUsed<string, number>;
  private readonly loads = new Map<string, { readonly answer: Promise<V | null>; readonly since: number }>();

  constructor(
    capacity: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.values = new RecentlyUsed(capacity);
    this.nothings = new RecentlyUsed(capacity);
  }

  /** Null: the database has none. Undefined: the cache does not know. */
  peek(key: string): V | null | undefined {
    const now = this.now();
    const kept = this.values.peek(key);
    if (kept && kept.until > now) return kept.value;
    return (this.nothings.peek(key) ?? 0) > now ? null : undefined;
  }

  get(key: string, load: () => Promise<V | null>): V | null | Promise<V | null> {
    const kept = this.peek(key);
    if (kept !== undefined) return kept;
    const since = this.now();
    const running = this.loads.get(key);
    // A pending result may be older than its later callers may accept.
    if (running && since - running.since < LONGEST_LIFE_MS) return running.answer;
    const answer = load();
    const mine = { answer, since };
    this.loads.set(key, mine);
    const settled = (): boolean => this.loads.get(key) === mine && this.loads.delete(key);
    answer.then(
      (value) => settled() && this.keep(key, value, since),
      () => settled(),
    );
    return answer;
  }

  /** Forgets everything, pending results included. */
  clear(): void {
    this.values.clear();
    this.nothings.clear();
    this.loads.clear();
  }

  private keep(key: string, value: V | null, since: number): void {
    if (value === null) this.nothings.set(key, since + LIFE_OF_NOTHING_MS);
    else this.values.set(key, { value, until: since + Math.min(LONGEST_LIFE_MS, value.livesForMs ?? LONGEST_LIFE_MS) });
  }
}
