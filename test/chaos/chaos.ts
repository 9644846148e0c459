import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseUnits } from 'ethers';
import { seededRandom } from '../support/machine-pool.js';
import { Books, type Entry, type Verdict } from './books.js';
import { Chains } from './chains.js';
import { Client, makeWallets, MANAGEMENT_KEY, type Order, type Wallet } from './client.js';
import { type NetworkName, NETWORKS, walletTypeOf } from './networks/names.js';
import { closePending } from './operator.js';
import { Pace } from './pace.js';
import { CrashingPostgres } from './postgres.js';
import { Replica } from './replica.js';
import { type ChaosReport, isGreen } from './report.js';
import { type ChaosSettings, type Plan, planOf, type Trouble } from './settings.js';
import { SURROUNDINGS } from './troubles/index.js';
import type { Stage, TroubleKind } from './troubles/trouble.js';

const STUCK_AFTER_SECONDS = 3;
/** The last lines of the journal that are kept as evidence. */
const MOST_LINES = 50_000;
/** The stuck reason of a transfer whose receipt or block every machine has lost. */
const UNPROVABLE = 'node_lacks_history';
const OPEN = ['unconfirmed', 'awaiting_approval', 'pending'];
const REFUSED = ['rejected', 'expired', 'cancelled'];

/**
 * Two replicas pay on two EVM networks and on Solana while nodes, PostgreSQL and the replicas fail (`TROUBLES`). Four callers confirm each
 * transfer at once; failed transfers that are safe to repeat are repeated. The result is counted on each chain, not in
 * the database.
 */
export async function runChaos(settings: ChaosSettings): Promise<ChaosReport> {
  const run = new Run(planOf(settings));
  try {
    const report = await Promise.race([run.execute(), run.failLate()]);
    return isGreen(report) ? report : { ...report, evidence: await run.keepEvidence(report) };
  } catch (error) {
    const evidence = await run.keepEvidence(String(error));
    throw new Error(`The run has failed, see ${evidence}. ${String(error)}`, { cause: error });
  } finally {
    await run.stop();
  }
}

class Run {
  private readonly started = performance.now();
  private readonly random: () => number;
  private readonly orders: Order[] = [];
  private readonly background: Promise<void>[] = [];
  private readonly counts = { pausesWithLock: 0, cancelled: 0, repeatedByApp: 0 };
  private readonly phases: { readonly phase: string; readonly seconds: number }[] = [];
  private readonly made: Record<string, number> = {};
  private readonly stuck = new Map<string, Set<string>>();
  private readonly pace = new Pace();
  /** The progress, and the logs of the replicas without requests. */
  private readonly journal: string[] = [];
  private isOver = false;
  private end!: () => void;
  private readonly over = new Promise<void>((resolve) => (this.end = resolve));
  private dataDir!: string;
  private postgres!: CrashingPostgres;
  private chains!: Chains;
  private replicas: readonly Replica[] = [];
  private books!: Books;
  private client!: Client;
  private readonly kinds: readonly TroubleKind<Trouble>[];
  private stage!: Stage;

  constructor(private readonly plan: Plan) {
    this.random = seededRandom(plan.seed);
    this.kinds = SURROUNDINGS.map((kind) => kind()).filter(({ name }) => this.has(name));
  }

  private has(trouble: Trouble): boolean {
    return this.plan.troubles.includes(trouble);
  }

  async execute(): Promise<ChaosReport> {
    const wallets = await this.prepare();
    this.pass('prepared');
    this.makeTrouble();
    // The background ends earlier only by an error.
    await Promise.race([this.payAll(wallets), Promise.all(this.background)]);
    await Promise.race([this.untilAllTroublesAreMade(), Promise.all(this.background)]);
    this.finish();
    await Promise.all(this.background);
    this.chains.lift();
    this.pass('made trouble');
    await Promise.all(this.replicas.filter(({ url }) => url === undefined).map((each) => this.startAgain(each)));
    await this.settle(this.orders);
    this.pass('settled');
    const provable = new Set(this.orders);
    await this.makeUnprovable(wallets);
    this.pass('paid what cannot be proven');
    return this.report(wallets, provable);
  }

