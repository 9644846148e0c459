import { parseUnits } from 'ethers';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../support/machine-pool.js';
import type { Entry } from '../books.js';
import { Chains } from '../chains.js';
import { Client, makeWallets, MANAGEMENT_KEY, type Order, type Wallet } from '../client.js';
import { networksOf } from '../networks/names.js';
import { Pace } from '../pace.js';
import { Replica } from '../replica.js';
import { CarefulClient } from './careful-client.js';
import { importWallet, signOutside } from './keys-elsewhere.js';
import { Operator } from './operator.js';
import { reportOn, type RestoresReport } from './report.js';
import { RestorablePostgres } from './restorable-postgres.js';

/**
 * How the database comes to an earlier state:
 * - `base_backup`: recovered from a base backup, on a new timeline.
 * - `copied_directory`: recovered from a copy of the data directory, as from a storage snapshot: timeline and system identifier stay.
 * - `promotion`: an asynchronous standby is promoted while payments are under way and the replicas run on.
 */
export const RETURNS = ['base_backup', 'copied_directory', 'promotion'] as const;
export type Return = (typeof RETURNS)[number];

export interface RestoresSettings {
  readonly seed: number;
  /** Orders of each kind on each network: made before the backup, confirmed after it, and made after it. */
  readonly ordersPerNetwork: number;
  readonly returns?: readonly Return[];
  readonly settleSeconds?: number;
  readonly log?: (line: string) => void;
}

/**
 * Two replicas pay on two EVM networks and on Solana, also from wallets whose keys may be used elsewhere; the database comes to an earlier
 * state; an operator follows the runbook.
 */
export async function runRestores(settings: RestoresSettings): Promise<RestoresReport> {
  const run = new Run(settings);
  try {
    return await run.execute();
  } finally {
    await run.stop();
  }
}

class Run {
  private readonly started = performance.now();
  private readonly random: () => number;
  private readonly pace = new Pace();
  /** The client has the response that these are confirmed, and does not confirm them again. */
  private readonly trusted = new Set<Order>();
  private readonly states: string[] = [];
  private repeated = 0;
  private dataDir!: string;
  private postgres!: RestorablePostgres;
  private chains!: Chains;
  private replicas: Replica[] = [];
  private wallets: Wallet[] = [];
  private readonly usedElsewhere = new Set<string>();
  private operator!: Operator;
  private client!: CarefulClient;

  constructor(private readonly settings: RestoresSettings) {
    this.random = seededRandom(settings.seed);
  }

