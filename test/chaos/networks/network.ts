import { setTimeout as sleep } from 'node:timers/promises';
import { ChainProxy, type Fault, FAULTS } from '../../support/chain-proxy.js';
import { type Machine, randomRoute, type Route } from '../../support/machine-pool.js';
import type { Pace } from '../pace.js';
import type { Trouble } from '../settings.js';
import type { NetworkName } from './names.js';

/** Usually the same machine answers two successive calls, but rarely three. */
const STICKINESS = 0.4;

export type Has = (trouble: Trouble) => boolean;
export type TimedTrouble = readonly [trouble: Trouble, everyMs: number, work: () => unknown];

/** A network, the machines that answer for it, and their faults. */
export abstract class Network {
  protected isOver = false;
  private isStormy = true;
  private clock: Promise<void> = Promise.resolve();

  protected constructor(
    readonly name: NetworkName,
    readonly proxies: readonly ChainProxy[],
    private readonly machines: { route: Route; readonly answered: Readonly<Record<Machine, number>> },
    protected readonly random: () => number,
    protected readonly pace: Pace,
  ) {}

  protected static proxiesOf({ url }: { readonly url: string }, endpoints: number): Promise<ChainProxy[]> {
    return Promise.all(Array.from({ length: endpoints }, () => ChainProxy.start(url, 200)));
  }

  /** The decimals of its coin. */
  abstract readonly decimals: number;
  /** The units of the coin, or of the token, that the account has. */
  abstract balance(account: string, token?: string): Promise<bigint>;
  /** Ensures that the account has this many units of the coin at least. */
  abstract fund(account: string, units: bigint): Promise<void>;
  /** The faults of this network's chain and nodes, with the milliseconds between two of them. */
  protected abstract own(has: Has): readonly TimedTrouble[];
  /** Every machine lacks what the restored one lacks, until `restore`. */
  protected abstract loseHistory(): Promise<void>;
  protected abstract restore(): void;
  protected abstract rejoin(): void;
  /** Makes the next block. */
  protected abstract pass(): Promise<void>;
  protected abstract readonly blockMs: number;
  /** From now on no payment can be proven, once `loseLanded` was called. */
  abstract hide(): Promise<void>;
  abstract loseLanded(): void;
  protected abstract end(): Promise<void>;

  get faults(): number {
    return this.proxies.reduce((sum, { spoilt }) => sum + spoilt, 0);
  }

  /** The number of calls that a machine answered which was behind or on a fork. */
  get answeredByOthers(): number {
    return this.machines.answered.lagging + this.machines.answered.forked;
  }

  /** Makes blocks until everything has stopped, so that the last transactions become final. */
  protected begin(): void {
    this.clock = this.passBlocks();
  }

  /** Begins the faults that are always there, and returns the faults that are made from time to time. */
  troubles(has: Has): readonly TimedTrouble[] {
    const kinds: readonly Fault[] = [...FAULTS, 'stale'];
    // In storms with calm between them: if every call failed with the same probability, operations of several calls
    // would rarely succeed.
    const fault = (): Fault | null =>
      this.isStormy && this.random() < 0.4 ? kinds[Math.floor(this.random() * kinds.length)]! : null;
    if (has('calls')) for (const proxy of this.proxies) proxy.fault = fault;
    this.routeToSome(has);
    const all: readonly TimedTrouble[] = [
      ['calls', 1_500, () => (this.isStormy = this.random() < 0.4)],
      ['forks', 8_000, () => this.rejoin()],
      ['history', 10_000, () => this.restore()],
      ['history', 14_000, () => this.onlyRestored(has)],
      ...this.own(has),
    ];
    return all.filter(([trouble]) => has(trouble));
  }

  /** Ends the faults of the chain and its nodes. */
  lift(): void {
    for (const proxy of this.proxies) proxy.fault = () => null;
    this.route(() => 'head');
    this.rejoin();
    this.restore();
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await this.clock.catch(() => {});
    await Promise.all(this.proxies.map((proxy) => proxy.stop()));
    await this.end();
  }

  protected route(route: Route): void {
    this.machines.route = route;
  }

  protected upTo(most: number): number {
    return 1 + Math.floor(this.random() * most);
  }

  private routeToSome(has: Has): void {
    const machines: Machine[] = ['head'];
    if (has('machines')) machines.push('lagging', 'forked');
    if (has('history')) machines.push('restored');
    this.route(randomRoute(this.random, machines, STICKINESS));
  }

  private async onlyRestored(has: Has): Promise<void> {
    await this.loseHistory();
    await sleep(2_000);
    this.restore();
    this.routeToSome(has);
  }

  private async passBlocks(): Promise<void> {
    while (!this.isOver) {
      await this.pass();
      await sleep(this.blockMs * this.pace.factor);
    }
  }
}