  /** Fails with what the run waits for; the time limit of a test says only that it waits. */
  async failLate(): Promise<never> {
    const { limitSeconds } = this.plan;
    await sleep(limitSeconds * 1_000, undefined, { ref: false });
    const passed = this.phases.map(({ phase }) => phase).join();
    throw new Error(
      `It has not ended after ${limitSeconds} s; passed: ${passed}; ${await this.progress().catch(String)}.`,
    );
  }

  private pass(phase: string): void {
    const seconds = this.seconds - this.phases.reduce((sum, each) => sum + each.seconds, 0);
    this.phases.push({ phase, seconds });
    this.log(`${this.seconds} s: ${phase}`);
  }

  private log(line: string): void {
    this.keep(line);
    this.plan.log(line);
  }

  private keep(line: string): void {
    if (this.journal.push(line) > MOST_LINES) this.journal.shift();
  }

  /** Writes all that is known about the run into a file, and returns its path. */
  async keepEvidence(result: unknown): Promise<string> {
    const file = join(await mkdtemp(join(tmpdir(), 'chaos-evidence-')), `seed-${this.plan.seed}.json`);
    const { plan, phases, made, counts, journal, orders } = this;
    const rows = await this.books?.all().catch(String);
    await writeFile(file, JSON.stringify({ result, plan, phases, made, counts, journal, orders, rows }, null, 1));
    return file;
  }

  private get seconds(): number {
    return Math.round((performance.now() - this.started) / 1000);
  }

  async stop(): Promise<void> {
    this.finish();
    await Promise.allSettled(this.background);
    await Promise.allSettled(this.replicas.map((replica) => replica.kill()));
    for (const kind of this.kinds) await kind.stop?.();
    await this.chains?.stop();
    await this.postgres?.stop();
    if (this.dataDir) await rm(this.dataDir, { recursive: true, force: true });
  }

  private async prepare(): Promise<Wallet[]> {
    const { endpoints, finality, synchronousCommit, walletsPerType } = this.plan;
    this.dataDir = await mkdtemp(join(tmpdir(), 'chaos-'));
    this.postgres = await CrashingPostgres.start(synchronousCommit);
    this.chains = await Chains.start(endpoints, this.random, this.pace);
    this.books = new Books(this.postgres);
    const envOf = async (user: string): Promise<Record<string, string>> => ({
      NODE_ENV: 'test',
      DATABASE_URL: await this.postgres.urlFor(user),
      DATA_DIR: this.dataDir,
      MANAGEMENT_KEY,
      MASTER_KEYS: `chaos:${createHash('sha256').update('the master key of chaos').digest('base64')}`,
      ...this.chains.env(finality),
      TRANSFER_CONFIRM_WAIT_SECONDS: '2',
      TRANSFER_BUMP_AFTER_SECONDS: '4',
      TRANSFER_STUCK_AFTER_SECONDS: String(STUCK_AFTER_SECONDS),
      PUBLIC_RATE: '100000',
    });
    const envs = [await envOf(userOf(0)), await envOf(userOf(1))];
    const keep = (line: string): void => this.keep(line);
    this.replicas = envs.map((env) => new Replica(env, undefined, undefined, keep));
    this.client = new Client(this.replicas, this.random);
    await this.pace.measure(Promise.all(this.replicas.map((each) => each.start())));
    const wallets = await makeWallets(this.client, walletsPerType, this.has('apps') ? 2 : 1);
    for (const network of this.chains.all)
      for (const { address } of payersOn(network.name, wallets))
        await network.fund(address, parseUnits('10000', network.decimals));
    const { chains, postgres, books, client, replicas, orders, random, pace } = this;
    const restart = (replica: Replica) => this.kill(replica);
    const keys = new Map<string, string>();
    this.stage = { chains, postgres, books, client, replicas, envs, wallets, orders, keys, random, pace, restart };
    for (const kind of this.kinds) await kind.prepare?.(this.stage);
    // From here on crashes may lose commits that are not durable; keys and wallets are stored before.
    await this.postgres.ask((client) => client.query('checkpoint'));
    return wallets;
  }