  async execute(): Promise<RestoresReport> {
    await this.prepare();
    for (const each of this.settings.returns ?? RETURNS) {
      this.log(`${each}: begins`);
      await (each === 'promotion' ? this.promote() : this.restore(each));
      this.states.push(`${each}: ${await this.describeBooks()}`);
      this.log(this.states.at(-1)!);
      if (each === 'copied_directory') await this.operator.list(this.wallets.map(({ id }) => id));
      await this.settle();
      // Every queue must take the next payment.
      const next = this.ordersOfEach(1);
      await Promise.all(next.map((order) => this.client.pay(order)));
      await this.settle();
      this.log(`${each}: settled`);
    }
    const { client, chains, operator, usedElsewhere } = this;
    const report = await reportOn({ client, chains, operator, books: await this.read(), usedElsewhere });
    return { ...report, states: this.states, repeated: this.repeated, seconds: this.seconds };
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.replicas.map((replica) => replica.kill()));
    await this.chains?.stop();
    await this.postgres?.stop();
    if (this.dataDir) await rm(this.dataDir, { recursive: true, force: true });
  }

  private log(line: string): void {
    this.settings.log?.(`${this.seconds} s: ${line}`);
  }

  private get seconds(): number {
    return Math.round((performance.now() - this.started) / 1000);
  }

  private async prepare(): Promise<void> {
    this.dataDir = await mkdtemp(join(tmpdir(), 'restores-data-'));
    this.postgres = await RestorablePostgres.start();
    this.chains = await Chains.start(1, this.random, this.pace);
    const env = {
      NODE_ENV: 'test',
      DATABASE_URL: this.postgres.url,
      DATA_DIR: this.dataDir,
      MANAGEMENT_KEY,
      MASTER_KEYS: `chaos:${createHash('sha256').update('the master key of chaos').digest('base64')}`,
      ...this.chains.env('depth'),
      TRANSFER_CONFIRM_WAIT_SECONDS: '0',
      TRANSFER_BUMP_AFTER_SECONDS: '4',
      TRANSFER_STUCK_AFTER_SECONDS: '3',
      PUBLIC_RATE: '100000',
    };
    this.operator = new Operator(() => env);
    this.replicas = [new Replica(env), new Replica(env)];
    this.client = new CarefulClient(this.replicas, this.random);
    await this.pace.measure(Promise.all(this.replicas.map((each) => each.start())));
    const client = new Client(this.replicas, this.random);
    this.wallets = await makeWallets(client, 2, 1);
    const own = this.wallets[0]!;
    await signOutside(client, own, this.chains.evmNamed('ethereum')!.anvil.chainId);
    const imported = await importWallet(client, own);
    this.wallets.push(imported);
    for (const { id } of [own, imported]) this.usedElsewhere.add(id);
    for (const { chain, address } of this.wallets)
      for (const network of networksOf(chain).map((name) => this.chains.named(name)))
        await network.fund(address, parseUnits('10000', network.decimals));
  }

  private async restore(kind: Return): Promise<void> {
    const [early, quoted, late] = [this.wave(), this.wave(), this.wave()];
    await Promise.all(quoted.map((order) => this.client.create(order)));
    const [backup] = await Promise.all([this.postgres.backUp(), this.payAll(early)]);
    await Promise.all([this.confirmAll(quoted), this.payAll(late)]);
    // The last payments are signed and sent, and most are in no block yet.
    await Promise.all(this.replicas.map((replica) => replica.kill()));
    await this.postgres.restore(backup, kind === 'base_backup');
    await this.trustSome(quoted);
    await this.pace.measure(Promise.all(this.replicas.map((replica) => replica.start())));
  }

  private async promote(): Promise<void> {
    await this.postgres.startStandby();
    const [early, quoted, late, during] = [this.wave(), this.wave(), this.wave(), this.wave()];
    await Promise.all(quoted.map((order) => this.client.create(order)));
    await this.payAll(early);
    await sleep(300);
    await this.postgres.delayStandby();
    await Promise.all([this.confirmAll(quoted), this.payAll(late)]);
    const paying = this.payAll(during);
    await this.postgres.failOver();
    await this.trustSome(quoted);
    await paying;
  }

  /** Half of these clients trust the confirmation that they were given; the quotes of those expire at once. */
  private async trustSome(quoted: readonly Order[]): Promise<void> {
    const trusting = quoted.filter((_, index) => index % 2 === 0);
    trusting.forEach((order) => this.trusted.add(order));
    const ids = trusting.map(({ transfers }) => transfers.at(-1)!);
    await this.postgres.ask((client) =>
      client.query(`update transfers set expires_at = now() where id = any($1) and status = 'unconfirmed'`, [ids]),
    );
  }

  private wave(): Order[] {
    return this.ordersOfEach(Math.ceil(this.settings.ordersPerNetwork / 2));
  }

  /** This many orders of each wallet on each network. */
  private ordersOfEach(count: number): Order[] {
    return this.wallets.flatMap((wallet) =>
      networksOf(wallet.chain).flatMap((network) =>
        Array.from({ length: count }, () => this.client.orderOf(wallet, network)),
      ),
    );
  }

  private async payAll(orders: readonly Order[]): Promise<void> {
    await Promise.all(orders.map((order) => this.client.pay(order)));
  }

  private async confirmAll(orders: readonly Order[]): Promise<void> {
    await Promise.all(orders.map((order) => this.client.confirm(order)));
  }

  private read(): Promise<Map<string, Entry>> {
    return this.postgres.ask(async (client) => {
      const { rows } = await client.query<{ entry: Entry }>(
        `select to_jsonb(t) || jsonb_build_object('amount', t.amount::text) as entry from transfers t`,
      );
      return new Map(rows.map(({ entry }) => [entry.id, entry]));
    });
  }

  /** Reads the orders as the database knows them right after it came to an earlier state. */
  private async describeBooks(): Promise<string> {
    const books = await this.read();
    const counts: Record<string, number> = {};
    for (const { transfers, network } of this.client.orders) {
      const entry = books.get(transfers.at(-1)!) as (Entry & { stage?: string }) | undefined;
      const state = `${network} ${entry ? (entry.stage && entry.status === 'pending' ? entry.stage : entry.status) : 'lost'}`;
      counts[state] = (counts[state] ?? 0) + 1;
    }
    return JSON.stringify(counts);
  }

  /** Follows the service as an app does, until every order that it knows has ended and no queue is held. */
  private async settle(): Promise<void> {
    const end = performance.now() + (this.settings.settleSeconds ?? 300) * 1_000;
    for (let round = 1; performance.now() < end; round++) {
      const open = await this.follow();
      const held = round % 4 === 0 || open === 0 ? await this.operator.reconcile() : 1;
      if (open === 0 && held === 0) return;
      await sleep(1_000);
    }
    this.log(`not settled: ${await this.describeBooks()}`);
  }

  private async follow(): Promise<number> {
    const books = await this.read();
    let open = 0;
    await Promise.all(
      this.client.orders.map(async (order) => {
        if (this.client.lost.has(order)) return;
        const entry = books.get(order.transfers.at(-1)!);
        if (!entry) return void this.client.lost.add(order);
        const { status, retry_safe } = entry;
        const isUnpaid = status === 'expired' || status === 'cancelled' || (status === 'failed' && retry_safe === true);
        if (isUnpaid) {
          this.repeated += 1;
          await this.client.pay(order);
        } else if (status === 'unconfirmed' && !this.trusted.has(order)) await this.client.confirm(order);
        if (isUnpaid || status === 'pending' || status === 'unconfirmed') open += 1;
      }),
    );
    return open;
  }
}
