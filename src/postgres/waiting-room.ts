import { type CurrentCall, currentCall } from '../kernel/current-call.js';
import { Overloaded } from '../kernel/errors.js';

/** Calls that wait for their first connection. */
const MOST_OF_APP = 250;
const MOST = 1_000;
/** A call is refused when no connection has become free for `STANDSTILL_MS`, or when it has waited for `LONGEST_MS`. */
const STANDSTILL_MS = 10_000;
const LONGEST_MS = 30_000;
/** A call that was let in counts as a waiting one for this long, unless it asks for a connection or ends before. */
const COMING_MS = 1_000;
/** One in this number of freed places goes to a call that has had no connection. */
const TURNS = 4;

interface Waiting {
  readonly call: CurrentCall;
  readonly admit: () => void;
  readonly refuse: () => void;
}

/** Calls that have had a connection go first, so that they can finish; others take turns by app. Background work does not queue. */
export class WaitingRoom {
  refused = 0;
  waitedSeconds = 0;
  private taken = 0;
  private turn = 0;
  private lastFreed = 0;
  private readonly begun = new Set<Waiting>();
  private readonly others = new Map<string, Set<Waiting>>();
  private readonly held = new WeakMap<CurrentCall, number>();
  /** Calls that were let in and have not asked for a connection yet, oldest first. */
  private readonly coming = new Map<CurrentCall, { readonly appId: string; readonly since: number }>();
  private readonly comingOf = new Map<string, number>();

  constructor(private readonly places: number) {}

  get waiting(): number {
    return this.begun.size + this.fresh;
  }

  /** Counts a call that is let in as one that waits, so that those that arrive together are refused together. */
  admits(call: CurrentCall, appId: string): boolean {
    const now = performance.now();
    // Some never ask: their body is slow, or their end is not noticed.
    for (const [each, { since }] of this.coming) {
      if (now - since < COMING_MS) break;
      this.forget(each);
    }
    const coming = this.comingOf.get(appId) ?? 0;
    if (this.taken >= this.places && this.isFullFor(appId, coming)) {
      this.refused++;
      return false;
    }
    this.coming.set(call, { appId, since: now });
    this.comingOf.set(appId, coming + 1);
    return true;
  }

  /** To be called at the end of a call. */
  forget(call: CurrentCall): void {
    const arrival = this.coming.get(call);
    if (!arrival) return;
    this.coming.delete(call);
    const others = this.comingOf.get(arrival.appId)! - 1;
    if (others === 0) this.comingOf.delete(arrival.appId);
    else this.comingOf.set(arrival.appId, others);
  }

  /** Returns the function that gives the place back. Throws `Overloaded`. */
  async enter(): Promise<() => void> {
    const call = currentCall();
    if (call === undefined) return () => undefined;
    this.forget(call);
    const held = this.held.get(call);
    // A call that has a connection must not wait for calls that wait for it.
    if (this.taken < this.places || (held ?? 0) > 0) this.taken++;
    else await this.wait(call, held !== undefined);
    this.change(call, 1);
    return () => {
      this.change(call, -1);
      this.lastFreed = performance.now();
      // The place is handed over; otherwise a later call could take it first.
      if (this.taken > this.places || !this.admitNext()) this.taken--;
    };
  }

  private get fresh(): number {
    return [...this.others.values()].reduce((sum, { size }) => sum + size, 0);
  }

  private isFullFor(appId: string, coming = 0): boolean {
    const waiting = this.others.get(appId)?.size ?? 0;
    // An app without waiting calls is never refused because of other apps' queues.
    return waiting + coming >= MOST_OF_APP || (waiting > 0 && this.fresh >= MOST);
  }

  private change(call: CurrentCall, by: number): void {
    this.held.set(call, (this.held.get(call) ?? 0) + by);
  }

  private wait(call: CurrentCall, hasBegun: boolean): Promise<void> {
    const app = call.appId ?? '';
    const queue = hasBegun ? this.begun : (this.others.get(app) ?? new Set<Waiting>());
    if (!hasBegun) {
      if (this.isFullFor(app)) throw this.overloaded();
      this.others.set(app, queue);
    }
    const since = performance.now();
    return new Promise<void>((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        this.waitedSeconds += (performance.now() - since) / 1_000;
        queue.delete(waiting);
        if (queue.size === 0 && this.others.get(app) === queue) this.others.delete(app);
      };
      const refuse = (): void => {
        end();
        reject(this.overloaded());
      };
      const admit = (): void => {
        end();
        resolve();
      };
      const waiting: Waiting = { call, admit, refuse };
      const look = (): void => {
        const now = performance.now();
        const deadline = Math.min(since + LONGEST_MS, Math.max(since, this.lastFreed) + STANDSTILL_MS);
        if (now >= deadline - 1) refuse();
        else timer = setTimeout(look, deadline - now).unref();
      };
      let timer = setTimeout(look, STANDSTILL_MS).unref();
      queue.add(waiting);
    });
  }

  private admitNext(): boolean {
    for (;;) {
      const isForBegun = this.begun.size > 0 && (this.others.size === 0 || ++this.turn % TURNS !== 0);
      const [app, queue] = isForBegun ? [undefined, this.begun] : (this.others.entries().next().value ?? []);
      if (queue === undefined) return false;
      const [next] = queue as Set<Waiting>;
      const isGone = !isForBegun && next!.call.isGone === true;
      if (isGone) next!.refuse();
      else next!.admit();
      // The next one is of another app.
      if (app !== undefined && queue.size > 0) {
        this.others.delete(app);
        this.others.set(app, queue);
      }
      if (!isGone) return true;
    }
  }

  private overloaded(): Overloaded {
    this.refused++;
    return new Overloaded();
  }
}