  private makeTrouble(): void {
    const has = (trouble: Trouble): boolean => this.has(trouble);
    const { killEveryMs, pauseMs, mostOutages } = this.plan;
    const make = (name: string, everyMs: number, work: () => unknown, most = Infinity): void => {
      this.made[name] ??= 0;
      this.repeat(everyMs, async () => {
        if (this.made[name]! < most && (await work()) !== false) this.made[name]! += 1;
      });
    };
    for (const network of this.chains.all)
      for (const [trouble, everyMs, work] of network.troubles(has)) make(on(network.name, trouble), everyMs, work);
    if (has('kills')) make('kills', killEveryMs, () => this.kill(), mostOutages);
    if (has('pauses')) make('pauses', pauseMs, () => this.pause(), mostOutages);
    if (has('crashes')) make('crashes', 3 * killEveryMs, () => this.crash(), mostOutages);
    if (has('cancels')) make('cancels', 1_000, () => this.cancelSome());
    for (const [key, kind, network] of this.placed()) {
      const { everyMs, isHeavy, make: work } = kind;
      if (work) make(key, everyMs!, () => work(this.stage, network!), isHeavy ? mostOutages : Infinity);
      else this.made[key] = 0;
    }
    this.repeat(1_500, async () => void (await this.retryFailed(this.orders)));
    this.repeat(15_000, async () => this.log(`${this.seconds} s: ${await this.progress()}`));
  }

  /** The surroundings, each once for each network on which it must happen. */
  private placed(): (readonly [key: string, kind: TroubleKind<Trouble>, network: NetworkName | null])[] {
    return this.kinds.flatMap((kind) => {
      const places: readonly (NetworkName | null)[] = kind.networks ?? [null];
      return places.map((network) => [network ? on(network, kind.name) : kind.name, kind, network] as const);
    });
  }

  /** Otherwise the result would depend on the speed of the machine. Orders make those that are properties of orders. */
  private async untilAllTroublesAreMade(): Promise<void> {
    while ((await this.lacking()).length > 0) await sleep(250);
  }

  /** The troubles that have not happened yet. */
  private async lacking(): Promise<string[]> {
    const placed = this.placed();
    const ofOrders = placed.filter(([, { make }]) => !make).map(([key]) => key);
    const notMade = Object.keys(this.made).filter((key) => this.made[key] === 0 && !ofOrders.includes(key));
    // A fork or a node may drop a transaction that was sent, so only the chain shows whether these happened.
    const counted = placed.filter(([key, { make, happened }]) => make && happened && !notMade.includes(key));
    const counts = await Promise.all(
      counted.map(([, { happened }, network]) => happened!(this.stage, network!).catch(() => 0)),
    );
    return [...notMade, ...counted.filter((_, index) => counts[index] === 0).map(([key]) => key)];
  }

  /** An order of the wallet with the properties that troubles give it. */
  private async orderOf(wallet: Wallet, network: NetworkName): Promise<Order> {
    let order = this.client.orderOf(wallet, network);
    for (const { name, networks, shape } of this.kinds) {
      const shaped = await shape?.(order, this.stage);
      if (!shaped) continue;
      order = shaped;
      const key = networks ? on(network, name) : name;
      this.made[key] = (this.made[key] ?? 0) + 1;
    }
    return order;
  }

  private repeat(everyMs: number, work: () => Promise<unknown>): void {
    const repeated = async (): Promise<void> => {
      for (let pause = this.random(); !this.isOver; pause = 0.5 + this.random()) {
        await Promise.race([this.over, sleep(everyMs * pause * this.pace.factor, undefined, { ref: false })]);
        if (!this.isOver) await work();
      }
    };
    const running = repeated();
    // Awaited at the end; an earlier failure must not end the process.
    running.catch(() => {});
    this.background.push(running);
  }

  /** Ends the faults; pauses end at once. */
  private finish(): void {
    this.isOver = true;
    this.end();
  }

  private async progress(): Promise<string> {
    const counts: Record<string, number> = {};
    for (const { status, stuck_reason } of (await this.books.read()).values()) {
      const state = stuck_reason ? `${status} (${stuck_reason})` : status;
      counts[state] = (counts[state] ?? 0) + 1;
    }
    const pace = this.pace.factor.toFixed(1);
    const lacking = await this.lacking();
    return `${this.orders.length} orders; pace ${pace}; transfers ${JSON.stringify(counts)}; lacking ${lacking.join()}`;
  }

  private async payAll(wallets: readonly Wallet[]): Promise<void> {
    const { transfersPerNetwork, clients } = this.plan;
    await Promise.all(
      NETWORKS.flatMap((network) => {
        const payers = payersOn(network, wallets);
        let left = transfersPerNetwork;
        return Array.from({ length: clients }, async () => {
          while (left > 0 && !this.isOver) {
            left -= 1;
            const order = await this.orderOf(payers[left % payers.length]!, network);
            await this.client.pay(order);
            this.orders.push(order);
          }
        });
      }),
    );
  }

  private async kill(replica = this.replicas[Math.floor(this.random() * this.replicas.length)]!): Promise<boolean> {
    if (replica.url === undefined || replica.isPaused) return false;
    await replica.kill();
    await this.startAgain(replica);
    return true;
  }

  /** Restarts like an orchestrator: a replica that finds no database at its start exits and is started again. */
  private async startAgain(replica: Replica): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return void (await this.pace.measure(replica.start()));
      } catch (error) {
        if (tries >= 60) throw error;
        await sleep(500);
      }
    }
  }

  private async crash(): Promise<void> {
    await this.postgres.crash(this.random() < 0.3);
  }

  /** Stops a replica, if possible one that holds a sender's lock. */
  private async pause(): Promise<boolean> {
    let replica = this.replicas[Math.floor(this.random() * this.replicas.length)]!;
    for (let tries = 0; tries < 50; tries++) {
      const holder = await this.lockHolder();
      const found = holder && this.replicas[holder.replica];
      if (!found || found.url === undefined) continue;
      replica = found;
      await found.pause();
      // Only after the process has stopped is it certain whether it holds the lock.
      const stillHeld = (await this.lockHolder(holder.pid)) !== null;
      if (stillHeld) this.counts.pausesWithLock += 1;
      if (stillHeld || tries > 40) break;
      found.resume();
    }
    if (replica.url === undefined) return false;
    await replica.pause();
    await sleep(this.plan.pauseMs);
    replica.resume();
    return true;
  }

  private lockHolder(pid: number | null = null): Promise<{ pid: number; replica: number } | null> {
    return this.postgres.ask(async (client) => {
      const { rows } = await client.query<{ pid: number; usename: string }>(
        `select pid, usename from pg_locks join pg_stat_activity using (pid)
          where relation = 'sender_queues'::regclass and granted and mode in ('RowShareLock', 'RowExclusiveLock')
            and ($1::int is null or (pid = $1 and state = 'idle in transaction'))`,
        [pid],
      );
      const found = rows[0];
      return found ? { pid: found.pid, replica: Number(found.usename.at(-1)) } : null;
    });
  }

  private async cancelSome(): Promise<void> {
    const books = await this.books.read();
    const pending = this.orders.filter(({ transfers }) => books.get(transfers.at(-1)!)?.status === 'pending');
    const order = pending[Math.floor(this.random() * pending.length)];
    if (!order) return;
    this.counts.cancelled += 1;
    await this.client.cancel(order);
  }

  /** Repeats the failed transfers that the service declares safe to repeat. Returns the number of pending ones. */
  private async retryFailed(all: readonly Order[]): Promise<number> {
    // The list grows: an order that is made after the books were read is in them only the next time, and would appear lost.
    const orders = [...all];
    const books = await this.books.read();
    for (const { id, stuck_reason } of books.values()) {
      if (stuck_reason) this.stuck.set(stuck_reason, (this.stuck.get(stuck_reason) ?? new Set()).add(id));
    }
    let open = 0;
    for (const kind of this.kinds) await kind.serve?.(this.stage);
    await Promise.all(
      orders.map(async (order) => {
        const entry = books.get(order.transfers.at(-1)!);
        const isUpToTheApp = entry !== undefined && (await this.mayBeRepeatedByApp(order, entry));
        if (isUpToTheApp) this.counts.repeatedByApp += 1;
        const isAgain = entry === undefined || maySafelyRepeat(entry) || isUpToTheApp;
        if (isAgain) await this.client.pay(order);
        // A crash has lost the confirmation.
        else if (entry.status === 'unconfirmed') await this.client.confirm(order);
        if (isAgain || OPEN.includes(entry.status)) open += 1;
      }),
    );
    return open;
  }

  /**
   * Whether an authorisation or other code used the nonce, so that the service does not say whether it paid, and the destination
   * shows that it did not. The transfer cannot be carried out any more.
   */
  private async mayBeRepeatedByApp(order: Order, entry: Entry): Promise<boolean> {
    const { failure_code, retry_safe } = entry;
    const isOpen = failure_code === 'nonce_used_elsewhere' && retry_safe === false;
    return isOpen && (await this.chains.paymentsOf(order, [entry])) === 0n;
  }

  /** Waits until every transfer has ended. */
  private async settle(orders: readonly Order[]): Promise<void> {
    const end = performance.now() + this.plan.settleSeconds * 1_000;
    while ((await this.retryFailed(orders)) > 0 && performance.now() < end) await sleep(250);
  }

  /**
   * The operator ends all that is pending; then each wallet of such a transfer pays once more on its network. Returns the number of transfers that
   * are pending still and of wallets that cannot pay.
   */
  private async jammedAfterClosing(isPaidOnce: (verdict: Verdict) => boolean): Promise<number> {
    const closed = new Set((await this.books.pending()).map(({ id }) => id));
    await closePending(this.stage.envs[0]!, () => this.books.pending());
    const left = (await this.books.pending()).length;
    this.chains.lift();
    const of = this.orders.filter(({ transfers }) => closed.has(transfers.at(-1)!));
    const queues = new Map(of.map((order) => [`${order.wallet.id} ${order.network}`, order]));
    const orders = [...queues.values()].map(({ wallet, network }) => this.client.orderOf(wallet, network));
    await Promise.all(orders.map((order) => this.client.pay(order)));
    await this.settle(orders);
    const books = await this.books.read();
    const verdicts = await Promise.all(orders.map((order) => this.books.verdictOf(order, books, this.chains)));
    this.pass('closed by the operator, and paid again');
    return left + verdicts.filter((verdict) => !isPaidOnce(verdict)).length;
  }

  /** Pays again, but all machines lose the receipts (EVM networks) and blocks (Solana) of these payments. */
  private async makeUnprovable(wallets: readonly Wallet[]): Promise<void> {
    const { unprovable, settleSeconds } = this.plan;
    if (unprovable === 0) return;
    for (const network of this.chains.all) await network.hide();
    const orders = NETWORKS.flatMap((network) => {
      const payers = payersOn(network, wallets);
      return Array.from({ length: unprovable }, (_, index) =>
        this.client.orderOf(payers[index % payers.length]!, network),
      );
    });
    this.orders.push(...orders);
    await Promise.all(orders.map((order) => this.client.pay(order)));
    for (const network of this.chains.all) network.loseLanded();
    const end = performance.now() + settleSeconds * 1_000;
    for (;;) {
      const books = await this.books.read();
      const isDone = orders.every(({ transfers }) => {
        const entry = books.get(transfers.at(-1)!);
        return entry?.status !== 'pending' || entry.stuck_reason === UNPROVABLE;
      });
      if (isDone || performance.now() > end) break;
      await sleep(250);
    }
    // Follows the service as before: if it declared a lost payment safe to repeat, the payment would happen twice.
    await this.retryFailed(orders);
  }

  private async happened(): Promise<Record<string, number>> {
    const counts = { ...this.made };
    for (const { name, faults, answeredByOthers } of this.chains.all) {
      if (this.has('calls')) counts[on(name, 'calls')] = faults;
      if (this.has('machines')) counts[on(name, 'machines')] = answeredByOthers;
    }
    for (const [key, { happened }, network] of this.placed())
      if (happened) counts[key] = await happened(this.stage, network!);
    return counts;
  }

  private async report(wallets: readonly Wallet[], provable: ReadonlySet<Order>): Promise<ChaosReport> {
    const books = await this.books.read();
    const verdicts = await Promise.all(this.orders.map((order) => this.books.verdictOf(order, books, this.chains)));
    const count = (is: (verdict: Verdict) => boolean): number => verdicts.filter(is).length;
    const isUnprovable = ({ order, entries, times, astray }: Verdict): boolean =>
      !provable.has(order) &&
      astray.length === 0 &&
      times <= 1n &&
      hasEnded(entries, 'pending') &&
      entries.at(-1)?.stuck_reason === UNPROVABLE;
    const isPaidOnce = ({ entries, times, byHolder, astray }: Verdict): boolean =>
      times === 1n && byHolder === 0n && astray.length === 0 && hasEnded(entries, 'completed');
    const isPaidElsewhere = ({ entries, times, byHolder, astray }: Verdict): boolean =>
      times === 1n && byHolder === 1n && astray.length === 0 && entries.at(-1)?.failure_code === 'paid_elsewhere';
    const nonceGaps = await this.books.nonceGaps(this.chains, wallets);
    const happened = await this.happened();
    const isSettled = (verdict: Verdict): boolean =>
      isPaidOnce(verdict) || isPaidElsewhere(verdict) || isUnprovable(verdict);
    const settledOn = (network: NetworkName) => {
      const of = verdicts.filter(({ order }) => order.network === network);
      return { orders: of.length, settled: of.filter(isSettled).length };
    };
    const networks = Object.fromEntries(NETWORKS.map((name) => [name, settledOn(name)])) as ChaosReport['networks'];
    const bad = verdicts.filter((verdict) => !isSettled(verdict));
    const unsettled = await Promise.all(bad.map((verdict) => this.books.describe(this.chains, verdict)));
    const jammed = await this.jammedAfterClosing(isPaidOnce);
    const { endpoints, finality, synchronousCommit, pauseMs } = this.plan;
    return {
      seed: this.plan.seed,
      shape: `endpoints ${endpoints}, finality by ${finality}, synchronous_commit ${synchronousCommit}`,
      orders: verdicts.length,
      transfers: books.size,
      ...this.counts,
      happened,
      networks,
      stuck: Object.fromEntries([...this.stuck].map(([reason, ids]) => [reason, ids.size])),
      resigned: await this.books.resigned(),
      paidOnce: count(isPaidOnce),
      paidElsewhere: count(isPaidElsewhere),
      paidTwice: count(({ times }) => times > 1n),
      paidAstray: count(({ astray }) => astray.length > 0),
      neverPaid: count(({ entries, times }) => times === 0n && hasEnded(entries, 'completed')),
      lost: bad.filter(({ entries, times }) => times <= 1n && !hasEnded(entries, 'completed')).length,
      paidAgainstTheBooks: count(
        ({ entries, times, byHolder }) =>
          times > byHolder && !hasEnded(entries, 'completed') && !hasEnded(entries, 'pending'),
      ),
      unprovable: count(isUnprovable),
      jammed,
      nonceGaps,
      budgets: await this.books.budgets(pauseMs / 1_000),
      approvals: await this.books.approvals(),
      unsettled,
      phases: this.phases,
      seconds: this.seconds,
      evidence: null,
    };
  }
}

function hasEnded(entries: Verdict['entries'], status: string): boolean {
  return entries.some((entry) => entry?.status === status);
}

function maySafelyRepeat({ status, retry_safe }: Entry): boolean {
  return REFUSED.includes(status) || (status === 'failed' && retry_safe === true);
}

function on(network: NetworkName, trouble: Trouble): string {
  return `${trouble} on ${network}`;
}

function payersOn(network: NetworkName, wallets: readonly Wallet[]): Wallet[] {
  return wallets.filter(({ chain }) => chain === walletTypeOf(network));
}

function userOf(replica: number): string {
  return `chaos_${replica}`;
}
